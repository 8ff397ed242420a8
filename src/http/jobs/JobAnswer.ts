/**
 * Answers with job records. The result of a job on a thousand devices is tens of megabytes of JSON. It goes from the database to the client
 * as text, because parsing it here would block all other requests. Equal requests at the same time share one answer. An answer that is too
 * long to be held is written device by device, as fast as the client reads.
 */
import { Effect, Option, Schema, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import type { NotPermitted } from "../../access/Permit.ts"
import type { SettingsUnavailable } from "../../settings/SettingsView.ts"
import { makeVisible } from "../core/Permits.ts"
import { isObject } from "../../domain/fields/Values.ts"
import { functionOf, type Job } from "../../domain/Job.ts"
import { JobStore } from "../../store/JobStore.ts"
import { keyOfWithin } from "../../store/Listing.ts"
import { baseUrlOf } from "../core/Client.ts"
import { first } from "../listing/ListPage.ts"
import type { BadRequest, NotFound } from "../../api/Answers.ts"
import { makeSharedRead } from "../../store/GroupedStatement.ts"
import type { SyncTaskName } from "../../store/DeviceTasks.ts"

// Leaves out parts of sync results (docs/api.md#job-records). Pure.

/** Task names by the name of the part. */
const TASKS: Readonly<Record<string, SyncTaskName>> = { config: "Generate device config", diff: "Sync device config" }

/** The tasks of these parts (`config`, `diff`, separated by commas); other parts are ignored. */
const droppedTasks = (parts: string | undefined): ReadonlyArray<SyncTaskName> => [
  ...new Set(
    (parts ?? "").split(",").flatMap((part) => {
      const name = part.trim()
      return Object.hasOwn(TASKS, name) ? (TASKS[name] ?? []) : []
    })
  )
]

/** Whether a job's result has such tasks. */
const isSync = ({ function_name }: Pick<Job, "function_name">): boolean => function_name.startsWith("sync_devices")

/** The job without these tasks in its result. */
const withoutTasks = (job: Job, dropped: ReadonlyArray<string>): Job => {
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

// The result of an upgrade in both shapes that clients know (docs/jobs.md#device_upgrade): `devices`, and one task list for each hostname
// with `_totals`. Pure.

const withNames = (tasks: unknown): ReadonlyArray<unknown> =>
  Array.isArray(tasks)
    ? tasks.map((task: unknown) => (isObject(task) ? { name: task["task_name"], ...task } : task))
    : []

/** The job with both shapes if it is an upgrade that has started; other jobs unchanged. */
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

// A job record as JSON, whole, or in pieces if it is too long.

/** Tasks that the client leaves out of the results of synchronizations. */
type Dropped = ReadonlyArray<SyncTaskName>

/** The tasks that are left out of this job's result. */
const droppedOf = (job: Job, dropped: Dropped): Dropped => (isSync(job) ? dropped : [])

/** The beginning and end of an answer, around the records. */
const BEGIN = `{"status":"success","data":{"jobs":[`
const END = "]}}"

/** Results that are read at once; some contain configurations of megabytes. */
const AT_ONCE = 20

const readJson = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

const isUpgrade = ({ function_name }: Job): boolean => functionOf(function_name) === "device_upgrade"

/** The record up to its result. */
const opened = (job: Job): string => {
  const { result: _, ...rest } = job
  return `${JSON.stringify(rest).slice(0, -1)},"result":`
}

/** The beginning and end of a result, around the devices; the job's own members follow them. */
const FIRST = `{"devices":{`
const last = ({ result }: Job): string => {
  const own = isObject(result) ? JSON.stringify(result).slice(1, -1) : ""
  return own === "" ? "}}" : `},${own}}`
}

/** The record as JSON; `devices` are the members of the result for devices. */
const record = (job: Job, devices: string | undefined, dropped: Dropped): string => {
  if (devices === undefined) return JSON.stringify(withUpgradeShapes(withoutTasks(job, dropped)))
  const text = `${FIRST}${devices}${last(job)}`
  if (isUpgrade(job)) {
    return JSON.stringify(withUpgradeShapes({ ...job, result: Option.getOrNull(readJson(text)) }))
  }
  return `${opened(job)}${text}}`
}

type Pieces = Stream.Stream<string, SqlError.SqlError>

/** Yields the pieces of an answer with these records; their results contain only the jobs' own members. */
const makeJobPieces = (store: JobStore["Service"]) => {
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

  /** Both shapes of an upgrade need all devices, whose results are small. */
  const ofUpgrade = (job: Job): Pieces =>
    Stream.fromEffect(Effect.map(store.deviceResults([job.id], []), (texts) => record(job, texts.get(job.id), [])))

  const ofJob = (job: Job, hasDevices: boolean, dropped: Dropped): Pieces => {
    if (!hasDevices) return Stream.make(record(job, undefined, dropped))
    return isUpgrade(job) ? ofUpgrade(job) : ofDevices(job, dropped)
  }

  /** `worked` are the ids of jobs with results for devices. */
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

/** Records with the jobs' own results, and the headers of their page. */
interface Records {
  readonly rows: ReadonlyArray<Job>
  readonly headers: Readonly<Record<string, string>>
}

type RecordsError = SqlError.SqlError | BadRequest | NotFound | NotPermitted | SettingsUnavailable

/** The largest answer that is kept in memory as a whole, in bytes of results. */
const WHOLE = 8 * 1024 * 1024

/** An answer: the whole body, or the records from which each request writes its own. */
type JobBody = Pick<Records, "headers"> &
  ({ readonly body: Uint8Array } | (Pick<Records, "rows"> & { readonly worked: ReadonlySet<number> }))

const encoder = new TextEncoder()

/** The part of a request that decides the answer. */
const questionOf = (request: HttpServerRequest.HttpServerRequest): string => `${request.url} ${baseUrlOf(request)}`

/** The answer with these tasks, which contain secrets, in the place of the masked ones. */
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

/** Reads something of each job; tasks are left out of the results of synchronizations only. */
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

/** Answers a request. `records` must yield the same for the same question. */
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

  /** Reads the results, unless they are too long. */
  const held = Effect.fnUntraced(function* (records: Records, dropped: Dropped) {
    const bytes = yield* ofEach(records.rows, dropped, store.textBytes)
    const length = [...bytes.values()].reduce((sum, one) => sum + one, 0)
    if (length > WHOLE) return { ...records, worked: new Set(bytes.keys()) }
    return { headers: records.headers, body: yield* whole(records, dropped) }
  })

  /** One job with the secrets of the devices that `seen` yields; `shown` runs before any secret is sent. */
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
    // callers of other devices get other answers to the same question
    const question = `${questionOf(request)} ${keyOfWithin((yield* visible).within)}`
    const answer = yield* shared(question, Effect.provideContext(reading, context))
    const options = { contentType: "application/json", headers: answer.headers }
    return "body" in answer
      ? HttpServerResponse.uint8Array(answer.body, options)
      : HttpServerResponse.stream(inPieces(answer.rows, answer.worked, dropped), options)
  })
  return { make, reveal }
})
