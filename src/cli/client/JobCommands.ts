/** `switchyard jobs`, `job` and `events`: past jobs, and live events. */
import { inSentence, textOf } from "../../domain/words/Word.ts"
import { commitText } from "../../domain/words/ServerWords.ts"
import { jobTitle, jobWord, outcomeWords } from "../../domain/words/JobWords.ts"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import {
  type Column,
  format,
  harmless,
  isTerminal,
  oneOf,
  printJson,
  printOne,
  printRows,
  reported,
  Said,
  say,
  showInPlace
} from "./Terminal.ts"
import { ask, askAll, exitCodes, failureOf, Refused, requireKnown, send, ServerAway, serverUrl } from "./Server.ts"
import type { Data } from "../../api/Calls.ts"
import { jobOutcomes, reallyFailed } from "../../domain/Job.ts"
import { switches } from "../../domain/words/Units.ts"
import { printChecks } from "./CheckResults.ts"
import { eventKinds, parseMessages } from "../../domain/events/Event.ts"

// Follows a job to its end, prints failures in the switches' own words, and fails if the job is no success.

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

/** The state of a job, in a line. */
export const standingOf = (job: JobRecord): string => {
  const { counts, outcome, waiting_for } = job
  const done = counts === null || counts.devices === 0 ? "" : `, ${counts.succeeded} of ${counts.devices} done`
  return waiting_for === null || outcome !== null ? `${jobWord(job).text}${done}` : waiting_for.message
}

const Remarked = Schema.Struct({ remarks: Schema.Array(Schema.String) })
const readRemarks = Schema.decodeUnknownOption(Remarked)

/** The remarks of a job as a whole, in addition to those of its devices. */
const remarksIn = (result: unknown): ReadonlyArray<string> =>
  Option.match(readRemarks(result), { onNone: () => [], onSome: ({ remarks }) => remarks })

/** `21 switches were not begun: nothing happened to them.`; null when all were. */
const notBegunSentence = (count: number): string | null =>
  count === 0
    ? null
    : `${switches(count)} ${count === 1 ? "was" : "were"} not begun: nothing happened to ${count === 1 ? "it" : "them"}.`

const failures = Effect.fnUntraced(function* (id: number) {
  const { answer } = yield* ask("GET /job/:id/progress", { params: { id } })
  const begun = answer.data.devices.filter(({ not_begun }) => !not_begun)
  const failed = begun.filter((device) => device.failed === true || device.phase === "unknown")
  const rest = notBegunSentence(answer.data.totals.not_begun)
  if (rest !== null) yield* Console.error(rest)
  for (const { hostname, said, step, why } of failed) {
    yield* Console.error(
      `${hostname} failed${step === null ? "" : ` at ${step}`}: ${harmless(why ?? "its state is unknown")}`
    )
    if (said === null || said.trim() === why) continue
    for (const line of said.trimEnd().split("\n")) yield* Console.error(`    ${harmless(line)}`)
  }
})

const printStanding = Effect.fnUntraced(function* (job: JobRecord, before: string) {
  const { answer } = yield* ask("GET /job/:id/progress", { params: { id: job.id } })
  const { devices } = answer.data
  const done = devices.filter(({ failed }) => failed !== null).length
  const isSeen = isTerminal(process.stderr)
  const progress = isSeen ? barOf(done, devices.length) : `${done} of ${devices.length} done`
  const line = devices.length === 0 ? harmless(standingOf(job)) : progress
  if (isSeen) showInPlace(line)
  else if (line !== before) yield* Console.error(harmless(`job ${job.id}: ${line}`))
  return line
})

/** Follows a job to its end, and prints its remarks and the devices that failed. The job continues when the command is stopped. */
export const follow = (id: number) =>
  Effect.gen(function* () {
    let job = yield* read(id)
    let line = ""
    while (job.finish_time === null) {
      line = yield* printStanding(job, line)
      yield* Effect.sleep(PAUSE)
      job = yield* read(id)
    }
    if (isTerminal(process.stderr)) showInPlace("")
    yield* Console.error(harmless(`job ${id}: ${standingOf(job)}`))
    for (const remark of remarksIn(job.result)) yield* Console.error(harmless(remark))
    if (job.outcome !== "success") yield* failures(id)
    return job
  }).pipe(
    Effect.onInterrupt(() => {
      process.exitCode = exitCodes.notFollowed
      return Console.error(`\nJob ${id} continues. Follow it: switchyard job ${id} --watch`)
    })
  )

