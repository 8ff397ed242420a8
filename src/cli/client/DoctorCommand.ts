/** `switchyard doctor`: what is stuck, since when, why, and what to do about it; repairs are asked for one by one (docs/operations.md#doctor). */
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { type Asking, makeAsking } from "../Asking.ts"
import type { Data } from "../../api/CallTypes.ts"
import { colored, format, harmless, printRows, reported, say } from "./Output.ts"
import { ask, askNamed, Refused } from "./Server.ts"

type Finding = Data<"GET /system/findings">["findings"][number]

const show = Effect.fnUntraced(function* ({ about, level, next, since, what, why }: Finding) {
  const tone = level === "bad" ? "bad" : "warn"
  yield* Console.log(`${colored(tone, level)}  ${harmless(`${about}: ${what}`)}`)
  if (since !== null) yield* say(`      since ${since} UTC`)
  yield* say(`      why:  ${why}`)
  yield* say(`      next: ${next}`)
})

const mend = Effect.fnUntraced(function* ({ repair }: Finding, agreed: Asking) {
  if (repair === null || !(yield* agreed(`      ${harmless(repair.says)}?`))) return
  const answer = yield* Effect.result(askNamed(repair.method, repair.path, repair.body))
  yield* answer._tag === "Success"
    ? say(`      done: ${typeof answer.success === "string" ? answer.success : repair.says}`)
    : Console.error(colored("bad", harmless(`      not done: ${answer.failure.message}`), process.stderr))
})

const COLUMNS = (["level", "kind", "about", "since", "what", "why", "next"] as const).map(
  (name) => [name, (finding: Finding) => finding[name]] as const
)

const repairing = Flag.Boolean("repair").pipe(
  Flag.withDescription("Ask for each finding whether it is to be repaired"),
  Flag.withDefault(false)
)

/** The command. */
export const doctor = Command.make("doctor", { repairing, ...format }, ({ csv, json, repairing }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /system/findings", {})
      const { findings } = answer.data
      if (json || csv) yield* printRows({ csv, json }, COLUMNS, findings, "")
      else if (findings.length === 0) yield* say("Nothing is stuck.")
      else {
        const agreed = repairing ? yield* makeAsking : null
        for (const finding of findings) {
          yield* show(finding)
          if (agreed !== null) yield* mend(finding, agreed)
        }
      }
      const bad = findings.filter(({ level }) => level === "bad").length
      if (bad > 0) return yield* new Refused({ message: `${bad} of ${findings.length} findings are bad` })
    }).pipe(Effect.scoped)
  )
).pipe(
  Command.withDescription("Find what is stuck, since when, why, and what to do; exit code 1 when something is bad.")
)
