/**
 * Answers with job records. What a job did on a thousand devices is tens of megabytes of JSON, so it goes from the database
 * to the client as text: to read and write it here would keep everybody else waiting. Those who ask the same at the same time,
 * as pages that show the newest jobs do, share one answer to the last byte. An answer that is too long to be held as a whole is
 * written device by device, as fast as each of them reads it.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import type { BadRequest, NotFound } from "../../api/Answers.ts"
import type { NotPermitted } from "../../access/Permit.ts"
import type { SettingsUnavailable } from "../../settings/SettingsView.ts"
import { isObject } from "../../domain/fields/Values.ts"
import { functionOf, type Job } from "../../domain/Job.ts"
import { JobStore } from "../../store/JobStore.ts"
import { keyOfWithin } from "../../store/Listing.ts"
import { baseUrlOf } from "../core/Client.ts"
import { makeVisible } from "../core/Permits.ts"
import { first } from "../listing/ListPage.ts"
import { makeSharedRead } from "../../store/GroupedStatement.ts"
import type { SyncTaskName } from "../../store/JobResults.ts"

// A job record as the JSON that clients are given, whole when its result is at hand, and piece by piece when that is too long to be held.

/** Tasks that a client does not want to see in the results of synchronizations. */
export type Dropped = ReadonlyArray<SyncTaskName>

/** Those that are left out of the result of this job. */
const droppedOf = (job: Job, dropped: Dropped): Dropped => (isSync(job) ? dropped : [])

/** Around the records of an answer, which are separated by commas. */
export const BEGIN = `{"status":"success","data":{"jobs":[`
export const END = "]}}"

/** Devices whose results are read at once: some of them may have configurations of megabytes. */
const AT_ONCE = 20

const readJson = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

const isUpgrade = ({ function_name }: Job): boolean => functionOf(function_name) === "device_upgrade"

/** The record as far as its result, which is `result` then. */
const opened = (job: Job): string => {
  const { result: _, ...rest } = job
  return `${JSON.stringify(rest).slice(0, -1)},"result":`
}

/** Around the members of a result that are devices: what the job itself has added to it follows them. */
const FIRST = `{"devices":{`
const last = ({ result }: Job): string => {
  const own = isObject(result) ? JSON.stringify(result).slice(1, -1) : ""
  return own === "" ? "}}" : `},${own}}`
}

/** The record as JSON; `devices` are the members of a result of a job that worked on devices. */
export const record = (job: Job, devices: string | undefined, dropped: Dropped): string => {
  if (devices === undefined) return JSON.stringify(withUpgradeShapes(withoutTasks(job, dropped)))
  const text = `${FIRST}${devices}${last(job)}`
  if (isUpgrade(job)) {
    return JSON.stringify(withUpgradeShapes({ ...job, result: Option.getOrNull(readJson(text)) }))
  }
  return `${opened(job)}${text}}`
}

type Pieces = Stream.Stream<string, SqlError.SqlError>

/** Makes the pieces of an answer with these records, whose result is only what the jobs themselves have stored. */
export const makeJobPieces = (store: JobStore["Service"]) => {
  const members = ({ id }: Job, dropped: Dropped): Pieces =>
    Stream.paginate({ after: "", comma: "" }, ({ after, comma }) =>
      Effect.map(store.resultsAfter(id, after, AT_ONCE, dropped), (rows) => {
        const end = rows.at(-1)
        const text = end === undefined ? "" : `${comma}${rows.map((row) => row.text).join(",")}`
        const next = rows.length < AT_ONCE || end === undefined ? undefined : { after: end.hostname, comma: "," }
        return [[text], Option.fromUndefinedOr(next)] as const
      })
    )

  const ofDevices = (job: Job, dropped: Dropped): Pieces =>
    Stream.make(`${opened(job)}${FIRST}`).pipe(
      Stream.concat(members(job, dropped)),
      Stream.concat(Stream.make(`${last(job)}}`))
    )

  /** The shapes of an upgrade are made of all its devices, which have no configurations. */
  const ofUpgrade = (job: Job): Pieces =>
    Stream.fromEffect(Effect.map(store.deviceResults([job.id], []), (texts) => record(job, texts.get(job.id), [])))

  const ofJob = (job: Job, hasDevices: boolean, dropped: Dropped): Pieces => {
    if (!hasDevices) return Stream.make(record(job, undefined, dropped))
    return isUpgrade(job) ? ofUpgrade(job) : ofDevices(job, dropped)
  }

  /** `worked` are the ids of those that worked on devices. */
  return (
    jobs: ReadonlyArray<Job>,
    worked: ReadonlySet<number>,
    dropped: Dropped
  ): Stream.Stream<Uint8Array, SqlError.SqlError> => {
    const records = Stream.fromIterable(jobs.map((job, place) => ({ job, comma: place === 0 ? "" : "," }))).pipe(
      Stream.flatMap(({ comma, job }) =>
        Stream.concat(Stream.make(comma), ofJob(job, worked.has(job.id), droppedOf(job, dropped)))
      )
    )
    return Stream.make(BEGIN).pipe(Stream.concat(records), Stream.concat(Stream.make(END)), Stream.encodeText)
  }
}

