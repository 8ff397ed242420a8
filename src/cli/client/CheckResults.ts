/** `switchyard checks`, and the checks of a job: a sentence for each, then a table of what did not hold (docs/checks.md). */
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import type { Data } from "../../api/Calls.ts"
import { heldWord, tryWords } from "../../domain/words/CheckWords.ts"
import { counted, switches } from "../../domain/words/Units.ts"
import { ask, Refused } from "./Server.ts"
import { type Column, format, printRows, reported, Said, said, say } from "./Terminal.ts"

type InForce = Data<"GET /checks">["checks"][number]

const placeOf = ({ file, line, set }: InForce): string =>
  set !== null ? `set ${set}` : `${file ?? ""}${line === null ? "" : `:${line}`}`

const IN_FORCE: ReadonlyArray<Column<InForce>> = [
  ["check", ({ name }) => name],
  ["for", ({ devices }) => switches(devices.length)],
  ["what", ({ description, sentence }) => description ?? sentence],
  ["where", placeOf],
  ["branch", ({ branch }) => branch]
]

type Tried = Data<"GET /device/:hostname/checks">["checks"][number]

const TRIED: ReadonlyArray<Column<Tried>> = [
  ["check", ({ name }) => name],
  ["device", ({ on }) => on ?? "itself"],
  ["standing", ({ end }) => said(tryWords, end)],
  ["now", ({ now }) => now],
  ["why", ({ why }) => why]
]

const tryNow = Command.make(
  "try",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of a device")), ...format },
  ({ csv, json, name }) =>
    reported(
      Effect.gen(function* () {
        const { answer } = yield* ask("GET /device/:hostname/checks", { params: { hostname: name } })
        const found = answer.data.checks
        yield* printRows({ csv, json }, TRIED, found, `No check is for ${name}.`)
        const bad = found
          .filter(({ end }) => end === "fails" || end === "unread")
          .map(({ name: check, on }) => (on === undefined ? check : `${check} on ${on}`))
        if (bad.length > 0) {
          return yield* new Refused({
            message: `${counted(bad.length, "check does", "checks do")} not hold: ${bad.join(", ")}.`
          })
        }
      })
    )
).pipe(
  Command.withDescription("Read what the checks of a device read, and say what each finds now; nothing is changed."),
  Command.withExamples([{ command: "switchyard checks try lhv-acc1", description: "What the checks of a switch say" }])
)

/** The command. */
export const checks = Command.make("checks", format, ({ csv, json }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /checks")
      yield* printRows({ csv, json }, IN_FORCE, answer.data.checks, "No checks: the templates have none in checks.yml.")
    })
  )
).pipe(
  Command.withDescription("List the checks of changes, and for how many devices each is."),
  Command.withSubcommands([tryNow])
)

type JobChecks = Data<"GET /job/:id/checks">
type Result = JobChecks["checks"][number]["results"][number]

const OPEN: ReadonlyArray<Column<Result>> = [
  ["device", ({ hostname, on }) => (on === undefined ? hostname : `${hostname} (on ${on})`)],
  ["check", ({ name }) => name],
  ["standing", (result) => new Said(String(result.held), heldWord(result).text)],
  ["before", ({ before }) => before],
  ["now", ({ now, sentence }) => now ?? sentence]
]

/** The checks of a job; none for a role that may not see them, which has seen the job all the same. */
const checksOf = (id: number) =>
  Effect.map(Effect.option(ask("GET /job/:id/checks", { params: { id } })), (asked) =>
    Option.match(asked, {
      onNone: (): JobChecks => ({ checks: [], skipped: null }),
      onSome: ({ answer }): JobChecks => answer.data
    })
  )

/** The checks of a job as sentences: why they are left out, or what happened to each or would. */
const sentencesOf = ({ checks: found, skipped }: JobChecks): ReadonlyArray<string> => [
  ...(skipped === null ? [] : [`Checks are left out, as ${skipped.by ?? "the server"} wanted: ${skipped.reason}`]),
  ...found.map(({ name, rule, sentence }) => `Check ${name} ${sentence}${rule === null ? "" : `: it ${rule}`}.`)
]

/** A live job that waits for approval, and the dry run that it repeats; null without one. */
interface Asked {
  readonly job_id: number
  readonly dry_run_job: number | null
}

/** Prints the checks that a job would make once it is approved, each with the number of the job. */
export const printChecksAhead = Effect.fnUntraced(function* ({ dry_run_job, job_id }: Asked) {
  const own = yield* checksOf(job_id)
  const planned = dry_run_job === null || own.skipped !== null ? [] : (yield* checksOf(dry_run_job)).checks
  for (const sentence of sentencesOf({ ...own, checks: planned })) yield* say(`Job ${job_id}: ${sentence}`)
})

/** Prints the checks of a job; nothing if it has none. */
export const printChecks = Effect.fnUntraced(function* (id: number) {
  const own = yield* checksOf(id)
  const { checks: found } = own
  for (const sentence of sentencesOf(own)) yield* say(sentence)
  const open = found.flatMap(({ results }) => results.filter(({ held }) => held !== true))
  if (open.length > 0) yield* printRows({ csv: false, json: false }, OPEN, open, "")
})