/** A job that was no success, as an error. */
export const unsuccessful = (job: JobRecord): Refused => {
  const { abort_reason, exception, id } = job
  const why = exception?.message ?? abort_reason
  return new Refused({ message: `Job ${id} ${inSentence(jobWord(job).text)}${why ? `: ${why}` : ""}` })
}

/** Follows a job and its follow-up job. Fails if one of them is no success. */
export const watch: (id: number) => Effect.Effect<JobRecord, Refused | Effect.Error<ReturnType<typeof ask>>> =
  Effect.fnUntraced(function* (id) {
    const job = yield* follow(id)
    if (job.outcome !== "success") return yield* unsuccessful(job)
    return job.next_job_id === null ? job : yield* watch(job.next_job_id)
  })

/** How a command that starts a job goes on. */
export interface Following {
  readonly json: boolean
  readonly watch: boolean
}

/** Prints which job was started, and follows it if requested. `record`: more about it, for programs. */
export const started = Effect.fnUntraced(function* (
  id: number,
  sentence: string,
  wanted: Following,
  record: Readonly<Record<string, number>> = {}
) {
  yield* wanted.json ? printJson({ job_id: id, ...record }, 0) : say(`${sentence}: job ${id}`)
  if (wanted.watch) yield* watch(id)
})

const COLUMNS: ReadonlyArray<Column<JobRecord>> = [
  ["job", ({ id }) => id],
  ["what", ({ function_name }) => new Said(function_name, jobTitle(function_name))],
  ["outcome", (job) => new Said(job.outcome ?? job.status, standingOf(job))],
  ["failed", ({ counts }) => (counts === null ? 0 : reallyFailed(counts))],
  ["by", ({ scheduled_by }) => scheduled_by],
  ["ticket", ({ ticket_ref }) => ticket_ref],
  ["comment", ({ comment }) => comment],
  ["began", ({ start_time }) => start_time],
  ["ended", ({ finish_time }) => finish_time]
]

/** The commits that one job worked on, with their signers. */
const COMMITS: ReadonlyArray<Column<JobRecord>> = [
  ["settings", ({ settings_commit, settings_signature }) => commitText(settings_commit, settings_signature)],
  ["templates", ({ templates_commit, templates_signature }) => commitText(templates_commit, templates_signature)]
]

const most = Flag.Int("limit").pipe(Flag.withDescription("How many of the newest"), Flag.withDefault(20))
const outcome = oneOf("outcome", jobOutcomes, "Only jobs that ended so").pipe(Flag.optional)

/** The command. */
export const jobs = Command.make("jobs", { most, outcome, ...format }, ({ csv, json, most, outcome }) =>
  reported(
    Effect.gen(function* () {
      const query = { sort: "-id", filter_jobresult: "config,diff", "filter[outcome]": Option.getOrUndefined(outcome) }
      const rows = yield* askAll("GET /jobs", { query }, ({ data }) => data.jobs, most)
      yield* printRows(
        { csv, json },
        COLUMNS,
        rows,
        Option.isSome(outcome) ? `No job ended so: ${inSentence(textOf(outcomeWords, outcome.value))}` : "No jobs yet."
      )
    })
  )
).pipe(Command.withDescription("List jobs, the newest first."))

const watching = Flag.Boolean("watch").pipe(
  Flag.withDescription("Follow it to its end; exit code 1 when it is no success"),
  Flag.withDefault(false)
)

/** The command. */
export const job = Command.make(
  "job",
  { id: Argument.Int("job"), watching, json: format.json },
  ({ id, json, watching }) =>
    reported(
      Effect.gen(function* () {
        if (watching) yield* watch(id)
        const { answer } = yield* ask("GET /job/:id", { params: { id }, query: { filter_jobresult: "config,diff" } })
        for (const found of answer.data.jobs) yield* printOne({ json }, found, [...COLUMNS, ...COMMITS])
        if (json) return
        const progress = yield* ask("GET /job/:id/progress", { params: { id } })
        const { devices, totals, undone_by } = progress.answer.data
        for (const { failed, hostname, not_begun, why } of devices)
          if (failed === true && !not_begun) yield* say(`failed    ${hostname}: ${why ?? ""}`)
        const rest = notBegunSentence(totals.not_begun)
        if (rest !== null) yield* say(rest)
        if (undone_by.length > 0) yield* say(`Undone by job ${undone_by.join(", ")}.`)
        yield* printChecks(id)
      })
    )
).pipe(Command.withDescription("Show a job, and which devices have failed."))

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

