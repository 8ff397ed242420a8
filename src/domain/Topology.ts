/**
 * Cables as planned in the database and as reported by neighbours, and the new switches that wait at their ports
 * (docs/page.md#new-switches-and-the-drawing). Pure.
 */
import { Schema } from "effect"
import { DeviceState, DeviceType } from "./Device.ts"
import { endOf, type Linknet } from "./Linknet.ts"
import { longName } from "./platforms/Platforms.ts"

/**
 * `agreed`: an end sees what is planned. `planned`: no end sees it, although one was read. `unread`: planned, and no end was
 * ever read. `seen`: no link exists for it. `moved`: planned, and one of its ports sees something else (`instead`).
 */
export const agreements = ["agreed", "planned", "unread", "seen", "moved"] as const

export const TopologyNode = Schema.Struct({
  id: Schema.Int,
  hostname: Schema.String,
  device_type: DeviceType,
  state: DeviceState,
  synchronized: Schema.Boolean,
  os_version: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  primary_group: Schema.String,
  unreachable: Schema.Boolean,
  /** The newest job that is changing or initialising it. */
  job_id: Schema.NullOr(Schema.Int),
  /** The last time that its neighbours were read; null for never. */
  neighbours_read: Schema.NullOr(Schema.String)
}).annotate({ identifier: "TopologyNode" })
export type TopologyNode = typeof TopologyNode.Type

const TopologyEdge = Schema.Struct({
  a: Schema.Int,
  a_port: Schema.String,
  b: Schema.Int,
  b_port: Schema.String,
  linknet_id: Schema.NullOr(Schema.Int),
  agreement: Schema.Literals(agreements),
  /** The neighbour that a port of a moved cable sees: `lhv-dist1 Ethernet3 sees lhv-acc2 Ethernet49`. */
  instead: Schema.NullOr(Schema.String)
}).annotate({ identifier: "TopologyEdge" })
type TopologyEdge = typeof TopologyEdge.Type

export const Topology = Schema.Struct({
  nodes: Schema.Array(TopologyNode),
  edges: Schema.Array(TopologyEdge)
}).annotate({ identifier: "Topology" })
export type Topology = typeof Topology.Type

/** The part of a device that edges need. */
export interface EndDevice {
  readonly id: number
  readonly hostname: string
  readonly platform: string | null
  readonly neighbours_read: string | null
}

/** The neighbour that a device has received on a port. */
export interface LldpNeighbour {
  readonly device_id: number
  readonly port: string
  readonly name: string
  readonly peer_port: string
}

const shortOf = (name: string): string => (name.split(".", 1)[0] ?? name).toLowerCase()

/** Finds the device with an announced name: by the exact name, else without its domain. */
const finderOf = <D extends Pick<EndDevice, "hostname">>(devices: Iterable<D>) => {
  const whole = new Map<string, D>()
  const short = new Map<string, D>()
  for (const device of devices) {
    whole.set(device.hostname.toLowerCase(), device)
    short.set(shortOf(device.hostname), device)
  }
  return (name: string): D | undefined => {
    const asked = name.toLowerCase().replace(/\.$/, "")
    return whole.get(asked) ?? short.get(shortOf(asked))
  }
}

interface SeenCable {
  readonly from: EndDevice
  readonly port: string
  readonly to: EndDevice
  readonly peerPort: string
}

const endKey = (id: number, port: string) => `${id} ${port}`
const cableKey = (a: string, b: string) => (a < b ? `${a}|${b}` : `${b}|${a}`)
const long = ({ platform }: EndDevice, port: string) => longName(platform ?? "", port)

const seenCables = (
  devices: ReadonlyArray<EndDevice>,
  heard: ReadonlyArray<LldpNeighbour>
): ReadonlyArray<SeenCable> => {
  const byId = new Map(devices.map((device) => [device.id, device]))
  const find = finderOf(devices)
  return heard.flatMap(({ device_id, name, peer_port, port }) => {
    const from = byId.get(device_id)
    const to = find(name)
    if (from === undefined || to === undefined || from.id === to.id) return []
    return [{ from, port: long(from, port), to, peerPort: long(to, peer_port) }]
  })
}

/** The cables between these devices; links to other devices are left out. */
export const edgesOf = (
  devices: ReadonlyArray<EndDevice>,
  links: ReadonlyArray<Linknet>,
  heard: ReadonlyArray<LldpNeighbour>
): ReadonlyArray<TopologyEdge> => {
  const byId = new Map(devices.map((device) => [device.id, device]))
  const seen = seenCables(devices, heard)
  const ends = seen.flatMap((cable) => [
    { cable, end: endKey(cable.from.id, cable.port) },
    { cable, end: endKey(cable.to.id, cable.peerPort) }
  ])
  const atPort = Map.groupBy(ends, ({ end }) => end)
  const keyOf = ({ from, peerPort, port, to }: SeenCable) => cableKey(endKey(from.id, port), endKey(to.id, peerPort))
  const byCable = new Map(seen.map((cable) => [keyOf(cable), cable]))
  const planned = links.flatMap((link): ReadonlyArray<TopologyEdge & { readonly key: string }> => {
    const a = byId.get(link.device_a_id)
    const b = byId.get(link.device_b_id)
    if (a === undefined || b === undefined) return []
    const [a_port, b_port] = [long(a, link.device_a_port), long(b, link.device_b_port)]
    const both = [endKey(a.id, a_port), endKey(b.id, b_port)] as const
    const key = cableKey(...both)
    const others = both.flatMap((end) => atPort.get(end) ?? []).filter(({ cable }) => keyOf(cable) !== key)
    const other = others[0]?.cable
    const wasRead = a.neighbours_read !== null || b.neighbours_read !== null
    const agreement = byCable.has(key) ? "agreed" : other !== undefined ? "moved" : wasRead ? "planned" : "unread"
    const instead =
      agreement === "moved" && other !== undefined
        ? `${other.from.hostname} ${other.port} sees ${other.to.hostname} ${other.peerPort}`
        : null
    return [{ a: a.id, a_port, b: b.id, b_port, linknet_id: link.id, agreement, instead, key }]
  })
  const known = new Set(planned.map(({ key }) => key))
  const unplanned = [...byCable].flatMap(([key, { from, peerPort, port, to }]): ReadonlyArray<TopologyEdge> => {
    if (known.has(key)) return []
    const cable = { a: from.id, a_port: port, b: to.id, b_port: peerPort }
    return [{ ...cable, linknet_id: null, agreement: "seen", instead: null }]
  })
  return [...planned.map(({ key: _key, ...edge }) => edge), ...unplanned]
}

