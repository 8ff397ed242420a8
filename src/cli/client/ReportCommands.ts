/** `switchyard change`: the report of a change as a file to keep, and the proof that a kept file is genuine (docs/reviewing.md#reports). */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { messageOf } from "../../runtime/SystemErrors.ts"
import { ask, failureOf, Mistyped, Refused, saveFile, send, ServerAway } from "./Server.ts"
import { format, oneOf, printJson, reported, say } from "./Terminal.ts"

/** The exact bytes count: the audit has their digest. */
const report = Command.make(
  "report",
  {
    id: Argument.Int("id"),
    as: oneOf("as", ["html", "json"], "Form of the file").pipe(Flag.withDefault("html")),
    file: Flag.String("file").pipe(Flag.withDescription("Write it into this file"), Flag.optional),
    json: format.json
  },
  ({ as, file, id, json }) =>
    reported(
      Effect.gen(function* () {
        const response = yield* send("GET /changes/:id/report", { params: { id }, query: { format: as } })
        if (!response.ok) return yield* yield* failureOf(response)
        const text = yield* Effect.tryPromise({
          try: () => response.text(),
          catch: (error) => new ServerAway({ message: messageOf(error) })
        })
        const name = Option.getOrElse(file, () => `change-${id}.${as}`)
        yield* saveFile(name, text)
        const sha256 = createHash("sha256").update(text).digest("hex")
        if (json) return yield* printJson({ change: id, file: name, sha256 })
        yield* say(`The report of change ${id} is in ${name}`)
        yield* say(`Verify it at any time: switchyard change verify ${name}`)
      })
    )
).pipe(
  Command.withDescription(
    "Keep the report of a change: who did what, when, why, and what proves it. The audit holds its digest."
  ),
  Command.withExamples([{ command: "switchyard change report 101 --as json", description: "For programs" }])
)

const verify = Command.make("verify", { file: Argument.String("file"), json: format.json }, ({ file, json }) =>
  reported(
    Effect.gen(function* () {
      const bytes = yield* Effect.tryPromise({
        try: () => readFile(file),
        catch: (error) => new Mistyped({ message: `${file} cannot be read: ${messageOf(error)}` })
      })
      const sha256 = createHash("sha256").update(bytes).digest("hex")
      const { answer } = yield* ask("GET /changes/reports/:sha256", { params: { sha256 } })
      const { at, by, change, event_id, problem, sealed } = answer.data.verified_report
      if (json) yield* printJson(answer.data.verified_report)
      else yield* say(`Genuine: the report of change ${change} that ${by} took ${at} UTC (audit entry ${event_id}).`)
      if (problem !== null) return yield* new Refused({ message: `The audit itself was tampered with: ${problem}` })
      if (!json) yield* say(sealed ? "The audit is whole, and seals it." : "The audit seals it within seconds.")
    })
  )
).pipe(Command.withDescription("Verify a kept report: unaltered, and sealed by the audit. Exit code 1 if it is not."))

/** The command. */
export const change = Command.make("change").pipe(
  Command.withDescription("Reports of changes for auditors."),
  Command.withSubcommands([report, verify])
)
