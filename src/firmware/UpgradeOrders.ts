/**
 * Works out the order of a staggered upgrade from the devices and links of the database
 * (docs/jobs.md#order-of-a-staggered-upgrade).
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { type Device, isFabricType } from "../domain/Device.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { LinknetStore } from "../store/LinknetStore.ts"
import { type Network, type OrderedSwitch, upgradeOrder, UpgradeOrderUnknown } from "./UpgradeOrder.ts"

/** The text for a selection with other devices than access switches. */
export const ONLY_ACCESS = "Upgrade order determination is only supported for ACCESS-only device groups"

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const links = yield* LinknetStore
  const interfaces = yield* InterfaceStore

  /** Hostname of each selected switch's MLAG peer. */
  const peersOf = Effect.fnUntraced(function* (selected: ReadonlyArray<Device>, nameOf: ReadonlyMap<number, string>) {
    const ports = yield* interfaces.ofDevices(selected.map(({ id }) => id))
    const peers = new Map<string, string>()
    for (const { configtype, data, device_id } of ports) {
      const peer = configtype === "MLAG_PEER" ? nameOf.get(Number(data?.["neighbor_id"])) : undefined
      const own = nameOf.get(device_id)
      if (peer === undefined || own === undefined) continue
      peers.set(own, peer)
      peers.set(peer, own)
    }
    return peers
  })

  const networkOf = Effect.fnUntraced(function* (selected: ReadonlyArray<Device>) {
    const all = yield* devices.all
    const nameOf = new Map(all.map(({ hostname, id }) => [id, hostname]))
    const neighbours = new Map(all.map(({ hostname }) => [hostname, new Set<string>()]))
    for (const { device_a_id, device_b_id } of yield* links.all) {
      const [a, b] = [nameOf.get(device_a_id), nameOf.get(device_b_id)]
      if (a === undefined || b === undefined || a === b) continue
      neighbours.get(a)?.add(b)
      neighbours.get(b)?.add(a)
    }
    const peers = yield* peersOf(selected, nameOf)
    return new Map<string, OrderedSwitch>(
      all.map(({ device_type, hostname }) => [
        hostname,
        {
          hostname,
          root: isFabricType(device_type),
          neighbours: neighbours.get(hostname) ?? new Set(),
          mlagPeer: peers.get(hostname)
        }
      ])
    ) satisfies Network
  })

  const order = Effect.fn("UpgradeOrders.order")(function* (selected: ReadonlyArray<Device>) {
    if (selected.some(({ device_type }) => device_type !== "ACCESS")) {
      return yield* new UpgradeOrderUnknown({ message: ONLY_ACCESS })
    }
    const batches = upgradeOrder(
      yield* networkOf(selected),
      selected.map(({ hostname }) => hostname)
    )
    return batches instanceof UpgradeOrderUnknown ? yield* batches : batches
  })

  return UpgradeOrders.of({ order })
})

/** Orders of staggered upgrades. */
export class UpgradeOrders extends Context.Service<
  UpgradeOrders,
  {
    /** Batches of hostnames that may be away together, first to last. */
    readonly order: (
      selected: ReadonlyArray<Device>
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, UpgradeOrderUnknown | SqlError.SqlError>
  }
>()("switchyard/firmware/UpgradeOrders") {
  static readonly layer = Layer.effect(UpgradeOrders, make)
}