// Leaves parts of sync results out, for clients that only look at the rest (docs/api.md#job-records). Pure.

/** Task names by the part that a client names. */
const TASKS: Readonly<Record<string, SyncTaskName>> = { config: "Generate device config", diff: "Sync device config" }

/** The tasks of these parts (`config`, `diff`, separated by commas); other parts are ignored. */
export const droppedTasks = (parts: string | undefined): ReadonlyArray<SyncTaskName> => [
  ...new Set(
    (parts ?? "").split(",").flatMap((part) => {
      const name = part.trim()
      return Object.hasOwn(TASKS, name) ? (TASKS[name] ?? []) : []
    })
  )
]

/** True for jobs whose results have such tasks. */
export const isSync = ({ function_name }: Pick<Job, "function_name">): boolean =>
  function_name.startsWith("sync_devices")

/** The job without these tasks in its result. */
export const withoutTasks = (job: Job, dropped: ReadonlyArray<string>): Job => {
  const { result } = job
  if (dropped.length === 0 || !isSync(job) || !isObject(result)) return job
  const { devices } = result
  if (!isObject(devices)) return job
  const filtered = Object.entries(devices).map(([hostname, device]) => {
    if (!isObject(device) || !Array.isArray(device["job_tasks"])) return [hostname, device]
    const job_tasks = device["job_tasks"].filter(
      (task: unknown) =>
        !isObject(task) || typeof task["task_name"] !== "string" || !dropped.includes(task["task_name"])
    )
    return [hostname, { ...device, job_tasks }]
  })
  return { ...job, result: { ...result, devices: Object.fromEntries(filtered) } }
}

/** Records, which have only their own part of the result, with the headers of their page. */
interface Records {
  readonly rows: ReadonlyArray<Job>
  readonly headers: Readonly<Record<string, string>>
}

type RecordsError = SqlError.SqlError | BadRequest | NotFound | NotPermitted | SettingsUnavailable

/** The most bytes of results in an answer that is held as a whole. */
const WHOLE = 8 * 1024 * 1024

/** The answer to a question: as a whole, or the records of which each who asks has it written. */
type JobBody = Pick<Records, "headers"> &
  ({ readonly body: Uint8Array } | (Pick<Records, "rows"> & { readonly worked: ReadonlySet<number> }))

const encoder = new TextEncoder()

/** What of a request may matter for the answer. */
const questionOf = (request: HttpServerRequest.HttpServerRequest): string => `${request.url} ${baseUrlOf(request)}`

/** The answer with the tasks of these devices in the place of those that have no secrets. */
const revealed = (text: string, sealed: ReadonlyMap<string, unknown>): string =>
  JSON.stringify(JSON.parse(text), (key, value: unknown) => {
    if (key !== "devices" || !isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([hostname, device]) => {
        const job_tasks = sealed.get(hostname)
        return [hostname, isObject(device) && job_tasks !== undefined ? { ...device, job_tasks } : device]
      })
    )
  })

/** Something of each of these jobs by its id; tasks are left out of the results of synchronizations alone. */
const ofEach = <A>(
  jobs: ReadonlyArray<Job>,
  dropped: Dropped,
  read: (ids: ReadonlyArray<number>, without: Dropped) => Effect.Effect<ReadonlyMap<number, A>, SqlError.SqlError>
) => {
  const part = (of: ReadonlyArray<Job>, without: Dropped) =>
    of.length === 0
      ? Effect.succeed(new Map<number, A>())
      : read(
          of.map(({ id }) => id),
          without
        )
  const parts = [
    part(jobs.filter(isSync), dropped),
    part(
      jobs.filter((job) => !isSync(job)),
      []
    )
  ]
  return Effect.map(Effect.all(parts), (found) => new Map(found.flatMap((one) => [...one])))
}