interface Shown {
  readonly at?: unknown
  readonly kind?: unknown
  readonly action?: unknown
  readonly actor?: unknown
  readonly hostname?: unknown
  readonly job_id?: unknown
  readonly text?: unknown
}

const lineOf = ({ action, actor, at, hostname, job_id, kind, text }: Shown): string =>
  [
    at,
    kind,
    action,
    hostname,
    job_id === null || job_id === undefined ? undefined : `job ${String(job_id)}`,
    actor,
    text
  ]
    .filter((part) => part !== undefined && part !== null)
    .map(String)
    .join("  ")

const isShown = (value: unknown): value is Shown => typeof value === "object" && value !== null

const printed = (json: boolean, event: unknown) =>
  json ? printJson(event, 0) : isShown(event) ? say(lineOf(event)) : Effect.void

/** Follows one stream to its end; yields the number to continue from. */
const followOnce = Effect.fnUntraced(function* (
  query: Readonly<Record<string, string | undefined>>,
  json: boolean,
  since: string | undefined
) {
  const headers = { accept: "text/event-stream", ...(since === undefined ? {} : { "last-event-id": since }) }
  const response = yield* send("GET /events", { query, headers }, true)
  if (!response.ok || response.body === null) return yield* yield* failureOf(response)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let position = since
  let rest = ""
  for (;;) {
    const { done, value = "" } = yield* Effect.catch(
      Effect.tryPromise(() => reader.read()),
      () => Effect.succeed({ done: true as const, value: undefined })
    )
    if (done) return position
    const parsed = parseMessages(rest + value)
    rest = parsed.rest
    for (const { data, event, id } of parsed.messages) {
      position = id ?? position
      if (data !== "" && event !== "end") yield* printed(json, JSON.parse(data))
    }
  }
})

/** The command. */
export const events = Command.make(
  "events",
  {
    follow: Flag.Boolean("follow").pipe(
      Flag.withDescription("Continue with new events; resumes after a lost connection"),
      Flag.withDefault(false)
    ),
    kind: text("kind", "Only these kinds, with commas between"),
    device: text("device", "Only of this device"),
    group: text("group", "Only of this group"),
    job: text("job", "Only of this job"),
    since: text("since", "After this number"),
    json: format.json
  },
  ({ device, follow, group, job, json, kind, since }) =>
    reported(
      Effect.gen(function* () {
        const kinds = Option.isSome(kind) ? kind.value.split(",") : []
        yield* requireKnown(kinds, [...eventKinds], "no event is of this kind")
        const query = {
          kind: Option.getOrUndefined(kind),
          device: Option.getOrUndefined(device),
          group: Option.getOrUndefined(group),
          job: Option.getOrUndefined(job)
        }
        if (!follow) {
          const { answer } = yield* ask("GET /events", {
            query: { ...query, since: Option.getOrUndefined(since), limit: 1000 }
          })
          const found = answer.data.events
          for (const event of found) yield* printed(json, event)
          if (found.length === 0 && !json) yield* Console.error("No event matches.")
          return
        }
        // a user who stops it has seen enough
        process.exitCode = 0
        let position = Option.getOrUndefined(since)
        for (;;) {
          // said once for each stream, not for each try while the server is away
          const cut = Effect.tap(followOnce(query, json, position), (last) =>
            Console.error(`The stream of ${serverUrl()} was cut; it continues after ${last ?? "now"}`)
          )
          position = yield* Effect.catchTag(cut, "ServerAway", ({ message }) =>
            position === undefined ? Effect.fail(new ServerAway({ message })) : Effect.succeed(position)
          )
          yield* Effect.sleep("1 second")
        }
      })
    )
).pipe(Command.withDescription("Print events: those after a number, or what happens from now on (--follow)."))
