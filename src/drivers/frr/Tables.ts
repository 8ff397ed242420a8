/** Which stations a switch has learnt, and on which ports, from the kernel (docs/frr.md#reading). */
import { Effect, Option, Schema } from "effect"
import { macWithColons } from "../../domain/Network.ts"
import type { ArpEntry, JoinedPort, MacEntry } from "../Readings.ts"
import { readJson } from "./Answers.ts"
import { commands } from "./Dialect.ts"
import { nameOf } from "./Interfaces.ts"
import { need } from "./Programs.ts"
import type { Remote } from "./Remote.ts"

export const Bridged = Schema.Array(
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

/** What the bridges have learnt; what they were born with, such as the addresses of their own ports, is `permanent`. */
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