/** Makes the answer to a request whose records are read by `records`, which has to be the same for the same question. */
export const makeJobAnswer = Effect.gen(function* () {
  const store = yield* JobStore
  const shared = makeSharedRead<JobBody, RecordsError>()
  const visible = yield* makeVisible
  const inPieces = makeJobPieces(store)

  const whole = Effect.fnUntraced(function* ({ rows: jobs }: Records, dropped: Dropped) {
    const texts = yield* ofEach(jobs, dropped, store.deviceResults)
    const records = jobs.map((job) => record(job, texts.get(job.id), dropped))
    return encoder.encode(`${BEGIN}${records.join(",")}${END}`)
  })

  /** Records whose results are too long stay what they are. */
  const held = Effect.fnUntraced(function* (records: Records, dropped: Dropped) {
    const bytes = yield* ofEach(records.rows, dropped, store.textBytes)
    const length = [...bytes.values()].reduce((sum, one) => sum + one, 0)
    if (length > WHOLE) return { ...records, worked: new Set(bytes.keys()) }
    return { headers: records.headers, body: yield* whole(records, dropped) }
  })

  /** One job with the secrets in its results of those devices whose secrets are `seen`; `shown` is done before there are any. */
  const reveal = Effect.fn("JobAnswer.reveal")(function* (
    job: Job,
    seen: (hostnames: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, SqlError.SqlError>,
    shown: Effect.Effect<void, SqlError.SqlError>
  ) {
    const body = yield* whole({ rows: [job], headers: {} }, [])
    const all = yield* store.sealedTasks(job.id)
    const hostnames = yield* seen([...all.keys()])
    const sealed = new Map([...all].filter(([hostname]) => hostnames.has(hostname)))
    if (sealed.size > 0) yield* shown
    return HttpServerResponse.uint8Array(encoder.encode(revealed(new TextDecoder().decode(body), sealed)), {
      contentType: "application/json"
    })
  })

  const make = Effect.fn("JobAnswer.make")(function* <R>(
    request: HttpServerRequest.HttpServerRequest,
    records: Effect.Effect<Records, RecordsError, R>
  ) {
    const dropped = droppedTasks(first(yield* HttpServerRequest.ParsedSearchParams, "filter_jobresult"))
    const reading = Effect.flatMap(records, (found) => held(found, dropped))
    const context = yield* Effect.context<R>()
    // callers with other limits get other answers to the same question
    const question = `${questionOf(request)} ${keyOfWithin((yield* visible).within)}`
    const answer = yield* shared(question, Effect.provideContext(reading, context))
    const options = { contentType: "application/json", headers: answer.headers }
    return "body" in answer
      ? HttpServerResponse.uint8Array(answer.body, options)
      : HttpServerResponse.stream(inPieces(answer.rows, answer.worked, dropped), options)
  })
  return { make, reveal }
})

// The result of an upgrade job as its clients read it (docs/jobs.md#device_upgrade): the `devices` shape, and beside it one
// task list per hostname and `_totals`. Pure.

const withNames = (tasks: unknown): ReadonlyArray<unknown> =>
  Array.isArray(tasks)
    ? tasks.map((task: unknown) => (isObject(task) ? { name: task["task_name"], ...task } : task))
    : []

/** The job with both shapes when it is an upgrade that has begun; other jobs as they are. */
export const withUpgradeShapes = (job: Job): Job => {
  const { result, start_time, status } = job
  const isEnded = status === "EXCEPTION" || status === "FINISHED" || (status === "ABORTED" && start_time !== null)
  if (functionOf(job.function_name) !== "device_upgrade" || (result === null && !isEnded)) return job
  if (isObject(result) && !isObject(result["devices"])) return job
  const stored = isObject(result) && isObject(result["devices"]) ? Object.entries(result["devices"]) : []
  const devices = stored.map(([hostname, device]) => {
    const failed = isObject(device) && device["failed"] === true
    return [hostname, { failed, job_tasks: withNames(isObject(device) ? device["job_tasks"] : []) }] as const
  })
  const lists = devices.map(([hostname, { job_tasks }]) => [hostname, job_tasks] as const)
  return {
    ...job,
    result: {
      ...Object.fromEntries(lists),
      devices: Object.fromEntries(devices),
      _totals: { selected_devices: devices.length }
    }
  }
}
