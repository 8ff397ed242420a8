/**
 * The steps of an initialisation while it runs: sentences in the job's result, written as they happen, so that an operator who
 * looks at the job sees its progress. After a success the result has the usual form again; a job that ended in EXCEPTION or was
 * aborted keeps its sentences. No step begins once a user has asked to abort the job (docs/jobs.md#abort).
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import { type DeviceResult, deviceResult, JobFailure, taskFailed } from "../../domain/Job.ts"
import { deviceRows, inTransaction, type JobEnd, type JobMemo, type RunningJob } from "../engine/JobHandler.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"

/** Sentences that one job keeps; an initialisation has far fewer. */
const LIMIT = 200

const ABORTED = "JobAborted"

/** True for the failure of a step that did not begin because the job was aborted. */
export const isAbort = (error: { readonly _tag: string; readonly type?: string }): error is JobFailure =>
  error._tag === "JobFailure" && error.type === ABORTED

/** Adds a sentence about a step that begins now. `step` is a short name for programs. */
export const say = Effect.fn("InitProgress.say")(function* ({ id }: RunningJob, step: string, message: string) {
  const sql = yield* PgClient.PgClient

  yield* Effect.logInfo(message, { step })
  const time = new Date(yield* Clock.currentTimeMillis).toISOString()
  const entry = sql.json({ time, step, message })
  yield* sql`update job set result = jsonb_build_object('devices', '{}'::jsonb, 'progress',
        coalesce(result -> 'progress', '[]'::jsonb) || jsonb_build_array(${entry}::jsonb))
      where id = ${id} and jsonb_array_length(coalesce(result -> 'progress', '[]'::jsonb)) < ${LIMIT}`
})

/** Fails with an `isAbort` failure when the job was aborted; `next` is the step that would begin, in words. */
export const checkpoint = Effect.fnUntraced(function* (job: RunningJob, next: string) {
  if (!(yield* job.aborting)) return
  return yield* new JobFailure({ type: ABORTED, message: `The job was aborted before this step: ${next}` })
})

/** Begins a step, unless the job was aborted: `checkpoint` and `say`. */
export const beginStep = (job: RunningJob, step: string, message: string) =>
  Effect.andThen(checkpoint(job, message), say(job, step, message))

/** Keeps the sentences next to the device rows, for a job that was aborted. */
export const keepProgress = Effect.fn("InitProgress.keep")(function* ({ id }: RunningJob) {
  const sql = yield* PgClient.PgClient
  return yield* Effect.asVoid(
    sql`update job set result = result - 'devices' where id = ${id} and jsonb_typeof(result) = 'object'`
  )
})

/** Makes the device rows the job's result again, with these keys in addition. */
export const finishProgress = Effect.fn("InitProgress.finish")(function* (
  { id }: RunningJob,
  extra: Readonly<Record<string, unknown>> = {}
) {
  const sql = yield* PgClient.PgClient
  return yield* Effect.asVoid(sql`update job set result = ${sql.json(extra)} where id = ${id}`)
})

/** The main entry of step 1. */
export const MAIN = "push_base_management"

/** The job was aborted before the switch got its configuration; `message` says before which step. `isUndone`: rows were written. */
export const aborted = (message: string, isUndone: boolean): DeviceResult => {
  const state = isUndone
    ? "Everything that was written was taken back, and the device runs what it ran before."
    : "Nothing was written, and the device runs what it ran before."
  return deviceResult([taskFailed(MAIN, `${state}\nJobAborted: ${message}\n`)])
}

// The record of an initialisation that was aborted before it wrote anything (docs/jobs.md#abort). One that has written rows
// takes them back in `Move.ts`.

const record = Effect.fnUntraced(function* (job: RunningJob, deviceId: number, { message }: JobFailure) {
  const devices = yield* DeviceStore
  const jobs = yield* JobStore

  const [device] = yield* devices.byIds([deviceId])
  yield* keepProgress(job)
  if (device !== undefined) {
    const { hostname } = device
    const result = aborted(message, false)
    yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
  }
  return deviceRows
}, inTransaction)

/** Ends an aborted job without an exception, with a record of the step that did not begin. */
export const abortRecorded = <R>(job: RunningJob, deviceId: number, work: JobEnd<R>) =>
  Effect.catchIf(work, isAbort, (failure) => record(job, deviceId, failure))

// A job that runs step 1 of an initialisation, of an access or of a fabric device.

export interface InitJob extends RunningJob {
  readonly memo: JobMemo<InitDecision>
}
