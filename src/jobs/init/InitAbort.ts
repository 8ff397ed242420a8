/**
 * The record of an initialisation that was aborted before it wrote anything (docs/jobs.md#abort). One that has written rows
 * takes them back in `InitMove`.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { JobFailure } from "../../domain/Job.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { deviceRows, type JobEnd, type RunningJob } from "../engine/JobHandler.ts"
import { InitProgress, isAbort } from "./InitProgress.ts"
import * as InitTasks from "./InitTasks.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const progress = yield* InitProgress

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

  return InitAbort.of({
    recorded: (job, deviceId) => (work) => Effect.catchIf(work, isAbort, (failure) => record(job, deviceId, failure))
  })
})

/** Ends of initialisations that were aborted early. */
export class InitAbort extends Context.Service<
  InitAbort,
  {
    /** Ends the job well, with a record of where it stopped, when a step of it did not begin because of an abort. */
    readonly recorded: (job: RunningJob, deviceId: number) => (work: JobEnd) => JobEnd
  }
>()("switchyard/jobs/InitAbort") {
  static readonly layer = Layer.effect(InitAbort, make)
}
