/**
 * Deleting a device: the row goes with its interfaces, links, addresses and pinned host key, its certificates are revoked, and its neighbours become
 * unsynchronized, and plugins hear of it (docs/api.md#deleting-a-device and docs/jobs.md#device_erase). The same for a request and for the job that
 * erases a switch.
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { Device, DeviceNotFound } from "../../domain/Device.ts"
import type { DeviceBusy } from "../../domain/DeviceIdentity.ts"
import { CertificateStore } from "../../store/CertificateStore.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { PluginCallStore } from "../../store/PluginCallStore.ts"
import { UniqueFieldStore } from "../../store/DeviceIdentifiers.ts"
import { LinknetStore, MgmtDomainStore } from "../../store/NetworkStore.ts"

/** A management domain refers to the device, so it cannot be deleted. */
export class DeviceInUse extends Schema.TaggedError<DeviceInUse>()("DeviceInUse", { message: Schema.String }) {
  get httpStatus() {
    return 409 as const
  }
}

/** Who deletes, and the job that does it when there is one. */
export interface DeletionCause {
  readonly by: string
  readonly jobId: number | null
}

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const domains = yield* MgmtDomainStore
  const identities = yield* UniqueFieldStore
  const events = yield* SyncEventStore
  const links = yield* LinknetStore
  const certificates = yield* CertificateStore
  const calls = yield* PluginCallStore

  const check = Effect.fn("DeviceDeletion.check")(function* (id: number) {
    const using = yield* domains.ofDevice(id)
    if (using.length === 0) return
    const list = using.map((domain) => domain.id).join(", ")
    const message = `Could not remove device because existing references: management domain ${list}`
    return yield* new DeviceInUse({ message })
  })

  const neighboursOf = Effect.fnUntraced(function* (id: number) {
    const ends = (yield* links.ofDevice(id)).flatMap((link) => [link.device_a_id, link.device_b_id])
    return yield* devices.byIds([...new Set(ends)].filter((end) => end !== id))
  })

  /** Nobody was told of a device that was never taken into the network. */
  const tell = ({ device_type, hostname, management_ip }: Device, jobId: number | null) =>
    device_type === "UNKNOWN"
      ? Effect.void
      : calls.record({ hook: "removed_device", hostname, device_type, management_ip }, { deviceId: null, jobId })

  const remove = Effect.fn("DeviceDeletion.remove")(function* (id: number, { by, jobId }: DeletionCause) {
    const device = yield* devices.lock(id)
    yield* check(id)
    yield* identities.requireIdle(device, jobId)
    yield* events.clear([device.hostname])
    const neighbours = yield* neighboursOf(id)
    yield* events.unsynchronize(neighbours, { cause: "neighbor_deleted", by, job_id: jobId })
    yield* certificates.revokeOfDevice(id, "cessationOfOperation")
    const removed = yield* devices.remove(id)
    yield* tell(removed, jobId)
    return removed
  })

  return DeviceDeletion.of({ check, remove })
})

/** Deletes devices. */
export class DeviceDeletion extends Context.Service<
  DeviceDeletion,
  {
    /** Fails with DeviceInUse when management domains refer to the device. */
    readonly check: (id: number) => Effect.Effect<void, DeviceInUse | SqlError.SqlError>
    /** Deletes the device; to be run in a transaction. Yields the row as it was. */
    readonly remove: (
      id: number,
      cause: DeletionCause
    ) => Effect.Effect<Device, DeviceBusy | DeviceInUse | DeviceNotFound | SqlError.SqlError>
  }
>()("switchyard/jobs/DeviceDeletion") {
  static readonly layer = Layer.effect(DeviceDeletion, make)
}
