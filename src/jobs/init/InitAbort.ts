/**
 * The record of an initialisation that was aborted before it wrote anything (contract engine.md §2.10). One that has written
 * rows takes them back in `InitMove`.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { JobFailure } from "../../domain/Job.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import * as InitProgress from "./InitProgress.ts"
import * as InitTasks from "./InitTasks.ts"
import { deviceRows, type JobHandler, type RunningJob } from "../engine/JobHandler.ts"

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const progress = yield* InitProgress.make

  const record = Effect.fnUntraced(function* (job: RunningJob, deviceId: number, { message }: JobFailure) {
    const [device] = yield* devices.byIds([deviceId])
    yield* progress.keep(job)
    if (device !== undefined) {
      const { hostname } = device
      const result = InitTasks.aborted(message, false)
      yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
    }
    return deviceRows
  }, sql.withTransaction)

  /** Ends the job well, with a record of where it stopped, when a step of it did not begin because of an abort. */
  return (job: RunningJob, deviceId: number) =>
    (work: ReturnType<JobHandler>): ReturnType<JobHandler> =>
      Effect.catchIf(work, InitProgress.isAbort, (failure) => record(job, deviceId, failure))
})
