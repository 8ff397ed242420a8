/**
 * Job `device_erase`: brings an access switch back to its factory default and deletes its row (contract engine.md §13). A
 * switch that could not be erased keeps its row.
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceEntity } from "../devices/DeviceCalls.ts"
import { patiently } from "../devices/PatientCall.ts"
import type { Device } from "../domain/Device.ts"
import { type DeviceResult, deviceResult, JobFailure, subtaskFailed, taskFailed, taskOk } from "../domain/Job.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { callErrorText } from "./CallErrorText.ts"
import * as DeviceDeletion from "./DeviceDeletion.ts"
import { decodeArguments, deviceRows, type JobHandler, refusedAsFailure, type RunningJob } from "./JobHandler.ts"
import { notStarted } from "./SyncTasks.ts"

const TASK = "device_erase_task"
/** Names under which clients know the entries; the second one is spelled so. */
const ENABLE = "Enable"
const ERASE = "Write rase"
const REST = ["Remove device certificate", "Remove device key", "netmiko_send_command"] as const

const Arguments = Schema.Struct({ device_id: Schema.Int })
const Memo = Schema.Struct({ hostname: Schema.String, stage: Schema.Literals(["erasing", "erased"]) })

const failure = (message: string) => new JobFailure({ type: "ValueError", message })

const erased: DeviceResult = deviceResult([
  taskOk(TASK, "Device factory defaulted"),
  taskOk(ENABLE),
  taskOk(ERASE),
  ...REST.map((name) => taskOk(name))
])

/** `again`: the server was restarted while the switch was being erased, so it may be blank already. */
const notErased = (text: string, again: boolean): DeviceResult => {
  const doubt = again ? "The switch may have been erased before the server was restarted.\n" : ""
  return deviceResult([taskFailed(TASK, subtaskFailed(ERASE)), taskFailed(ERASE, `${doubt}${text}`)])
}

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const deletion = yield* DeviceDeletion.make
  const actorOf = yield* DeviceEntity.client

  const find = Effect.fnUntraced(function* (id: number) {
    const device = yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
      Effect.fail(failure(`Could not find a device with ID ${id}`))
    )
    if (device.device_type !== "ACCESS") return yield* failure("Can only do factory default on access")
    if (device.state !== "MANAGED" && device.state !== "UNMANAGED") {
      return yield* failure("Can only do factory default on MANAGED or UNMANAGED devices")
    }
    // known before the switch is blank
    yield* deletion.check(id)
    return device
  })

  const record = (job: RunningJob, hostname: string, result: DeviceResult, reachedEnd: boolean) =>
    jobs.addDevice(job.id, { hostname, result, reachedEnd, changed: reachedEnd, score: null })

  const finish = Effect.fnUntraced(function* (job: RunningJob, id: number, hostname: string) {
    yield* deletion.remove(id, { by: job.user, jobId: job.id })
    yield* record(job, hostname, erased, true)
  }, sql.withTransaction)

  const erase = Effect.fnUntraced(function* (job: RunningJob, { hostname, id }: Device, again: boolean) {
    yield* jobs.remember(job.id, { hostname, stage: "erasing" })
    const outcome = yield* Effect.result(patiently(actorOf(String(id)).EraseDevice()))
    if (outcome._tag === "Success") {
      yield* jobs.remember(job.id, { hostname, stage: "erased" })
      return yield* finish(job, id, hostname)
    }
    const error = outcome.failure
    const text = callErrorText(error)
    yield* record(job, hostname, notErased(text, again), false)
  })

  const handler: JobHandler = Effect.fn("DeviceErase")(function* (job: RunningJob) {
    const { device_id } = yield* decodeArguments(Arguments)(job)
    if ((yield* jobs.devices(job.id)).length > 0) return deviceRows
    const memo = Option.flatMap(yield* jobs.memo(job.id), Schema.decodeUnknownOption(Memo))
    if (Option.isSome(memo) && memo.value.stage === "erased") {
      yield* finish(job, device_id, memo.value.hostname)
      return deviceRows
    }
    const device = yield* find(device_id)
    if (yield* job.aborting) {
      const result = notStarted({ aborted: true, message: "The job was aborted" }, TASK)
      yield* record(job, device.hostname, result, false)
      return deviceRows
    }
    yield* erase(job, device, Option.isSome(memo))
    return deviceRows
  }, refusedAsFailure)
  return handler
})
