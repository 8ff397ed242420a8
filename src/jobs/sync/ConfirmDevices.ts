/**
 * Job `confirm_devices`: confirms the committed and proved changes of a sync in mode 2, on all devices or on none
 * (docs/changes.md#confirm-modes). If a device cannot be confirmed, the others are taken back; a job `revert_job` restores those
 * that were already confirmed. An abort counts until the first device is confirmed: afterwards it would leave half a change.
 */
import { Effect, Option } from "effect"
import type { ChangeReport } from "../../devices/DeviceCalls.ts"
import { deviceResult, finalStatuses, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { type ChangeProgress, ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type JobDevice, JobStore } from "../../store/JobStore.ts"
import { handle, inTransaction, type JobRun, memoOf, type RunningJob } from "../engine/JobHandler.ts"
import { ConfirmDevices, RevertJob, SyncDevices, type SyncMemo } from "../../domain/jobs/ChangeJobs.ts"
import type { SqlError } from "effect/sql"
import { makeGuard } from "./SyncPlan.ts"
import { becauseOf, failureText, SyncOutcome, type SyncRun } from "./Outcome.ts"
import { type SyncWork, takeWaiting, type VerdictContext } from "./SyncDevice.ts"
import type { AnyJob, SentArgs } from "../../domain/jobs/JobDefinition.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { JobWindows } from "../requests/JobWindows.ts"
import { notAccepted } from "../requests/SignedCommits.ts"
import { makeJobCommits } from "../../store/JobResults.ts"
import { WorkingCommits } from "../../domain/Repository.ts"
import { settleChange, watchTimers } from "./ChangeCalls.ts"
import { JobScheduleStore } from "../../store/JobScheduling.ts"

// Mode 2 after all devices are proved: hands the job's lock and its waiting devices to a job `confirm_devices`, and waits for it.
// Changes that the confirming job leaves unconfirmed, because it was aborted or failed, are taken back here
// (docs/changes.md#confirm-modes).

const POLL = "200 millis"

const statusOf = Effect.fnUntraced(function* (id: number) {
  const jobs = yield* JobStore
  return yield* Effect.catchTag(jobs.status(id), "JobNotFound", Effect.die)
})

/** Creates the follow-up with the lock and the link in one transaction, together with `remember`. */
const handOver = Effect.fnUntraced(function* <J extends AnyJob>(
  { id, user }: RunningJob,
  job: J,
  args: SentArgs<J>,
  remember: (next: number) => Effect.Effect<void, SqlError.SqlError>
) {
  const { locks } = yield* JobScheduleStore
  const engine = yield* JobEngine

  const follow = () => engine.follow(id, job, args, { user, delaySeconds: 0 })
  const inOne = Effect.gen(function* () {
    const next = yield* follow()
    yield* remember(next)
    yield* locks.transfer(id, next)
  })
  yield* inTransaction(inOne)
  // the job is stored: wake the engine
  return yield* follow()
})

/** Starts the job that confirms the waiting devices, with this job's lock; a job that runs again finds it started. */
export const confirmAll = Effect.fn("SyncConfirm.confirmAll")(function* (work: SyncWork, memo: SyncMemo) {
  const { job } = work
  const { revert_on_failure } = job.args
  const args = {
    prev_job_id: job.id,
    hostnames: takeWaiting(work).map(({ device }) => device.hostname),
    ...(revert_on_failure === false ? { revert_on_failure } : {})
  }
  return yield* handOver(job, ConfirmDevices, args, (confirmingJob) => job.memo.write({ ...memo, confirmingJob }))
})

/** Starts a job that restores the devices that the sync job has confirmed, with this job's lock; none if it has confirmed nothing. */
export const putBack = Effect.fn("SyncConfirm.putBack")(function* (job: RunningJob, syncJob: number) {
  const changes = yield* ChangeStore
  const windows = yield* JobWindows

  const confirmed = yield* changes.undoable(syncJob, job.id)
  if (confirmed.length === 0) return
  const hostnames = confirmed.map(({ hostname }) => hostname)
  // work that was begun within a window is completed even after it
  const emergency = `Puts back what job ${syncJob} has confirmed`
  const args = { job_id: syncJob, dry_run: false, hostnames, ...((yield* windows.areThere) ? { emergency } : {}) }
  yield* handOver(job, RevertJob, args, () => Effect.void)
})

/** Waits until the confirming job has ended, and passes an abort on to it. */
export const confirmationEnded = Effect.fn("SyncConfirm.ended")(function* (job: RunningJob, confirming: number) {
  const engine = yield* JobEngine

  let passedOn = false
  while (!finalStatuses.includes(yield* statusOf(confirming))) {
    if (!passedOn && (yield* job.aborting)) {
      passedOn = true
      yield* engine
        .abort(confirming, job.user, `Job ${job.id} was aborted`)
        .pipe(Effect.catchTags({ JobNotFound: Effect.die, JobNotAbortable: () => Effect.void }))
    }
    yield* Effect.sleep(POLL)
  }
  return yield* statusOf(confirming)
})

/** Devices of the job that still wait, such as after the confirming job was aborted before it began. */
export const leftWaiting = Effect.fn("SyncConfirm.leftWaiting")(function* (jobId: number) {
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore

  const waiting = (yield* jobs.devices(jobId)).filter((row) => row.waiting === true)
  if (waiting.length === 0) return []
  const rows = yield* devices.byHostnames(waiting.map(({ hostname }) => hostname))
  const progress = new Map((yield* changes.progressOfJob(jobId)).map(({ device_id, id }) => [device_id, id]))
  return rows.flatMap((device) => {
    const changeId = progress.get(device.id)
    return changeId === undefined ? [] : [{ device, changeId }]
  })
})

const TASK = "napalm_confirm_commit"

type ConfirmJob = JobRun<typeof ConfirmDevices>

const rowOf = (hostname: string, report: ChangeReport): JobDevice => ({
  hostname,
  result: deviceResult([report.ok ? taskOk(TASK) : taskFailed(TASK, failureText(report))]),
  reachedEnd: true,
  changed: report.ok,
  score: null
})

/** The circumstances of the sync job, by which its devices are judged. */
const syncRun = Effect.fnUntraced(function* ({ user }: RunningJob, syncJob: number) {
  const jobs = yield* JobStore

  const memo = yield* memoOf(jobs, SyncDevices, syncJob).read
  if (Option.isNone(memo)) {
    return yield* new JobFailure({ type: "ValueError", message: `Job ${syncJob} has left nothing to confirm` })
  }
  const run: SyncRun = { jobId: syncJob, user, dryRun: false, eventsSeen: memo.value.eventsSeen }
  return run
})

/** An abort of either job; ignored once confirming has begun. */
const isAborted = Effect.fnUntraced(function* ({ aborting, args, memo }: ConfirmJob) {
  const jobs = yield* JobStore

  if (Option.isSome(yield* memo.read)) return false
  const sync = yield* Effect.catchTag(jobs.status(args.prev_job_id), "JobNotFound", Effect.die)
  return sync === "ABORTING" || (yield* aborting)
})

/** Why the commits of the sync job may not be sent since a restart; none once confirming has begun: half a change would be left. */
const notAcceptedOf = Effect.fnUntraced(function* ({ args, memo }: ConfirmJob) {
  if (Option.isSome(yield* memo.read)) return Option.none<string>()
  const commits = yield* makeJobCommits
  return yield* Effect.provideService(notAccepted, WorkingCommits, yield* commits.pin(args.prev_job_id))
})

const confirmDevice = Effect.fnUntraced(function* (
  job: RunningJob,
  { guard, run, timers }: VerdictContext,
  { device_id, id }: ChangeProgress
) {
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore
  const outcomes = yield* SyncOutcome

  const found = yield* Effect.option(devices.get(device_id))
  const change = yield* changes.get(id)
  if (Option.isNone(found) || Option.isNone(change)) return
  const device = found.value
  const stop = guard.stop()
  const verdict = stop === null ? "ALL_DEVICES_OK" : "OTHERS_FAILED"
  const report = yield* timers.orLeave(id, settleChange(device_id, id, verdict))
  if (!report.ok) yield* guard.failed(device.hostname, false)
  const explained = stop === null ? report : becauseOf(stop, report)
  yield* inTransaction(
    Effect.andThen(
      jobs.addDevice(job.id, rowOf(device.hostname, explained)),
      outcomes.recordVerdict(device, run, change.value.candidate, explained)
    )
  )
})

/** Changes of the sync job on devices that have no row yet. */
const waitingChanges = Effect.fnUntraced(function* ({ args }: ConfirmJob, rows: ReadonlyArray<JobDevice>) {
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore

  const done = new Set(rows.map(({ hostname }) => hostname))
  const wanted = yield* devices.byHostnames(args.hostnames.filter((hostname) => !done.has(hostname)))
  const ids = new Set(wanted.map(({ id }) => id))
  return (yield* changes.progressOfJob(args.prev_job_id)).filter(({ device_id }) => ids.has(device_id))
})

const handler = Effect.fn("ConfirmDevices")(function* (job: JobRun<typeof ConfirmDevices>) {
  const config = yield* ServerConfig
  const jobs = yield* JobStore

  const { prev_job_id, revert_on_failure: allOrNothing } = job.args
  const run = yield* syncRun(job, prev_job_id)
  const rows = yield* jobs.devices(job.id)
  const failed = rows.filter(({ result }) => result.failed).map(({ hostname }) => hostname)
  const guard = yield* makeGuard({ maxFailures: null, allOrNothing }, null, failed)
  const unsigned = yield* notAcceptedOf(job)
  if (yield* isAborted(job)) yield* guard.aborted
  else if (Option.isSome(unsigned)) yield* guard.halt(unsigned.value)
  else yield* job.memo.write({ begun: true })
  const waiting = yield* waitingChanges(job, rows)
  const context = { guard, run, timers: yield* watchTimers(job) }
  yield* Effect.forEach(waiting, (change) => confirmDevice(job, context, change), {
    concurrency: config.SYNC_CONCURRENCY,
    discard: true
  })
  const stop = guard.stop()
  if (stop === null) {
    return { result: rows.length + waiting.length === 0 ? { devices: {} } : null, change_score: null }
  }
  if (!stop.aborted) yield* putBack(job, prev_job_id)
  return { result: { rollout: { stopped: stop.message } }, change_score: null, failure: stop.message }
})

export const job = handle(ConfirmDevices, handler)
