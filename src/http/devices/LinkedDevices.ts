/**
 * The devices at both ends of a link or management domain: finding and locking them, refusing used ports, and marking them unsynchronized.
 */
import { Effect, Order } from "effect"
import type { Device } from "../../domain/Device.ts"
import type { CheckedBody } from "../../domain/fields/Body.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import type { SyncCause } from "../../domain/SyncCause.ts"
import { BadRequest } from "../../api/Answers.ts"
import { NetworkStore } from "../../store/NetworkStore.ts"

/** Locks devices until the transaction ends, lowest id first, so that two requests cannot wait for each other. */
export const lockDevices = Effect.map(
  Effect.service(DeviceStore),
  (devices) => (ids: ReadonlyArray<number>) =>
    Effect.forEach([...new Set(ids)].toSorted(Order.Number), (id) => devices.lock(id), { discard: true })
)

interface WithEnds {
  readonly device_a?: string
  readonly device_b?: string
}

/** The devices that a body names, and the body with a refusal for each unknown one. `unknown` makes the sentence. */
export const makeNamedEnds = Effect.map(Effect.service(DeviceStore), (devices) =>
  Effect.fnUntraced(function* <A extends WithEnds>(
    sent: CheckedBody<A>,
    unknown: (key: string, hostname: string) => string
  ) {
    const { device_a, device_b }: Partial<WithEnds> = sent.fields
    const names = [device_a, device_b].filter((name) => name !== undefined)
    const found = new Map((yield* devices.byHostnames(names)).map((device) => [device.hostname, device]))
    const ends = [
      ["device_a", device_a],
      ["device_b", device_b]
    ] as const
    const judged = ends.reduce(
      (checked, [key, name]) =>
        name === undefined || found.has(name) ? checked : checked.refuse(key, unknown(key, name)),
      sent
    )
    return { judged, a: found.get(device_a ?? ""), b: found.get(device_b ?? "") }
  })
)

/** One end of a link. */
interface End {
  readonly device: Pick<Device, "id" | "hostname">
  readonly port: string
}

/** Fails with 400 and one sentence for each end whose port belongs to a link other than `own`. */
export const makePortCheck = Effect.map(Effect.service(NetworkStore), ({ links }) =>
  Effect.fnUntraced(function* (ends: ReadonlyArray<End>, own?: number) {
    const message: Array<string> = []
    for (const { device, port } of ends) {
      const using = (yield* links.atPort(device.id, port)).filter((link) => link.id !== own)
      if (using.length > 0) {
        message.push(`Port ${port} on device ${device.hostname} is already used by another linknet`)
      }
    }
    const [first, second] = ends
    if (first !== undefined && first.device.id === second?.device.id && first.port === second.port) {
      message.push(`Port ${first.port} on device ${first.device.hostname} cannot be both ends of a linknet`)
    }
    if (message.length > 0) return yield* new BadRequest({ message })
  })
)

// Devices become unsynchronized when a neighbour changes.

/** Marks devices unsynchronized with one event each, and finds the devices at the other ends of a device's links. */
export const makeNeighbours = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const { links } = yield* NetworkStore
  const events = yield* SyncEventStore

  /** One event for each id, in this order, also for repeated ids. */
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