// Switches that wait to be initialised, with their places in the network (docs/page.md#new-switches-and-the-drawing): the ports
// of known devices that they receive over LLDP or that receive them, and the device at the other end of a port according to the
// links of the database, whose place they may take.

const nullableText = Schema.NullOr(Schema.String)

/** The port of a known device, and the source of the report. */
const Place = Schema.Struct({
  hostname: Schema.String,
  port: Schema.String,
  /** The port of the new switch; empty when only the neighbour was asked and does not report it. */
  own_port: Schema.String,
  /** `switch`: the new switch receives the device. `neighbour`: the device receives the new switch. */
  heard_by: Schema.Literals(["switch", "neighbour"]),
  linknet_id: Schema.NullOr(Schema.Int),
  /** The device at the other end of the link, when it is another one. */
  was: nullableText,
  was_state: Schema.NullOr(DeviceState)
}).annotate({ identifier: "DevicePlace" })
type Place = typeof Place.Type

/** Who has ignored a new switch, when, and why. */
const Ignored = Schema.Struct({
  by: Schema.String,
  at: Schema.String,
  comment: nullableText
}).annotate({ identifier: "IgnoredDevice" })

export const WaitingDevice = Schema.Struct({
  id: Schema.Int,
  hostname: Schema.String,
  state: DeviceState,
  ztp_mac: nullableText,
  serial: nullableText,
  platform: nullableText,
  vendor: nullableText,
  model: nullableText,
  os_version: nullableText,
  dhcp_ip: nullableText,
  /** When it came into its state; null when no longer known. */
  since: nullableText,
  neighbours_read: nullableText,
  places: Schema.Array(Place),
  /** The device whose place it may take: it has a link to every place with a link, and it is the only one. */
  replaces: nullableText,
  /** Why it cannot be initialised now; empty when no reason is known. */
  problems: Schema.Array(Schema.String),
  /** The newest discovery or initialisation that has not ended. */
  job_id: Schema.NullOr(Schema.Int),
  /** The newest discovery or initialisation of the last week, if it failed and none runs. */
  failed_job_id: Schema.NullOr(Schema.Int),
  /** Who does not want to set it up; null for a switch that waits. */
  ignored: Schema.NullOr(Ignored)
}).annotate({ identifier: "WaitingDevice" })
export type WaitingDevice = typeof WaitingDevice.Type

/** A device at an end of a place. */
export interface PlaceDevice {
  readonly id: number
  readonly hostname: string
  readonly platform: string | null
  readonly state: DeviceState
}

const NEW: ReadonlySet<DeviceState> = new Set(["DHCP_BOOT", "DISCOVERED", "UNKNOWN", "PRE_CONFIGURED"])

/** The places of a switch, once per port; its own reports come before those of others. */
export const placesOf = (
  device: PlaceDevice,
  devices: ReadonlyArray<PlaceDevice>,
  links: ReadonlyArray<Linknet>,
  heard: ReadonlyArray<LldpNeighbour>
): ReadonlyArray<Place> => {
  const byId = new Map(devices.map((each) => [each.id, each]))
  const find = finderOf(devices)
  const found = new Map<string, Place>()
  const add = (at: PlaceDevice, port: string, own: string, heard_by: Place["heard_by"]) => {
    if (at.id === device.id || NEW.has(at.state) || port === "") return
    const long = longName(at.platform ?? "", port)
    const key = `${at.id} ${long}`
    if (found.has(key)) return
    const link = links.find((each) => endOf(each, at.id)?.port === long)
    const peer = link === undefined ? undefined : byId.get(endOf(link, at.id)?.peerId ?? -1)
    const was = peer === undefined || peer.id === device.id ? undefined : peer
    found.set(key, {
      hostname: at.hostname,
      port: long,
      own_port: longName(device.platform ?? "", own),
      heard_by,
      linknet_id: link?.id ?? null,
      was: was?.hostname ?? null,
      was_state: was?.state ?? null
    })
  }
  for (const each of heard.filter(({ device_id }) => device_id === device.id)) {
    const at = find(each.name)
    if (at !== undefined) add(at, each.peer_port, each.port, "switch")
  }
  for (const each of heard) {
    const at = byId.get(each.device_id)
    if (at !== undefined && find(each.name)?.id === device.id) add(at, each.port, each.peer_port, "neighbour")
  }
  return [...found.values()]
}

/** The only device at these places. */
export const replacedBy = (places: ReadonlyArray<Place>): string | null => {
  const names = new Set(places.flatMap(({ was }) => (was === null ? [] : [was])))
  const [only] = names
  return names.size === 1 && only !== undefined ? only : null
}
