/** The LLDP neighbours of a switch, and the stations in its bridges and ARP tables (docs/frr.md#reading). */
import { Effect, Option, Schema } from "effect"
import { compareNames } from "../../domain/platforms/Platforms.ts"
import type { LldpNeighbour, NeighbourDetails, Neighbours } from "../Driver.ts"
import { readJson, type Remote } from "./Answers.ts"
import { commands, need } from "./Dialect.ts"
import { nameOf } from "./Facts.ts"
import type { ArpEntry, JoinedPort, MacEntry, NeighbourDetail } from "../../domain/DeviceReadings.ts"
import { macWithColons } from "../../domain/Network.ts"

const Value = Schema.Struct({ value: Schema.optionalKey(Schema.String) })
const Values = Schema.optionalKey(Schema.Array(Value))
const Ids = Schema.optionalKey(
  Schema.Array(Schema.Struct({ type: Schema.optionalKey(Schema.String), value: Schema.optionalKey(Schema.String) }))
)
const Capability = Schema.Struct({
  type: Schema.optionalKey(Schema.String),
  enabled: Schema.optionalKey(Schema.Boolean)
})

const LldpEntry = Schema.Struct({
  name: Schema.String,
  chassis: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        id: Ids,
        name: Values,
        descr: Values,
        capability: Schema.optionalKey(Schema.Array(Capability))
      })
    )
  ),
  port: Schema.optionalKey(Schema.Array(Schema.Struct({ id: Ids, descr: Values })))
})

/** In the form `json0` everything is a list, also what there is once. */
const ShowNeighbours = Schema.Struct({
  lldp: Schema.Array(Schema.Struct({ interface: Schema.optionalKey(Schema.Array(LldpEntry)) }))
})
export type ShowNeighbours = typeof ShowNeighbours.Type

const first = (values: ReadonlyArray<typeof Value.Type> | undefined): string => values?.[0]?.value ?? ""

/** lldpd announces a port by its address unless it is configured otherwise; its description is the name then. */
const portName = (entry: typeof LldpEntry.Type): string => {
  const port = entry.port?.[0]
  const id = port?.id?.[0]
  const description = first(port?.descr)
  return id?.type === "mac" && description !== "" ? description : (id?.value ?? description)
}

const detailOf = (entry: typeof LldpEntry.Type): NeighbourDetail => {
  const chassis = entry.chassis?.[0]
  const capabilities = chassis?.capability ?? []
  const names = (which: ReadonlyArray<typeof Capability.Type>) => which.map(({ type }) => type ?? "")
  return {
    parent_interface: "",
    remote_port: portName(entry),
    remote_port_description: first(entry.port?.[0]?.descr),
    remote_chassis_id: (chassis?.id?.[0]?.value ?? "").toUpperCase(),
    remote_system_name: first(chassis?.name),
    remote_system_description: first(chassis?.descr),
    remote_system_capab: names(capabilities),
    remote_system_enable_capab: names(capabilities.filter(({ enabled }) => enabled === true))
  }
}

const byPort = <A>(
  answer: ShowNeighbours,
  read: (entry: typeof LldpEntry.Type) => A
): Record<string, ReadonlyArray<A>> => {
  const ports = new Map<string, Array<A>>()
  for (const entry of answer.lldp.flatMap(({ interface: found = [] }) => found)) {
    ports.set(entry.name, [...(ports.get(entry.name) ?? []), read(entry)])
  }
  return Object.fromEntries([...ports].toSorted(([a], [b]) => compareNames(a, b)))
}

/** Neighbours by local port, in natural order; a port may have several. */
export const neighboursOf = (answer: ShowNeighbours): Neighbours =>
  byPort(answer, (entry): LldpNeighbour => ({ hostname: first(entry.chassis?.[0]?.name), port: portName(entry) }))

/** Everything that neighbours announce, by local port. */
export const neighbourDetailsOf = (answer: ShowNeighbours): NeighbourDetails => byPort(answer, detailOf)

const shown = (remote: Remote) =>
  Effect.andThen(need(remote, "lldpcli"), readJson(remote, commands.neighbours, ShowNeighbours))

