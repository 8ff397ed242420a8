/**
 * Mode 2 after all devices are proved: hands the job's lock and its waiting devices to a job `confirm_devices`, and waits for
 * it. What that job leaves undone, because it was aborted or failed, is taken back here (docs/changes.md#confirm-modes).
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { finalStatuses, type JobStatus } from "../../domain/Job.ts"
import { ConfirmDevices, RevertJob, type SyncMemo } from "../../domain/jobs/ChangeJobs.ts"
import type { AnyJob, SentArgs } from "../../domain/jobs/JobDefinition.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import type { RunningJob } from "../engine/JobHandler.ts"
import { JobWindows } from "../engine/JobWindows.ts"
import { type SyncWork, takeWaiting, type WaitingDevice } from "./SyncWork.ts"
import { JobLockStore } from "../../store/JobScheduling.ts"

const POLL = "200 millis"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const locks = yield* JobLockStore
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore
  const engine = yield* JobEngine
  const windows = yield* JobWindows

  const status = (id: number) => Effect.catchTag(jobs.status(id), "JobNotFound", Effect.die)

  /** The follow-up has the lock and the link in the moment in which it exists; `remember` is done together with them. */
  const handOver = Effect.fnUntraced(function* <J extends AnyJob>(
    { id, user }: RunningJob,
    job: J,
    args: SentArgs<J>,
    remember: (next: number) => Effect.Effect<void, SqlError.SqlError>
  ) {
    const follow = () => engine.follow(id, job, args, { user, delaySeconds: 0 })
    const inOne = Effect.gen(function* () {
      const next = yield* follow()
      yield* remember(next)
      yield* locks.transfer(id, next)
    })
    yield* sql.withTransaction(inOne)
    // finds the job started and has it picked up at once
    return yield* follow()
  })

  const confirmAll = Effect.fn("SyncConfirm.confirmAll")(function* (work: SyncWork, memo: SyncMemo) {
    const { job } = work
    const { revert_on_failure } = job.args
    const args = {
      prev_job_id: job.id,
      hostnames: takeWaiting(work).map(({ device }) => device.hostname),
      ...(revert_on_failure === false ? { revert_on_failure } : {})
    }
    return yield* handOver(job, ConfirmDevices, args, (confirmingJob) => job.memo.write({ ...memo, confirmingJob }))
  })

  const putBack = Effect.fn("SyncConfirm.putBack")(function* (job: RunningJob, syncJob: number) {
    const confirmed = yield* changes.undoable(syncJob, job.id)
    if (confirmed.length === 0) return
    const hostnames = confirmed.map(({ hostname }) => hostname)
    // what was begun within a window is brought to its end also after it
    const emergency = `Puts back what job ${syncJob} has confirmed`
    const args = { job_id: syncJob, dry_run: false, hostnames, ...((yield* windows.areThere) ? { emergency } : {}) }
    yield* handOver(job, RevertJob, args, () => Effect.void)
  })

  const ended = Effect.fn("SyncConfirm.ended")(function* (job: RunningJob, confirming: number) {
    let passedOn = false
    while (!finalStatuses.includes(yield* status(confirming))) {
      if (!passedOn && (yield* job.aborting)) {
        passedOn = true
        yield* engine
          .abort(confirming, job.user, `Job ${job.id} was aborted`)
          .pipe(Effect.catchTags({ JobNotFound: Effect.die, JobNotAbortable: () => Effect.void }))
      }
      yield* Effect.sleep(POLL)
    }
    return yield* status(confirming)
  })

  const leftWaiting = Effect.fn("SyncConfirm.leftWaiting")(function* (jobId: number) {
    const waiting = (yield* jobs.devices(jobId)).filter((row) => row.waiting === true)
    if (waiting.length === 0) return []
    const rows = yield* devices.byHostnames(waiting.map(({ hostname }) => hostname))
    const progress = new Map((yield* changes.progressOfJob(jobId)).map(({ device_id, id }) => [device_id, id]))
    return rows.flatMap((device) => {
      const changeId = progress.get(device.id)
      return changeId === undefined ? [] : [{ device, changeId }]
    })
  })

  return SyncConfirm.of({ confirmAll, putBack, ended, leftWaiting })
})

/** The jobs that follow a sync in mode 2. */
export class SyncConfirm extends Context.Service<
  SyncConfirm,
  {
    /** Starts the job that confirms the waiting devices, with this job's lock; a job that runs again finds it started. */
    readonly confirmAll: (work: SyncWork, memo: SyncMemo) => Effect.Effect<number, SqlError.SqlError>
    /** Has a job put back what the sync job has confirmed, with this job's lock; nothing when it has confirmed nothing. */
    readonly putBack: (job: RunningJob, syncJob: number) => Effect.Effect<void, SqlError.SqlError>
    /** Waits until the confirming job has ended, and passes an abort on to it. */
    readonly ended: (job: RunningJob, confirming: number) => Effect.Effect<JobStatus, SqlError.SqlError>
    /** Devices of the job that still wait, such as after the confirming job was aborted before it began. */
    readonly leftWaiting: (jobId: number) => Effect.Effect<ReadonlyArray<WaitingDevice>, SqlError.SqlError>
  }
>()("switchyard/jobs/SyncConfirm") {
  static readonly layer = Layer.effect(SyncConfirm, make)
}
