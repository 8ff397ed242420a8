/**
 * Job `device_erase`: brings an access switch back to its factory default and deletes its row (docs/jobs.md#device_erase). A
 * switch that could not be erased keeps its row.
 */
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import type { Erased } from "../../devices/OperationCalls.ts"
import { patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, JobFailure, subtaskFailed, taskFailed, taskOk } from "../../domain/Job.ts"
import { can, requireManageable } from "../../domain/platforms/Platforms.ts"
import type { OperationPhase } from "../../domain/DeviceActivity.ts"
import { DeviceErase } from "../../domain/jobs/UpkeepJobs.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { OperationStore } from "../../store/OperationStore.ts"
import { JobWindows } from "../engine/JobWindows.ts"
import { callErrorText } from "../engine/CallErrorText.ts"
import { DeviceDeletion } from "./DeviceDeletion.ts"
import { deviceRows, handle, type JobHandler, refusedAsFailure, type RunningJob } from "../engine/JobHandler.ts"
import { notStarted, outsideWindow } from "../sync/SyncTasks.ts"
import { UniqueFieldStore } from "../../store/DeviceIdentifiers.ts"

const TASK = "device_erase_task"
/** Names under which clients know the entries; the second one is spelled so. */
const ENABLE = "Enable"
const ERASE = "Write rase"
const CERTIFICATE = "Remove device certificate"
const KEY = "Remove device key"
const RELOAD = "netmiko_send_command"

const failure = (message: string) => new JobFailure({ type: "ValueError", message })

/** Why a restart was not seen; the switch is blank when it starts the next time in any case. */
const UNSEEN =
  "The server was restarted while the switch was told to restart. Its startup configuration is erased and it does not answer any more."

const erased = ({ reloadSeen }: Erased): DeviceResult =>
  deviceResult([
    taskOk(TASK, "Device factory defaulted"),
    taskOk(ENABLE),
    taskOk(ERASE),
    taskOk(CERTIFICATE),
    taskOk(KEY),
    taskOk(RELOAD, reloadSeen ? null : UNSEEN)
  ])

/** What the switch may have got before it was lost, by how far the operation was. */
const doubts: Partial<Record<OperationPhase, string>> = {
  wiping:
    "The startup configuration may be erased already: then the switch comes up blank when it restarts. Save its configuration or erase it again.\n",
  reloading: "The startup configuration is erased: the switch comes up blank when it restarts.\n"
}

const notErased = (text: string, phase: OperationPhase | undefined): DeviceResult => {
  const doubt = phase === undefined ? "Nothing was erased.\n" : (doubts[phase] ?? "")
  return deviceResult([taskFailed(TASK, subtaskFailed(ERASE)), taskFailed(ERASE, `${doubt}${text}`)])
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const operations = yield* OperationStore
  const deletion = yield* DeviceDeletion
  const identities = yield* UniqueFieldStore
  const windows = yield* JobWindows
  const plugins = yield* PluginActions
  const actorOf = yield* DeviceEntity.client

  const find = Effect.fnUntraced(function* (id: number, job: RunningJob) {
    const device = yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
      Effect.fail(failure(`Could not find a device with ID ${id}`))
    )
    if (device.device_type !== "ACCESS") return yield* failure("Can only do factory default on access")
    if (device.state !== "MANAGED" && device.state !== "UNMANAGED") {
      return yield* failure("Can only do factory default on MANAGED or UNMANAGED devices")
    }
    yield* requireManageable(device)
    if (!can(device, "erase")) return yield* failure(`Factory default not supported on platform: ${device.platform}`)
    // known before the switch is blank
    yield* deletion.check(id)
    yield* identities.requireUndisputed(id)
    yield* identities.requireIdle(device, job.id)
    return device
  })

  const record = (job: RunningJob, hostname: string, result: DeviceResult, reachedEnd: boolean) =>
    jobs.addDevice(job.id, { hostname, result, reachedEnd, changed: reachedEnd, score: null })

  const finish = Effect.fnUntraced(function* (job: RunningJob, { hostname, id }: Device, outcome: Erased) {
    yield* deletion.remove(id, { by: job.user, jobId: job.id })
    yield* record(job, hostname, erased(outcome), true)
  }, sql.withTransaction)

  const erase = Effect.fnUntraced(function* (job: RunningJob, device: Device) {
    const outcome = yield* Effect.result(patiently(actorOf(String(device.id)).EraseDevice({ jobId: job.id })))
    if (outcome._tag === "Success") {
      yield* finish(job, device, outcome.success)
      return yield* plugins.runPatiently
    }
    const begun = yield* operations.ofJob(job.id, device.id, "erase")
    const phase = Option.match(begun, { onNone: () => undefined, onSome: (operation) => operation.phase })
    yield* record(job, device.hostname, notErased(callErrorText(outcome.failure), phase), false)
  })

  const handler: JobHandler<typeof DeviceErase> = Effect.fn("DeviceErase")(function* (job) {
    const { device_id } = job.args
    if ((yield* jobs.devices(job.id)).length > 0) return deviceRows
    // what was begun before a restart is brought to its end, whatever has become of the row meanwhile
    const begun = Option.isSome(yield* operations.ofJob(job.id, device_id, "erase"))
    const device = yield* begun ? devices.get(device_id) : find(device_id, job)
    if (!begun && (yield* job.aborting)) {
      const result = notStarted({ aborted: true, message: "The job was aborted" }, TASK)
      yield* record(job, device.hostname, result, false)
      return deviceRows
    }
    const closed = begun ? null : yield* windows.closed(job.args, device)
    if (closed === null) yield* erase(job, device)
    else yield* record(job, device.hostname, outsideWindow(closed, TASK), false)
    return deviceRows
  }, refusedAsFailure)
  return handler
})

export const job = handle(DeviceErase, make)
