/** At which steps of a live sync of real routers the server is killed, and how the change of each must end. */
import { done } from "../chaos/FaultEndings.ts"
import { type RouterFault, type StepName, lookedTooEarly, steps } from "./RouterFaults.ts"

const groups: ReadonlyArray<ReadonlyArray<StepName>> = [
  ["connecting", "reading", "loading", "loaded"],
  ["armed", "applied", "committed", "proving", "comparing"],
  ["confirming", "confirmed", "saving", "saved"]
]

/** Steps at which routers stand together when the server is killed once: near enough that none of them is given up. */
export const killGroups = groups.map((names) => names.map((name) => steps[name]))

/** The cells, in the order of the steps. */
export const killCells: ReadonlyArray<Omit<RouterFault, "strike">> = groups.flat().map((name) => {
  const or = lookedTooEarly[name]
  const cell = { fault: "server killed (kill -9) and started again", ...steps[name], ending: done }
  return or === undefined ? cell : { ...cell, or }
})
