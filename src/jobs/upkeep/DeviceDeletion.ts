/**
 * Deletes a device: removes the row with its interfaces, links, addresses and pinned host key, revokes its certificates, makes its
 * neighbours unsynchronized, and notifies plugins (docs/api.md#deleting-a-device and docs/jobs.md#device_erase). The same for a
 * request and for the job that erases a switch.
 */
import { Effect, Option, Schema } from "effect"
import type { Device } from "../../domain/Device.ts"
import { CertificateStore } from "../../store/CertificateStore.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { PluginCallStore } from "../../store/PluginCallStore.ts"
import { callErrorText, DeviceEntity, type Erased, patiently } from "../../devices/DeviceCalls.ts"
import { type DeviceResult, deviceResult, JobFailure, subtaskFailed, taskFailed, taskOk } from "../../domain/Job.ts"
import { can, requireManageable } from "../../domain/platforms/Platforms.ts"
import type { OperationPhase } from "../../domain/DeviceActivity.ts"
import { DeviceErase } from "../../domain/jobs/UpkeepJobs.ts"
import { PluginActions } from "../../plugins/PluginActions.ts"
import { JobStore } from "../../store/JobStore.ts"
import { OperationStore } from "../../store/OperationStore.ts"
import { JobWindows, outsideWindow } from "../requests/JobWindows.ts"
import {
  deviceRows,
  handle,
  inTransaction,
  type JobRun,
  notStarted,
  refusedAsFailure,
  type RunningJob
} from "../engine/JobHandler.ts"
import { UniqueFieldStore } from "../../store/DeviceIdentifiers.ts"
import { NetworkStore } from "../../store/NetworkStore.ts"

/** A management domain refers to the device, so it cannot be deleted. */
class DeviceInUse extends Schema.TaggedError<DeviceInUse>()("DeviceInUse", { message: Schema.String }) {
  get httpStatus() {
    return 409 as const
  }
}

/** The user who deletes, and the job that does it, if there is one. */
interface DeletionCause {
  readonly by: string
  readonly jobId: number | null
}

/** Fails with DeviceInUse when management domains refer to the device. */
const checkDeletion = Effect.fn("DeviceDeletion.check")(function* (id: number) {
  const { domains } = yield* NetworkStore

  const using = yield* domains.ofDevice(id)
  if (using.length === 0) return
  const list = using.map((domain) => domain.id).join(", ")
  const message = `Could not remove device because existing references: management domain ${list}`
  return yield* new DeviceInUse({ message })
})

const neighboursOf = Effect.fnUntraced(function* (id: number) {
  const devices = yield* DeviceStore
  const { links } = yield* NetworkStore

  const ends = (yield* links.ofDevice(id)).flatMap((link) => [link.device_a_id, link.device_b_id])
  return yield* devices.byIds([...new Set(ends)].filter((end) => end !== id))
})

/** Notifies plugins, which do not know a device that was never initialised. */
const tell = Effect.fnUntraced(function* ({ device_type, hostname, management_ip }: Device, jobId: number | null) {
  const calls = yield* PluginCallStore
  return yield* device_type === "UNKNOWN"
    ? Effect.void
    : calls.record({ hook: "removed_device", hostname, device_type, management_ip }, { deviceId: null, jobId })
})

/** Deletes the device; must run in a transaction. Yields the previous row. */
export const deleteDevice = Effect.fn("DeviceDeletion.remove")(function* (id: number, { by, jobId }: DeletionCause) {
  const devices = yield* DeviceStore
  const identities = yield* UniqueFieldStore
  const events = yield* SyncEventStore
  const certificates = yield* CertificateStore

  const device = yield* devices.lock(id)
  yield* checkDeletion(id)
  yield* identities.requireIdle(device, jobId)
  yield* events.clear([device.hostname])
  const neighbours = yield* neighboursOf(id)
  yield* events.unsynchronize(neighbours, { cause: "neighbor_deleted", by, job_id: jobId })
  yield* certificates.revokeOfDevice(id, "cessationOfOperation")
  const removed = yield* devices.remove(id)
  yield* tell(removed, jobId)
  return removed
})

