/** Telling that devices have become unsynchronized because something beside them changed. */
import { Effect } from "effect"
import type { Device } from "../../domain/Device.ts"
import type { SyncCause } from "../../domain/SyncCause.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { LinknetStore } from "../../store/NetworkStore.ts"

/** Marks devices unsynchronized with one event each, and finds the devices at the other ends of a device's links. */
export const makeNeighbours = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const links = yield* LinknetStore
  const events = yield* SyncEventStore

  /** One event per id, in this order; an id that comes twice gets two. */
  const unsynchronize = Effect.fn("Neighbours.unsynchronize")(function* (
    ids: ReadonlyArray<number>,
    cause: SyncCause,
    by: string
  ) {
    const found = new Map((yield* devices.byIds([...new Set(ids)])).map((device) => [device.id, device]))
    const concerned = ids.flatMap((id) => found.get(id) ?? [])
    yield* events.unsynchronize(concerned, { cause, by, job_id: null })
  })

  const linkedTo = Effect.fn("Neighbours.linkedTo")(function* (device: Pick<Device, "id">) {
    const ids = (yield* links.ofDevice(device.id)).flatMap((link) => [link.device_a_id, link.device_b_id])
    return [...new Set(ids)].filter((id) => id !== device.id)
  })

  return { unsynchronize, linkedTo }
})
