/**
 * Job `revert_job`: undoes a job. Every device that the job has changed gets back its previous running configuration, unless it has
 * been changed since: such a device is refused and not changed. The restored configuration is proved like any change. Afterwards
 * the devices are not synchronized, because the settings still contain the undone change.
 */
import { Effect, Option } from "effect"
import type { Device } from "../../domain/Device.ts"
import { deviceResult, taskFailed } from "../../domain/Job.ts"
import { isManageable, UnmanageableDevice } from "../../domain/platforms/Platforms.ts"
import type { ChangeReport } from "../../devices/DeviceCalls.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore, type UndoableChange } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { pushedRow } from "./ApplyConfig.ts"
import { carryOut, type TimerWatch, watchTimers } from "./ChangeCalls.ts"
import { checksInForce } from "../../templates/DeviceChecks.ts"
import { handle, inTransaction, type JobRun, notStarted } from "../engine/JobHandler.ts"
import { RevertJob } from "../../domain/jobs/ChangeJobs.ts"
import { JobWindows, outsideWindow } from "../requests/JobWindows.ts"
import { SyncOutcome, type SyncRun } from "./Outcome.ts"

export const MAIN_TASK = "revert_job"
export const RESTORE_TASK = "Restore device config"

type Revert = JobRun<typeof RevertJob>

/** The context that the devices of one job share. */
interface RevertContext {
  readonly job: Revert
  readonly run: SyncRun
  readonly timers: TimerWatch
}

const refused = (message: string) => deviceResult([taskFailed(MAIN_TASK, `NotReverted: ${message}\n`)])

/** The message about a device that no longer runs the configuration of the undone job. */
const explained = (report: ChangeReport, jobId: number): ChangeReport =>
  report.reason === "hashMismatch"
    ? { ...report, message: `The device does not run any more what job ${jobId} left on it, so it was left alone` }
    : report

/** The configuration to restore, or why this device is refused. */
const restorable = Effect.fnUntraced(function* (change: UndoableChange, device: Device, job: Revert) {
  const changes = yield* ChangeStore
  const windows = yield* JobWindows

  if (device.state !== "MANAGED" && device.state !== "UNMANAGED") return refused(`The device is ${device.state} now`)
  const closed = job.args.dry_run ? null : yield* windows.closedBefore(job, device)
  if (closed !== null) return outsideWindow(closed, MAIN_TASK)
  const undone = job.args.job_id
  if (!isManageable(device)) return refused(new UnmanageableDevice(device).message)
  if (change.later_job !== null) {
    return refused(`Job ${change.later_job} has changed the device after job ${undone}, so it was left alone`)
  }
  const old = yield* changes.oldConfig(change.id)
  return Option.getOrElse(old, () => refused(`What the device ran before job ${undone} was not kept`))
})

const restore = Effect.fnUntraced(function* (
  { job, timers }: RevertContext,
  device: Device,
  candidate: string,
  expectedHash: string | null
) {
  const dryRun = job.args.dry_run
  const checks = job.args.skip_checks === undefined ? yield* checksInForce(device) : []
  const wanted = { jobId: job.id, candidate, mode: 1, dryRun, force: false, expectedHash, checks } as const
  const report = yield* carryOut(device, wanted, timers)
  return explained(report, job.args.job_id)
})

const leave = Effect.fnUntraced(function* (job: Revert, hostname: string, result: ReturnType<typeof refused>) {
  const jobs = yield* JobStore
  return yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
})

const revertDevice = Effect.fn("RevertJob.device")(function* (context: RevertContext, change: UndoableChange) {
  const jobs = yield* JobStore
  const devices = yield* DeviceStore
  const outcomes = yield* SyncOutcome

  const { job, run } = context
  const { hostname } = change
  if (yield* job.aborting) {
    return yield* leave(job, hostname, notStarted({ aborted: true, message: "The job was aborted" }, MAIN_TASK))
  }
  const found = yield* Effect.option(devices.get(change.device_id))
  if (Option.isNone(found)) return
  const device = found.value
  const candidate = yield* restorable(change, device, job)
  if (typeof candidate !== "string") return yield* leave(job, hostname, candidate)
  const report = yield* restore(context, device, candidate, change.hash)
  const row = pushedRow(hostname, report, { main: MAIN_TASK, push: RESTORE_TASK })
  yield* inTransaction(Effect.andThen(jobs.addDevice(job.id, row), outcomes.recordRestored(device, run, report)))
})

const handler = Effect.fn("RevertJob")(function* (job: JobRun<typeof RevertJob>) {
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const changes = yield* ChangeStore

  const { dry_run: dryRun, hostnames, job_id: undone } = job.args
  const done = new Set((yield* jobs.devices(job.id)).map(({ hostname }) => hostname))
  const undoable = yield* changes.undoable(undone, job.id)
  const wanted = undoable.filter(
    ({ hostname }) => !done.has(hostname) && (hostnames === undefined || hostnames.includes(hostname))
  )
  const run: SyncRun = { jobId: job.id, user: job.user, dryRun, eventsSeen: 0 }
  const context = { job, run, timers: yield* watchTimers(job) }
  yield* Effect.forEach(wanted, (change) => revertDevice(context, change), {
    concurrency: config.SYNC_CONCURRENCY,
    discard: true
  })
  return { result: done.size + wanted.length === 0 ? { devices: {} } : null, change_score: null }
})

export const job = handle(RevertJob, handler)
