/** Whether a router on which something went wrong has ended as the table says, and its record says the truth. */
import type { Ending } from "../chaos/FaultEndings.ts"
import type { RouterFault } from "./RouterFaults.ts"
import type { Outcome } from "./RouterScene.ts"

const judgeBy = (at: string, ending: Ending, outcome: Outcome): ReadonlyArray<string> => {
  const texts = (outcome.result?.job_tasks ?? []).filter(({ failed }) => failed).map(({ result }) => String(result))
  const said = texts.join("")
  const wrong = new Array<string>()
  const expect = (name: string, seen: unknown, wanted: unknown) => {
    if (seen !== wanted) wrong.push(`${name} is ${String(seen)}, not ${String(wanted)}`)
  }
  expect("struck", outcome.struck, at !== "never")
  expect("failed", outcome.result?.failed, !ending.done)
  expect("running", outcome.runs, ending.runs)
  expect("startup", outcome.saved, ending.saved)
  expect("left", outcome.left, "")
  expect("events", outcome.events.join(), ending.event ?? "")
  expect("synchronized", outcome.synchronized, ending.event === undefined)
  let from = 0
  for (const part of ending.says) {
    const found = said.indexOf(part, from)
    if (found < from) wrong.push(`"${part}" is not said`)
    from = found + part.length
  }
  return wrong.length === 0
    ? []
    : [...wrong, `the record says ${said}`, `last steps ${outcome.steps.slice(-6).join("; ")}`]
}

/** The mistakes in the end of a cell. */
export const judge = ({ at, ending, or }: Pick<RouterFault, "at" | "ending" | "or">, outcome: Outcome) => {
  const wrong = judgeBy(at, ending, outcome)
  return or !== undefined && judgeBy(at, or, outcome).length === 0 ? [] : wrong
}
