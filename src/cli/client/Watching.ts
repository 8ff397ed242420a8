/** Follows a job to its end, tells what failed in the switches' own words, and fails when the job is no success. */
import { Console, Effect, Option, Schema } from "effect"
import type { Data } from "../../api/Calls.ts"
import { harmless, isTerminal } from "./Output.ts"
import { ask, exitCodes, Refused } from "./Server.ts"

export type JobRecord = Data<"GET /job/:id">["jobs"][number]

const PAUSE = "500 millis"
const BAR = 30

const read = Effect.fnUntraced(function* (id: number) {
  const { answer } = yield* ask("GET /job/:id", { params: { id }, query: { filter_jobresult: "config,diff" } })
  const [job] = answer.data.jobs
  return job === undefined ? yield* new Refused({ message: `No job with id ${id} found` }) : job
})

const barOf = (done: number, all: number): string => {
  const full = all === 0 ? 0 : Math.round((done / all) * BAR)
  return `[${"#".repeat(full)}${"-".repeat(BAR - full)}] ${done} of ${all}`
}

/** How a job stands, in a line. */
export const standingOf = ({ counts, outcome, status, waiting_for }: JobRecord): string => {
  const done = counts === null || counts.devices === 0 ? "" : `, ${counts.succeeded} of ${counts.devices} devices done`
  return waiting_for === null || outcome !== null ? `${outcome ?? status}${done}` : waiting_for.message
}

const Remarked = Schema.Struct({ remarks: Schema.Array(Schema.String) })
const readRemarks = Schema.decodeUnknownOption(Remarked)

/** What a job as a whole has to say beside its devices. */
const remarksIn = (result: unknown): ReadonlyArray<string> =>
  Option.match(readRemarks(result), { onNone: () => [], onSome: ({ remarks }) => remarks })

const failures = Effect.fnUntraced(function* (id: number) {
  const { answer } = yield* ask("GET /job/:id/progress", { params: { id } })
  const failed = answer.data.devices.filter((device) => device.failed === true || device.phase === "unknown")
  for (const { hostname, said, step, why } of failed) {
    yield* Console.error(
      `${hostname} failed${step === null ? "" : ` at ${step}`}: ${harmless(why ?? "its state is unknown")}`
    )
    if (said === null || said.trim() === why) continue
    for (const line of said.trimEnd().split("\n")) yield* Console.error(`    ${harmless(line)}`)
  }
})

const told = Effect.fnUntraced(function* (job: JobRecord, before: string) {
  const { answer } = yield* ask("GET /job/:id/progress", { params: { id: job.id } })
  const { devices } = answer.data
  const done = devices.filter(({ failed }) => failed !== null).length
  const line = devices.length === 0 ? harmless(standingOf(job)) : barOf(done, devices.length)
  if (isTerminal(process.stderr)) process.stderr.write(`\r\u001b[2K${line}`)
  else if (line !== before) yield* Console.error(harmless(`job ${job.id}: ${line}`))
  return line
})

/** Follows a job, and the one that it goes on as. Fails when one of them is no success; the job goes on when the command is stopped. */
export const watch: (id: number) => Effect.Effect<JobRecord, Refused | Effect.Error<ReturnType<typeof ask>>> = (id) =>
  Effect.gen(function* () {
    let job = yield* read(id)
    let line = ""
    while (job.finish_time === null) {
      line = yield* told(job, line)
      yield* Effect.sleep(PAUSE)
      job = yield* read(id)
    }
    if (isTerminal(process.stderr)) process.stderr.write("\r\u001b[2K")
    yield* Console.error(harmless(`job ${id}: ${standingOf(job)}`))
    for (const remark of remarksIn(job.result)) yield* Console.error(harmless(remark))
    if (job.outcome !== "success") {
      yield* failures(id)
      const why = job.exception?.message ?? job.abort_reason
      return yield* new Refused({ message: `Job ${id} ended ${job.outcome ?? job.status}${why ? `: ${why}` : ""}` })
    }
    return job.next_job_id === null ? job : yield* watch(job.next_job_id)
  }).pipe(
    Effect.onInterrupt(() => {
      process.exitCode = exitCodes.notFollowed
      return Console.error(`\nJob ${id} goes on. Follow it: switchyard job ${id} --watch`)
    })
  )
