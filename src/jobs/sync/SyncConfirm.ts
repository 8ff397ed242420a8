/**
 * Mode 2 after all devices are proved: hands the job's lock and its waiting devices to a job `confirm_devices`, and waits
 * for it. What that job leaves undone, because it was aborted or failed, is taken back here (contract engine.md §7.6).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { finalStatuses } from "../../domain/Job.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobLockStore } from "../../store/JobLockStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { JobEngine, type StartJob } from "../engine/JobEngine.ts"
import type { RunningJob } from "../engine/JobHandler.ts"
import type { SyncMemo } from "./SyncArguments.ts"
import type { Work } from "./SyncRollout.ts"

const POLL = "200 millis"

/** Starts the confirming job and waits for it. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const locks = yield* JobLockStore
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore
  const engine = yield* JobEngine

  const status = (id: number) => Effect.catchTag(jobs.status(id), "JobNotFound", Effect.die)

  /** The follow-up has the lock and the link in the moment in which it exists. */
  const handOver = Effect.fn("SyncConfirm.handOver")(function* (id: number, next: StartJob, memo: SyncMemo | null) {
    const inOne = Effect.gen(function* () {
      const started = yield* engine.follow(id, next)
      if (memo !== null) yield* jobs.remember(id, { ...memo, confirmingJob: started })
      yield* locks.transfer(id, started)
    })
    yield* sql.withTransaction(inOne)
    // finds the job started and has it picked up at once
    return yield* engine.follow(id, next)
  })

  const confirmAll = Effect.fn("SyncConfirm.confirmAll")(function* (work: Work, memo: SyncMemo) {
    const { args, held, job } = work
    const hostnames = [...held.values()].map(({ device }) => device.hostname)
    const next: StartJob = {
      function: "confirm_devices",
      args: {
        prev_job_id: job.id,
        hostnames,
        ...(args.revert_on_failure === false ? { revert_on_failure: false } : {})
      },
      user: job.user,
      delaySeconds: 0
    }
    held.clear()
    return yield* handOver(job.id, next, memo)
  })

  /** Until the confirming job has ended; an abort is passed on to it. */
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

  /** Devices of the job that still wait, such as after the confirming job was aborted before it began. */
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

  return {
    /** Starts a follow-up that takes over this job's lock; a job that runs again finds it started. */
    handOver,
    /** Starts the job that confirms the waiting devices. */
    confirmAll,
    ended,
    leftWaiting
  }
})
