/** The earlier names of `StatusWord`. */
export { StatusWord as Worded, StatusWord as WordShown } from "./StatusWord.tsx"
