/**
 * Job `apply_config`: puts a given configuration on one device, whatever the settings say, and ends the device's management: it
 * becomes UNMANAGED (docs/changes.md#apply_config). No hash check and no lock; like every change it is proved, with the device's
 * own timer if it has one.
 */
import { Effect } from "effect"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, JobFailure, subtaskFailed, taskFailed, taskOk } from "../../domain/Job.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"
import { type ChangeReport, isOpen } from "../../devices/DeviceCalls.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { type JobDevice, JobStore } from "../../store/JobStore.ts"
import { carryOut, watchTimers } from "./ChangeCalls.ts"
import { checksInForce } from "../../templates/DeviceChecks.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"
import { deviceRows, handle, inTransaction, type JobRun, refusedAsFailure } from "../engine/JobHandler.ts"
import { ApplyConfig } from "../../domain/jobs/ChangeJobs.ts"
import { failureOf, failureText, foundOut } from "./Outcome.ts"
import { JobWindows, outsideWindow } from "../requests/JobWindows.ts"

export const MAIN_TASK = "push_static_config"
export const PUSH_TASK = "Push static config"

type ApplyJob = JobRun<typeof ApplyConfig>

/** The entries of a device that was given a configuration; `tasks` are the names of the main task and its child. */
const pushedResult = (report: ChangeReport, tasks: { readonly main: string; readonly push: string }): DeviceResult =>
  report.ok
    ? deviceResult([taskOk(tasks.main), { ...taskOk(tasks.push, null, report.diff), ...foundOut(report) }])
    : deviceResult([
        taskFailed(tasks.main, subtaskFailed(tasks.push)),
        { ...taskFailed(tasks.push, failureText(report), report.diff), ...foundOut(report) }
      ])

/** The row of such a device in the job's record; written again if the change ends after the job. */
export const pushedRow = (
  hostname: string,
  report: ChangeReport,
  tasks: { readonly main: string; readonly push: string }
): JobDevice => ({
  hostname,
  result: pushedResult(report, tasks),
  reachedEnd: true,
  changed: report.diff !== "",
  score: null,
  waiting: isOpen(report)
})

const find = Effect.fnUntraced(function* (hostname: string) {
  const devices = yield* DeviceStore

  const device = yield* refusedAsFailure(devices.getByHostname(hostname))
  if (device.state !== "MANAGED" && device.state !== "UNMANAGED") {
    const message = `Device ${hostname} is in invalid state: DeviceState.${device.state}`
    return yield* new JobFailure({ type: "DeviceStateError", message })
  }
  yield* refusedAsFailure(requireManageable(device))
  return device
})

const pushConfig = Effect.fnUntraced(function* (job: ApplyJob, device: Device) {
  const { config: candidate, dry_run: dryRun, skip_checks } = job.args
  const checks = skip_checks === undefined ? yield* checksInForce(device) : []
  const wanted = { jobId: job.id, candidate, mode: 1, dryRun, force: true, expectedHash: null, checks } as const
  return yield* carryOut(device, wanted, yield* watchTimers(job))
})

/** Writes the row and the new state together: a restart finds both or none. */
const record = Effect.fnUntraced(function* (job: ApplyJob, device: Device, report: ChangeReport) {
  const jobs = yield* JobStore
  const states = yield* DeviceStates
  const events = yield* SyncEventStore

  const { hostname, id } = device
  yield* jobs.addDevice(job.id, pushedRow(hostname, report, { main: MAIN_TASK, push: PUSH_TASK }))
  if (report.reason === "leftConfiguration" && report.result === "unknown") {
    yield* events.unsynchronize([device], { cause: failureOf(report), by: job.user, job_id: job.id })
  }
  if (job.args.dry_run || !report.ok) return
  yield* states.apply(id, { type: "LIVE_APPLY_CONFIG" }, { by: job.user, jobId: job.id })
}, inTransaction)

const handler = Effect.fn("ApplyConfig")(function* (job: JobRun<typeof ApplyConfig>) {
  const jobs = yield* JobStore
  const windows = yield* JobWindows

  const recorded = yield* jobs.devices(job.id)
  if (recorded.length > 0) return deviceRows
  const device = yield* find(job.args.hostname)
  const closed = job.args.dry_run ? null : yield* windows.closedBefore(job, device)
  if (closed !== null) {
    const result = outsideWindow(closed, MAIN_TASK)
    const { hostname } = device
    yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
    return deviceRows
  }
  const report = yield* pushConfig(job, device)
  yield* refusedAsFailure(record(job, device, report))
  return deviceRows
})

export const job = handle(ApplyConfig, handler)
