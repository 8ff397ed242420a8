/** The earlier name of `Skeleton`. */
export { Skeleton as Waiting } from "./Skeleton.tsx"