// Job `device_erase`: resets an access switch to its factory default and deletes its row (docs/jobs.md#device_erase). A switch that
// could not be erased keeps its row.

const TASK = "device_erase_task"
/** The names of the entries that clients know, with their spelling. */
const ENABLE = "Enable"
const ERASE = "Write rase"
const CERTIFICATE = "Remove device certificate"
const KEY = "Remove device key"
const RELOAD = "netmiko_send_command"

const failure = (message: string) => new JobFailure({ type: "ValueError", message })

/** Why a restart was not seen; the switch is blank at its next start in any case. */
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

/** The possible state of the switch after a lost connection, by the phase of the operation. */
const doubts: Partial<Record<OperationPhase, string>> = {
  wiping:
    "The startup configuration may be erased already: then the switch comes up blank when it restarts. Save its configuration or erase it again.\n",
  reloading: "The startup configuration is erased: the switch comes up blank when it restarts.\n"
}

const notErased = (text: string, phase: OperationPhase | undefined): DeviceResult => {
  const doubt = phase === undefined ? "Nothing was erased.\n" : (doubts[phase] ?? "")
  return deviceResult([taskFailed(TASK, subtaskFailed(ERASE)), taskFailed(ERASE, `${doubt}${text}`)])
}

const find = Effect.fnUntraced(function* (id: number, job: RunningJob) {
  const devices = yield* DeviceStore
  const identities = yield* UniqueFieldStore

  const device = yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
    Effect.fail(failure(`Could not find a device with ID ${id}`))
  )
  if (device.device_type !== "ACCESS") return yield* failure("Can only do factory default on access")
  if (device.state !== "MANAGED" && device.state !== "UNMANAGED") {
    return yield* failure("Can only do factory default on MANAGED or UNMANAGED devices")
  }
  yield* requireManageable(device)
  if (!can(device, "erase")) return yield* failure(`Factory default not supported on platform: ${device.platform}`)
  // checked before the switch is blank
  yield* checkDeletion(id)
  yield* identities.requireUndisputed(id)
  yield* identities.requireIdle(device, job.id)
  return device
})

const record = Effect.fnUntraced(function* (
  job: RunningJob,
  hostname: string,
  result: DeviceResult,
  reachedEnd: boolean
) {
  const jobs = yield* JobStore
  return yield* jobs.addDevice(job.id, { hostname, result, reachedEnd, changed: reachedEnd, score: null })
})

const finish = Effect.fnUntraced(function* (job: RunningJob, { hostname, id }: Device, outcome: Erased) {
  yield* deleteDevice(id, { by: job.user, jobId: job.id })
  yield* record(job, hostname, erased(outcome), true)
}, inTransaction)

const erase = Effect.fnUntraced(function* (job: RunningJob, device: Device) {
  const operations = yield* OperationStore
  const plugins = yield* PluginActions
  const actorOf = yield* DeviceEntity.client

  const outcome = yield* Effect.result(patiently(actorOf(String(device.id)).EraseDevice({ jobId: job.id })))
  if (outcome._tag === "Success") {
    yield* finish(job, device, outcome.success)
    return yield* plugins.runPatiently
  }
  const begun = yield* operations.ofJob(job.id, device.id, "erase")
  const phase = Option.match(begun, { onNone: () => undefined, onSome: (operation) => operation.phase })
  yield* record(job, device.hostname, notErased(callErrorText(outcome.failure), phase), false)
})

const handler = Effect.fn("DeviceErase")(function* (job: JobRun<typeof DeviceErase>) {
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const operations = yield* OperationStore
  const windows = yield* JobWindows

  const { device_id } = job.args
  if ((yield* jobs.devices(job.id)).length > 0) return deviceRows
  // an operation that was begun before a restart is completed, whatever the state of the row
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

export const job = handle(DeviceErase, handler)
