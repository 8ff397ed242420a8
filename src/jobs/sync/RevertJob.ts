/**
 * Job `revert_job`: undoes a job. Every device that the job has changed gets back the running configuration that it had
 * before, unless somebody has changed it since: such a device is refused and left alone. What is put back is proved like
 * any change. Afterwards the devices are not synchronized, because the settings still say what the undone job pushed.
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { deviceResult, taskFailed } from "../../domain/Job.ts"
import { isManageable } from "../../domain/platforms/Platforms.ts"
import { UnmanageableDevice } from "../../domain/platforms/Unmanageable.ts"
import type { ChangeReport } from "../../devices/ChangeExecutor.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore, type UndoableChange } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { pushedRow } from "./ApplyConfig.ts"
import { callErrorText } from "../engine/CallErrorText.ts"
import * as ChangeCalls from "./ChangeCalls.ts"
import { decodeArguments, type JobHandler, type RunningJob } from "../engine/JobHandler.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import type { SyncRun } from "./SyncStatus.ts"
import { notStarted } from "./SyncTasks.ts"
import * as TimerWaits from "./TimerWaits.ts"

export const MAIN_TASK = "revert_job"
export const RESTORE_TASK = "Restore device config"

const Arguments = Schema.Struct({
  job_id: Schema.Int,
  dry_run: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  /** Only these of the job's devices. */
  hostnames: Schema.optionalKey(Schema.Array(Schema.String))
})
type Arguments = typeof Arguments.Type

const refused = (message: string) => deviceResult([taskFailed(MAIN_TASK, `NotReverted: ${message}\n`)])

/** A device that no longer runs what the job left on it says so in words of its own. */
const explained = (report: ChangeReport, jobId: number): ChangeReport =>
  report.reason === "hashMismatch"
    ? { ...report, message: `The device does not run any more what job ${jobId} left on it, so it was left alone` }
    : report

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore
  const outcomes = yield* SyncOutcome
  const calls = yield* ChangeCalls.make
  const watchTimers = yield* TimerWaits.make

  /** What to put back, or why this device is refused. */
  const restorable = Effect.fnUntraced(function* (change: UndoableChange, device: Device, undone: number) {
    if (device.state !== "MANAGED" && device.state !== "UNMANAGED") return refused(`The device is ${device.state} now`)
    if (!isManageable(device)) return refused(new UnmanageableDevice(device).message)
    if (change.later_job !== null) {
      return refused(`Job ${change.later_job} has changed the device after job ${undone}, so it was left alone`)
    }
    const old = yield* changes.oldConfig(change.id)
    return Option.getOrElse(old, () => refused(`What the device ran before job ${undone} was not kept`))
  })

  const restore = Effect.fnUntraced(function* (
    job: RunningJob,
    args: Arguments,
    device: Device,
    timers: TimerWaits.TimerWaits,
    candidate: string,
    hash: string | null
  ) {
    const wanted = {
      jobId: job.id,
      candidate,
      mode: 1,
      dryRun: args.dry_run,
      force: false,
      expectedHash: hash
    } as const
    const report = yield* calls.store(device, wanted).pipe(
      Effect.flatMap(({ id }) => timers.orLeave(id, calls.run(device.id, id))),
      Effect.catchTag("UnmanageableDevice", (error) => Effect.succeed(ChangeCalls.broken(callErrorText(error))))
    )
    return explained(report, args.job_id)
  })

  const leave = (job: RunningJob, hostname: string, result: ReturnType<typeof refused>) =>
    jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })

  const revertDevice = Effect.fn("RevertJob.device")(function* (
    job: RunningJob,
    args: Arguments,
    { run, timers }: { readonly run: SyncRun; readonly timers: TimerWaits.TimerWaits },
    change: UndoableChange
  ) {
    const { hostname } = change
    if (yield* job.aborting) {
      return yield* leave(job, hostname, notStarted({ aborted: true, message: "The job was aborted" }, MAIN_TASK))
    }
    const found = yield* Effect.option(devices.get(change.device_id))
    if (Option.isNone(found)) return
    const device = found.value
    const candidate = yield* restorable(change, device, args.job_id)
    if (typeof candidate !== "string") return yield* leave(job, hostname, candidate)
    const report = yield* restore(job, args, device, timers, candidate, change.hash)
    const row = pushedRow(hostname, report, { main: MAIN_TASK, push: RESTORE_TASK })
    yield* sql.withTransaction(
      Effect.andThen(jobs.addDevice(job.id, row), outcomes.recordRestored(device, run, report))
    )
  })

  const revert = Effect.fnUntraced(function* (job: RunningJob, args: Arguments) {
    const done = new Set((yield* jobs.devices(job.id)).map(({ hostname }) => hostname))
    const undoable = yield* changes.undoable(args.job_id, job.id)
    const wanted = undoable.filter(
      ({ hostname }) => !done.has(hostname) && (args.hostnames === undefined || args.hostnames.includes(hostname))
    )
    const run: SyncRun = { jobId: job.id, user: job.user, dryRun: args.dry_run, eventsSeen: 0 }
    const timers = yield* watchTimers(job)
    yield* Effect.forEach(wanted, (change) => revertDevice(job, args, { run, timers }, change), {
      concurrency: config.SYNC_CONCURRENCY,
      discard: true
    })
    return { result: done.size + wanted.length === 0 ? { devices: {} } : null, change_score: null }
  })

  const handler: JobHandler = Effect.fn("RevertJob")(function* (job: RunningJob) {
    const args = yield* decodeArguments(Arguments)(job)
    return yield* revert(job, args)
  })
  return handler
})
