/**
 * Job `init_device_step2`: logs in to a new switch on its management address, saves its configuration and declares it MANAGED,
 * which runs the plugins (docs/provisioning.md#step-2).
 */
import { Effect, Option, Result } from "effect"
import { callErrorText, DeviceEntity, type FinishInit, isWrongDevice, patiently } from "../../devices/DeviceCalls.ts"
import { FACTS_TASK } from "../../domain/DeviceReadings.ts"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { InitStep2 } from "../../domain/jobs/InitJobs.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { IdentityStore } from "../../store/IdentityStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"
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

const managed = Effect.fnUntraced(function* (job: Step2, device: Device, { facts, hostKey, running }: FinishedInit) {
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
  yield* end(job, device, deviceResult([taskOk(FACTS_TASK, { facts })]))
}, inTransaction)

/** After an abort, or when it is another switch, no further attempt follows until a user posts device_init again. */
const notYet = Effect.fnUntraced(function* (job: Step2, device: Device, text: string, isFinal: boolean) {
  const states = yield* DeviceStates

  const attempt = isFinal || (yield* job.aborting) ? ATTEMPTS : job.args.iteration
  const event = { type: "INIT_STEP2_FAILED", attempt, attempts: ATTEMPTS } as const
  yield* states.apply(device.id, event, { by: job.user, jobId: job.id })
  yield* job.memo.write({ done: true })
  yield* end(job, device, deviceResult([taskFailed(FACTS_TASK, text)]))
}, inTransaction)

const handler = Effect.fn("InitStep2")(function* (job: JobRun<typeof InitStep2>) {
  const devices = yield* DeviceStore
  const plugins = yield* PluginActions
  const actorOf = yield* DeviceEntity.client

  if (Option.isNone(yield* job.memo.read)) {
    const device = yield* devices.get(job.args.device_id)
    if (device.state !== "INIT") {
      const message = "Device must be in state INIT to continue init step 2"
      return yield* new JobFailure({ type: "DeviceStateError", message })
    }
    yield* requireManageable(device)
    const { hostname, management_ip } = device
    yield* say(job, "login", `Logging in to ${hostname} at ${management_ip} and saving its configuration`)
    const found = yield* Effect.result(patiently(actorOf(String(device.id)).FinishInit()))
    if (Result.isSuccess(found)) yield* managed(job, device, found.success)
    else {
      const error = found.failure
      yield* notYet(job, device, callErrorText(error), isWrongDevice(error))
    }
  }
  yield* plugins.runPatiently
  return deviceRows
}, refusedAsFailure)

export const job = handle(InitStep2, handler)
