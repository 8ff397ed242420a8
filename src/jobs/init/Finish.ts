/**
 * Job `init_device_step2`: logs in to a new switch on its management address, saves its configuration, makes the checks of the site and
 * declares it MANAGED, which runs the plugins (docs/provisioning.md#step-2). A switch whose check does not hold stays in INIT.
 */
import { Effect, Option, Result } from "effect"
import { applyDeviceEvent } from "../../../machines/device/DeviceMachine.ts"
import { callErrorText, DeviceEntity, type FinishInit, isWrongDevice, patiently } from "../../devices/DeviceCalls.ts"
import { FACTS_TASK } from "../../domain/DeviceReadings.ts"
import type { Device } from "../../domain/Device.ts"
import {
  type CheckResult,
  type DeviceResult,
  deviceResult,
  JobFailure,
  type JobTask,
  taskFailed,
  taskOk
} from "../../domain/Job.ts"
import { InitStep2 } from "../../domain/jobs/InitJobs.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { IdentityStore } from "../../store/IdentityStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"
import * as JobChecks from "../../devices/JobChecks.ts"
import {
  deviceRows,
  handle,
  inTransaction,
  type JobRun,
  refusedAsFailure,
  type RunningJob
} from "../engine/JobHandler.ts"
import { finishProgress, say } from "./Progress.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"

/** Attempts of step 2 in all. */
const ATTEMPTS = 2

type Step2 = JobRun<typeof InitStep2>
type FinishedInit = typeof FinishInit.successSchema.Type

const end = Effect.fnUntraced(function* (job: RunningJob, { hostname }: Device, result: DeviceResult) {
  const jobs = yield* JobStore

  yield* finishProgress(job)
  yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: !result.failed, changed: false, score: null })
})

/** The results of the checks; empty without any. */
type Results = ReadonlyArray<CheckResult>

const withResults = (task: JobTask, results: Results): JobTask =>
  results.length === 0 ? task : { ...task, checks: results }

const managed = Effect.fnUntraced(function* (
  job: Step2,
  device: Device,
  { facts, hostKey, running }: FinishedInit,
  results: Results
) {
  const { hostKeys } = yield* IdentityStore
  const { proved } = yield* ConfigStore
  const states = yield* DeviceStates

  yield* states
    .apply(device.id, { type: "INIT_STEP2_DONE", facts }, { by: job.user, jobId: job.id })
    .pipe(
      Effect.catchTag("DeviceStateError", ({ message }) => Effect.fail(new JobFailure({ type: "InitError", message })))
    )
  yield* hostKeys.pin(device.id, hostKey)
  if (running !== undefined) yield* proved.prove({ device_id: device.id, job_id: job.id, ...running })
  yield* job.memo.write({ done: true })
  yield* end(job, device, deviceResult([withResults(taskOk(FACTS_TASK, { facts }), results)]))
}, inTransaction)

/** Why the switch is not MANAGED; `isFinal`: another attempt does not help. */
interface Obstacle {
  readonly text: string
  readonly isFinal: boolean
  readonly results: Results
}

/** After an abort, or a final obstacle, no further attempt follows until a user posts device_init again. */
const notYet = Effect.fnUntraced(function* (job: Step2, device: Device, { isFinal, results, text }: Obstacle) {
  const states = yield* DeviceStates

  const attempt = isFinal || (yield* job.aborting) ? ATTEMPTS : job.args.iteration
  const event = { type: "INIT_STEP2_FAILED", attempt, attempts: ATTEMPTS } as const
  yield* states.apply(device.id, event, { by: job.user, jobId: job.id })
  yield* job.memo.write({ done: true })
  yield* end(job, device, deviceResult([withResults(taskFailed(FACTS_TASK, text), results)]))
}, inTransaction)

const STAYS = "The device answers on its management address, and stays in INIT."

/** Makes the checks of the site; another switch than the wanted one is not checked. */
const check = Effect.fnUntraced(function* (job: Step2, device: Device, { facts }: FinishedInit) {
  const isWanted = applyDeviceEvent(device, { type: "INIT_STEP2_DONE", facts })._tag === "Applied"
  const checks = isWanted ? yield* JobChecks.withoutBefore(device) : null
  if (checks === null) return { _tag: "Held", results: [] } as const
  const names = checks.checking.names.join(", ")
  yield* say(job, "checks", `Making the checks of ${device.hostname}: ${names}`)
  const after = yield* JobChecks.readAfter(device, checks, job.aborting)
  if (after._tag === "Aborted") {
    const text = `${STAYS}\nJobAborted: The job was aborted before its checks had ended\n`
    return { _tag: "Not", obstacle: { text, isFinal: true, results: [] } } as const
  }
  const { failure, results } = after
  if (failure === null) return { _tag: "Held", results } as const
  const text = `${STAYS}\n${failure.type}: ${failure.message}\n`
  return { _tag: "Not", obstacle: { text, isFinal: false, results } } as const
})

const finish = Effect.fnUntraced(function* (job: Step2, device: Device) {
  const actorOf = yield* DeviceEntity.client

  const { hostname, management_ip } = device
  yield* say(job, "login", `Logging in to ${hostname} at ${management_ip} and saving its configuration`)
  const found = yield* Effect.result(patiently(actorOf(String(device.id)).FinishInit()))
  if (Result.isFailure(found)) {
    const error = found.failure
    yield* notYet(job, device, { text: callErrorText(error), isFinal: isWrongDevice(error), results: [] })
    return
  }
  const checked = yield* check(job, device, found.success)
  yield* checked._tag === "Held"
    ? managed(job, device, found.success, checked.results)
    : notYet(job, device, checked.obstacle)
})

const handler = Effect.fn("InitStep2")(function* (job: JobRun<typeof InitStep2>) {
  const devices = yield* DeviceStore
  const plugins = yield* PluginActions

  if (Option.isNone(yield* job.memo.read)) {
    const device = yield* devices.get(job.args.device_id)
    if (device.state !== "INIT") {
      const message = "Device must be in state INIT to continue init step 2"
      return yield* new JobFailure({ type: "DeviceStateError", message })
    }
    yield* requireManageable(device)
    yield* finish(job, device)
  }
  yield* plugins.runPatiently
  return deviceRows
}, refusedAsFailure)

export const job = handle(InitStep2, handler)
