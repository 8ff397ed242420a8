/** The earlier name of `Confirm`. */
export { Confirm as AskFirst } from "./Confirm.tsx"