/** See `DriverSession.lldp`. */
export const lldp = (remote: Remote) => Effect.map(shown(remote), neighboursOf)

/** See `DriverSession.lldpDetail`. */
export const lldpDetail = (remote: Remote) => Effect.map(shown(remote), neighbourDetailsOf)

// Which stations a switch has learnt, and on which ports, from the kernel (docs/frr.md#reading).

const Bridged = Schema.Array(
  Schema.Struct({
    mac: Schema.optionalKey(Schema.String),
    ifname: Schema.optionalKey(Schema.String),
    vlan: Schema.optionalKey(Schema.Int),
    master: Schema.optionalKey(Schema.String),
    state: Schema.optionalKey(Schema.String),
    /** Of a VXLAN: the switch behind which the station is. */
    dst: Schema.optionalKey(Schema.String),
    flags: Schema.optionalKey(Schema.Array(Schema.String))
  })
)
export type Bridged = typeof Bridged.Type

export const Stations = Schema.Array(
  Schema.Struct({
    dst: Schema.String,
    dev: Schema.optionalKey(Schema.String),
    lladdr: Schema.optionalKey(Schema.String),
    state: Schema.optionalKey(Schema.Array(Schema.String))
  })
)
export type Stations = typeof Stations.Type

export const Kinds = Schema.Array(
  Schema.Struct({
    ifname: Schema.String,
    master: Schema.optionalKey(Schema.String),
    linkinfo: Schema.optionalKey(
      Schema.Struct({
        info_kind: Schema.optionalKey(Schema.String),
        info_slave_kind: Schema.optionalKey(Schema.String)
      })
    )
  })
)
export type Kinds = typeof Kinds.Type

/** Stations are single ones: the lowest bit of the first byte is that of groups. */
const isStation = (mac: string): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 0

/** The entries that the bridges have learnt; their own, such as the addresses of their ports, are `permanent`. */
export const macEntriesOf = (bridged: Bridged): ReadonlyArray<MacEntry> =>
  bridged.flatMap(({ ifname, mac: shown = "", master, state, vlan }) => {
    const mac = Option.getOrNull(macWithColons(shown))
    if (mac === null || ifname === undefined || master === undefined || state === "permanent" || !isStation(mac))
      return []
    return [{ port: nameOf(ifname), vlan: vlan ?? null, mac }]
  })

/** The ports of these entries that stand for others. */
export const joinedOf = (entries: ReadonlyArray<MacEntry>, kinds: Kinds): ReadonlyArray<JoinedPort> =>
  [...new Set(entries.map(({ port }) => port))].flatMap((port) => {
    const kind = kinds.find(({ ifname }) => nameOf(ifname) === port)?.linkinfo?.info_kind
    const isTunnel = kind === "vxlan"
    if (kind !== "bond" && kind !== "team" && !isTunnel) return []
    const members = kinds.filter(({ linkinfo, master }) => master === port && linkinfo?.info_slave_kind !== "bridge")
    return [{ port, members: isTunnel ? [] : members.map(({ ifname }) => nameOf(ifname)), isTunnel }]
  })

/** Neighbours that have answered at some time. */
export const arpEntriesOf = (stations: Stations): ReadonlyArray<ArpEntry> =>
  stations.flatMap(({ dev = "", dst, lladdr = "", state = [] }) => {
    const mac = Option.getOrNull(macWithColons(lladdr))
    if (mac === null || !isStation(mac) || state.includes("FAILED") || state.includes("NOARP")) return []
    return [{ ip: dst, mac, interface: nameOf(dev) }]
  })

/** See `DriverSession.macTable`. */
export const macTable = Effect.fnUntraced(function* (remote: Remote) {
  yield* need(remote, "ip", "bridge")
  const entries = macEntriesOf(yield* readJson(remote, commands.bridges, Bridged))
  const kinds = entries.length === 0 ? [] : yield* readJson(remote, commands.links, Kinds)
  return { entries, joined: joinedOf(entries, kinds) }
})

/** See `DriverSession.arpTable`. */
export const arpTable = Effect.fnUntraced(function* (remote: Remote) {
  yield* need(remote, "ip")
  return arpEntriesOf(yield* readJson(remote, commands.stations, Stations))
})
