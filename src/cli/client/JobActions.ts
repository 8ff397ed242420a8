/** `switchyard approve`, `reject`, `pause`, `resume`, `abort` and `retry`: what a person does about a job that exists. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { functionOf } from "../../domain/Job.ts"
import { started } from "./JobCommands.ts"
import { ask, Refused } from "./Server.ts"
import { syncFlags, synchronizeNamed } from "./SyncCommands.ts"
import { format, printJson, reported, say } from "./Terminal.ts"

const job = Argument.Int("job").pipe(Argument.withDescription("Number of a job"))
const verdict = Flag.String("comment").pipe(Flag.withDescription("Why; it is kept with the decision"))
const reason = Flag.String("reason").pipe(Flag.withDescription("Why; others see it with the job"), Flag.optional)
const watching = Flag.Boolean("watch").pipe(
  Flag.withDescription("Follow the job to its end; exit code 1 when it is no success"),
  Flag.withDefault(false)
)

/** The command. */
export const approve = Command.make(
  "approve",
  { job, comment: verdict, watch: watching, json: format.json },
  ({ comment, job, json, watch }) =>
    reported(
      Effect.gen(function* () {
        yield* ask("POST /job/:id/approve", { params: { id: job }, body: { comment } })
        yield* started(job, "Approved", { json, watch })
      })
    )
).pipe(Command.withDescription("Approve a job of another person that waits for an approval."))

/** The command. */
export const reject = Command.make("reject", { job, comment: verdict, json: format.json }, ({ comment, job, json }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("POST /job/:id/reject", { params: { id: job }, body: { comment } })
      yield* json ? printJson(answer.data.jobs[0]) : say(`Rejected: job ${job}`)
    })
  )
).pipe(Command.withDescription("Reject a job that waits for an approval."))

interface Action {
  readonly job: number
  readonly json: boolean
  readonly body: Readonly<Record<string, string>>
  /** What happens now. */
  readonly sentence: string
}

const act = ({ body, job, json, sentence }: Action) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("PUT /job/:id", { params: { id: job }, body })
      yield* json ? printJson(answer.data.jobs[0]) : say(sentence)
    })
  )

const why = <Key extends string>(key: Key, reason: Option.Option<string>): Readonly<Record<string, string>> =>
  Option.match(reason, { onNone: () => ({}), onSome: (text) => ({ [key]: text }) })

/** The command. */
export const pause = Command.make("pause", { job, reason, json: format.json }, ({ job, json, reason }) =>
  act({
    job,
    json,
    body: { action: "PAUSE", ...why("pause_reason", reason) },
    sentence: `Job ${job} pauses: it finishes the switches that it has begun, and begins no further one. Continue it: switchyard resume ${job}`
  })
).pipe(Command.withDescription("Pause a synchronization: it begins no further switch until it is resumed."))

/** The command. */
export const resume = Command.make("resume", { job, json: format.json }, ({ job, json }) =>
  act({
    job,
    json,
    body: { action: "RESUME" },
    sentence: `Job ${job} continues with the switches that it has not begun`
  })
).pipe(Command.withDescription("Resume a synchronization that is paused."))

/** The command. */
export const abort = Command.make("abort", { job, reason, json: format.json }, ({ job, json, reason }) =>
  act({
    job,
    json,
    body: { action: "ABORT", ...why("abort_reason", reason) },
    sentence: `Job ${job} is being aborted`
  })
).pipe(Command.withDescription("Abort a job; what is under way on a switch is brought to its end."))

/** The devices that failed in a synchronization that has ended, and whether it was a dry run. */
const failedIn = Effect.fnUntraced(function* (id: number) {
  const { answer } = yield* ask("GET /job/:id", { params: { id }, query: { filter_jobresult: "config,diff" } })
  const [found] = answer.data.jobs
  if (found === undefined) return yield* new Refused({ message: `No job with id ${id} found` })
  const kind = functionOf(found.function_name)
  if (kind !== "sync_devices")
    return yield* new Refused({ message: `Job ${id} is no synchronization (${kind}), so it cannot be tried again` })
  if (found.finish_time === null)
    return yield* new Refused({ message: `Job ${id} has not ended. Follow it: switchyard job ${id} --watch` })
  const progress = yield* ask("GET /job/:id/progress", { params: { id } })
  return {
    names: progress.answer.data.devices.filter(({ failed }) => failed === true).map(({ hostname }) => hostname),
    wasDryRun: kind !== found.function_name
  }
})

/** The command. */
export const retry = Command.make("retry", { job, ...syncFlags }, ({ job, ...asked }) =>
  reported(
    Effect.gen(function* () {
      const { names, wasDryRun } = yield* failedIn(job)
      yield* synchronizeNamed(
        names,
        { ...asked, dryRun: asked.dryRun || wasDryRun },
        `No device of job ${job} has failed.`
      )
    })
  )
).pipe(
  Command.withDescription(
    "Synchronize the devices again that failed in a job. Shows first what would change, and asks; a dry run stays one."
  )
)
