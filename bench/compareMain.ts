/**
 * Compares the processor time of a sync of 200 switches with that of the last entry of `history.json`, as information for `.ci/run`: what
 * cannot be measured is said, and nothing fails. Takes half a minute.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect } from "effect"
import { comparison, figureTable, history, lastWith } from "./Figures.ts"
import { rows } from "./SyncBench.ts"

const SWITCHES = 200

const compare = Effect.gen(function* () {
  const measured = yield* rows(SWITCHES)
  const figures = measured.flatMap((one) => one.figures)
  const before = lastWith(history(), SWITCHES)
  const lines = before === undefined ? figureTable(figures) : comparison(figures, before)
  yield* Console.log(["", `A sync of ${SWITCHES} switches, as information:`, "", ...lines].join("\n"))
})

const patience = Effect.timeoutOrElse(compare, {
  duration: "90 seconds",
  orElse: () => Console.log("The sync was not compared: it took longer than 90 s.")
})

NodeRuntime.runMain(
  Effect.catchCause(patience, (cause) => Console.log(`The sync was not compared: ${Cause.pretty(cause)}`))
)
