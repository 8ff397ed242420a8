/**
 * Job `init_device_step2`: logs in to a new switch on its management address, saves its configuration and declares it
 * MANAGED, which runs the plugins (contract engine.md §5.13).
 */
import { Effect, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import type { Facts } from "../../drivers/Readings.ts"
import { patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { requireManageable } from "../../domain/platforms/Unmanageable.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { HostKeyStore } from "../../store/HostKeyStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { callErrorText } from "../engine/CallErrorText.ts"
import { DeviceStates } from "../engine/DeviceStates.ts"
import * as InitProgress from "./InitProgress.ts"
import { FACTS_TASK } from "./DiscoverDevice.ts"
import {
  decodeArguments,
  deviceRows,
  type JobHandler,
  refusedAsFailure,
  type RunningJob
} from "../engine/JobHandler.ts"

const Arguments = Schema.Struct({ device_id: Schema.Int, iteration: Schema.Int })

/** Attempts of step 2 in all. */
const ATTEMPTS = 2

const Memo = Schema.Struct({ done: Schema.Literal(true) })

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const hostKeys = yield* HostKeyStore
  const states = yield* DeviceStates
  const plugins = yield* PluginActions
  const progress = yield* InitProgress.make
  const actorOf = yield* DeviceEntity.client

  const end = Effect.fnUntraced(function* (job: RunningJob, { hostname }: Device, result: DeviceResult) {
    yield* progress.finish(job)
    yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: !result.failed, changed: false, score: null })
  })

  const managed = Effect.fnUntraced(function* (job: RunningJob, device: Device, facts: Facts, hostKey: string) {
    yield* states
      .apply(device.id, { type: "INIT_STEP2_DONE", facts }, { by: job.user, jobId: job.id })
      .pipe(
        Effect.catchTag("DeviceStateError", ({ message }) =>
          Effect.fail(new JobFailure({ type: "InitError", message }))
        )
      )
    yield* hostKeys.pin(device.id, hostKey)
    yield* jobs.remember(job.id, { done: true })
    yield* end(job, device, deviceResult([taskOk(FACTS_TASK, { facts })]))
  }, sql.withTransaction)

  /** After an abort there is no further attempt until somebody posts device_init again. */
  const notYet = Effect.fnUntraced(function* (job: RunningJob, device: Device, iteration: number, text: string) {
    const attempt = (yield* job.aborting) ? ATTEMPTS : iteration
    const event = { type: "INIT_STEP2_FAILED", attempt, attempts: ATTEMPTS } as const
    yield* states.apply(device.id, event, { by: job.user, jobId: job.id })
    yield* jobs.remember(job.id, { done: true })
    yield* end(job, device, deviceResult([taskFailed(FACTS_TASK, text)]))
  }, sql.withTransaction)

  const isDone = (id: number) =>
    Effect.map(jobs.memo(id), (memo) => Option.isSome(Option.flatMap(memo, Schema.decodeUnknownOption(Memo))))

  const handler: JobHandler = Effect.fn("InitStep2")(function* (job: RunningJob) {
    const args = yield* decodeArguments(Arguments)(job)
    if (!(yield* isDone(job.id))) {
      const device = yield* devices.get(args.device_id)
      if (device.state !== "INIT") {
        const message = "Device must be in state INIT to continue init step 2"
        return yield* new JobFailure({ type: "DeviceStateError", message })
      }
      yield* requireManageable(device)
      const { hostname, management_ip } = device
      yield* progress.say(job, "login", `Logging in to ${hostname} at ${management_ip} and saving its configuration`)
      const found = yield* Effect.result(patiently(actorOf(String(device.id)).FinishInit()))
      if (Result.isSuccess(found)) yield* managed(job, device, found.success.facts, found.success.hostKey)
      else {
        const error = found.failure
        yield* notYet(job, device, args.iteration, callErrorText(error))
      }
    }
    yield* plugins.runOpen
    return deviceRows
  }, refusedAsFailure)
  return handler
})
