/**
 * Job `confirm_devices`: confirms what a sync in mode 2 has committed and proved, on all devices or on none
 * (docs/changes.md#confirm-modes). A device that cannot be confirmed has the others taken back; those that were confirmed
 * before are put back by a job `revert_job`. An abort counts until the first device is confirmed: then stopping would leave
 * half a change.
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ChangeReport } from "../../devices/ChangeExecutor.ts"
import { deviceResult, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { ConfirmDevices, SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { type ChangeProgress, ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type JobDevice, JobStore } from "../../store/JobStore.ts"
import { handle, type JobHandler, type JobRun, memoOf, type RunningJob } from "../engine/JobHandler.ts"
import { ChangeCalls } from "./ChangeCalls.ts"
import { makeGuard } from "./Rollout.ts"
import { SyncConfirm } from "./SyncConfirm.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import type { SyncRun } from "./SyncStatus.ts"
import { becauseOf, failureText } from "./SyncTasks.ts"
import type { VerdictContext } from "./SyncWork.ts"
import { TimerWaits } from "./TimerWaits.ts"

const TASK = "napalm_confirm_commit"

type ConfirmJob = JobRun<typeof ConfirmDevices>

const rowOf = (hostname: string, report: ChangeReport): JobDevice => ({
  hostname,
  result: deviceResult([report.ok ? taskOk(TASK) : taskFailed(TASK, failureText(report))]),
  reachedEnd: true,
  changed: report.ok,
  score: null
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore
  const outcomes = yield* SyncOutcome
  const calls = yield* ChangeCalls
  const confirmation = yield* SyncConfirm
  const timerWaits = yield* TimerWaits

  /** What the sync job knew, by which its devices are judged. */
  const syncRun = Effect.fnUntraced(function* ({ user }: RunningJob, syncJob: number) {
    const memo = yield* memoOf(jobs, SyncDevices, syncJob).read
    if (Option.isNone(memo)) {
      return yield* new JobFailure({ type: "ValueError", message: `Job ${syncJob} has left nothing to confirm` })
    }
    const run: SyncRun = { jobId: syncJob, user, dryRun: false, eventsSeen: memo.value.eventsSeen }
    return run
  })

  /** An abort of either job; not any more once confirming has begun. */
  const isAborted = Effect.fnUntraced(function* ({ aborting, args, memo }: ConfirmJob) {
    if (Option.isSome(yield* memo.read)) return false
    const sync = yield* Effect.catchTag(jobs.status(args.prev_job_id), "JobNotFound", Effect.die)
    return sync === "ABORTING" || (yield* aborting)
  })

  const confirmDevice = Effect.fnUntraced(function* (
    job: RunningJob,
    { guard, run, timers }: VerdictContext,
    { device_id, id }: ChangeProgress
  ) {
    const found = yield* Effect.option(devices.get(device_id))
    const change = yield* changes.get(id)
    if (Option.isNone(found) || Option.isNone(change)) return
    const device = found.value
    const stop = guard.stop()
    const verdict = stop === null ? "ALL_DEVICES_OK" : "OTHERS_FAILED"
    const report = yield* timers.orLeave(id, calls.settle(device_id, id, verdict))
    if (!report.ok) yield* guard.failed(device.hostname, false)
    const explained = stop === null ? report : becauseOf(stop, report)
    yield* sql.withTransaction(
      Effect.andThen(
        jobs.addDevice(job.id, rowOf(device.hostname, explained)),
        outcomes.recordVerdict(device, run, change.value.candidate, explained)
      )
    )
  })

  /** Changes of the sync job on devices that have no row yet. */
  const waitingChanges = Effect.fnUntraced(function* ({ args }: ConfirmJob, rows: ReadonlyArray<JobDevice>) {
    const done = new Set(rows.map(({ hostname }) => hostname))
    const wanted = yield* devices.byHostnames(args.hostnames.filter((hostname) => !done.has(hostname)))
    const ids = new Set(wanted.map(({ id }) => id))
    return (yield* changes.progressOfJob(args.prev_job_id)).filter(({ device_id }) => ids.has(device_id))
  })

  const handler: JobHandler<typeof ConfirmDevices> = Effect.fn("ConfirmDevices")(function* (job) {
    const { prev_job_id, revert_on_failure: allOrNothing } = job.args
    const run = yield* syncRun(job, prev_job_id)
    const rows = yield* jobs.devices(job.id)
    const failed = rows.filter(({ result }) => result.failed).map(({ hostname }) => hostname)
    const guard = yield* makeGuard({ maxFailures: null, allOrNothing }, null, failed)
    if (yield* isAborted(job)) yield* guard.aborted
    else yield* job.memo.write({ begun: true })
    const waiting = yield* waitingChanges(job, rows)
    const context = { guard, run, timers: yield* timerWaits.watch(job) }
    yield* Effect.forEach(waiting, (change) => confirmDevice(job, context, change), {
      concurrency: config.SYNC_CONCURRENCY,
      discard: true
    })
    const stop = guard.stop()
    if (stop === null) {
      return { result: rows.length + waiting.length === 0 ? { devices: {} } : null, change_score: null }
    }
    if (!stop.aborted) yield* confirmation.putBack(job, prev_job_id)
    return { result: { rollout: { stopped: stop.message } }, change_score: null, failure: stop.message }
  })
  return handler
})

export const job = handle(ConfirmDevices, make)
