/** A job record as the JSON that clients are given, whole when its result is at hand, and piece by piece when that is too long to be held. */
import { Effect, Option, Schema, Stream } from "effect"
import type { SqlError } from "effect/sql"
import { isObject } from "../../domain/fields/Values.ts"
import { functionOf, type Job } from "../../domain/Job.ts"
import type { JobStore } from "../../store/JobStore.ts"
import type { SyncTaskName } from "../../store/JobResults.ts"
import { withUpgradeShapes } from "../firmware/UpgradeResult.ts"
import { isSync, withoutTasks } from "./ResultFilter.ts"

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
