/**
 * The order of a staggered upgrade: batches of access switches that may be offline at the same time (docs/jobs.md#order-of-a-staggered-upgrade).
 * Switches next to the distribution layer come first, the two of an MLAG pair one after the other, and a switch with several paths to the
 * distribution layer always keeps one of them.
 */
import { Effect, Schema } from "effect"
import { type Device, isFabricType } from "../domain/Device.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { NetworkStore } from "../store/NetworkStore.ts"

/** A switch of the network. `root`: a distribution or core switch, which is not upgraded and leads out of the access layer. */
export interface OrderedSwitch {
  readonly hostname: string
  readonly root: boolean
  /** Hostnames of directly connected switches. */
  readonly neighbours: ReadonlySet<string>
  readonly mlagPeer: string | undefined
}

/** No order is known for this selection. */
export class UpgradeOrderUnknown extends Schema.TaggedError<UpgradeOrderUnknown>()("UpgradeOrderUnknown", {
  message: Schema.String
}) {}

/** Every switch by its hostname. Neighbours that are not in the map are ignored. */
export type Network = ReadonlyMap<string, OrderedSwitch>

/** Access switches that are connected with each other, apart from their uplinks. */
type Component = ReadonlySet<string>

const componentOf = (network: Network, start: string): Set<string> => {
  const seen = new Set([start])
  const queue = [start]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    for (const neighbour of network.get(name)?.neighbours ?? []) {
      if (seen.has(neighbour) || network.get(neighbour)?.root !== false) continue
      seen.add(neighbour)
      queue.push(neighbour)
    }
  }
  return seen
}

const hasRoot = (network: Network, name: string): boolean =>
  [...(network.get(name)?.neighbours ?? [])].some((neighbour) => network.get(neighbour)?.root === true)

/** Distance of each switch from the roots while the switches of `away` are down; unconnected switches are missing. */
const distances = (network: Network, component: Component, away: ReadonlySet<string>): Map<string, number> => {
  const found = new Map<string, number>()
  let layer = [...component].filter((name) => !away.has(name) && hasRoot(network, name))
  for (let distance = 0; layer.length > 0; distance++) {
    for (const name of layer) found.set(name, distance)
    const next = new Set<string>()
    for (const name of layer) {
      for (const neighbour of network.get(name)?.neighbours ?? []) {
        if (component.has(neighbour) && !found.has(neighbour) && !away.has(neighbour)) next.add(neighbour)
      }
    }
    layer = [...next]
  }
  return found
}

/** One component, surveyed with all switches up and with each single switch down. */
interface ComponentSurvey {
  readonly component: Component
  readonly layers: ReadonlyMap<string, number>
  /** Switches that lose every path while this one is down, which cannot be avoided. */
  readonly cutOffBy: (name: string) => ReadonlySet<string>
}

const survey = (network: Network, component: Component): ComponentSurvey => {
  const whole = distances(network, component, new Set())
  const layers = new Map(whole)
  for (const [name, own] of whole) {
    const peer = network.get(name)?.mlagPeer
    const other = peer === undefined ? undefined : whole.get(peer)
    if (other !== undefined) layers.set(name, Math.min(own, other))
  }
  const known = new Map<string, ReadonlySet<string>>()
  const cutOffBy = (name: string) => {
    const cached = known.get(name)
    if (cached !== undefined) return cached
    const left = distances(network, component, new Set([name]))
    const cut = new Set([...whole.keys()].filter((other) => other !== name && !left.has(other)))
    known.set(name, cut)
    return cut
  }
  return { component, layers, cutOffBy }
}

/**
 * True if the switches of a batch may be down together, in any combination: every other switch keeps a path (unless a single
 * switch of the batch is its only path), and so does each switch of the batch that returns before the others.
 */
const mayBeAway = (
  network: Network,
  { component, cutOffBy, layers }: ComponentSurvey,
  batch: ReadonlySet<string>
): boolean => {
  const left = distances(network, component, batch)
  const comesBackToNothing = (name: string) =>
    !hasRoot(network, name) && ![...(network.get(name)?.neighbours ?? [])].some((neighbour) => left.has(neighbour))
  const isLeftAlone = (name: string) => !left.has(name) && ![...batch].some((one) => cutOffBy(one).has(name))
  return [...layers.keys()].every((name) => (batch.has(name) ? !comesBackToNothing(name) : !isLeftAlone(name)))
}

const ready = (network: Network, { layers }: ComponentSurvey, waiting: ReadonlySet<string>, name: string): boolean =>
  [...(network.get(name)?.neighbours ?? [])].every(
    (neighbour) => !waiting.has(neighbour) || (layers.get(neighbour) ?? 0) >= (layers.get(name) ?? 0)
  )

const batchesOf = (
  network: Network,
  surveyed: ComponentSurvey,
  selected: ReadonlyArray<string>
): Array<Array<string>> => {
  const batches: Array<Array<string>> = []
  const waiting = new Set(selected)
  while (waiting.size > 0) {
    const batch = new Set<string>()
    const candidates = [...waiting].filter((name) => ready(network, surveyed, waiting, name))
    for (const name of candidates) {
      const peer = network.get(name)?.mlagPeer
      if (peer !== undefined && batch.has(peer)) continue
      if (mayBeAway(network, surveyed, new Set([...batch, name]))) batch.add(name)
    }
    // a single switch may always be down; this only guards against a rule above that forbids even that
    const [first] = candidates
    if (batch.size === 0 && first !== undefined) batch.add(first)
    for (const name of batch) waiting.delete(name)
    batches.push([...batch])
  }
  return batches
}

const unconnected = () =>
  new UpgradeOrderUnknown({
    message: "No devices with neighbors in the last added group found in ACCESS-only upgrade group"
  })

/**
 * Batches of the selected hostnames, each ascending. Yields UpgradeOrderUnknown if a selected switch has no known path to a
 * distribution or core switch.
 */
export const upgradeOrder = (
  network: Network,
  selected: ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<string>> | UpgradeOrderUnknown => {
  const merged: Array<Array<string>> = []
  const left = new Set(selected.toSorted())
  for (const name of left) {
    const surveyed = survey(network, componentOf(network, name))
    const members = [...surveyed.component].filter((other) => left.has(other)).toSorted()
    if (members.some((member) => !surveyed.layers.has(member))) return unconnected()
    for (const [index, batch] of batchesOf(network, surveyed, members).entries()) {
      merged[index] = [...(merged[index] ?? []), ...batch]
    }
    for (const member of members) left.delete(member)
  }
  return merged.map((batch) => batch.toSorted())
}

// The order for devices and links of the database.

/** The message for a selection with devices other than access switches. */
export const ONLY_ACCESS = "Upgrade order determination is only supported for ACCESS-only device groups"

/** Orders of staggered upgrades. */
export const makeUpgradeOrders = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const { links } = yield* NetworkStore
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

  return {
    /** Batches of hostnames that may be down together, first to last. */
    order
  }
})
