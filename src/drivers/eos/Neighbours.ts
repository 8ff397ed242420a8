/** The LLDP neighbours of a switch, and the stations in its MAC and ARP tables (docs/api.md#live-reads). */
import { Effect, Option } from "effect"
import { eos } from "../../domain/platforms/eos/Platform.ts"
import { compareNames, longName } from "../../domain/platforms/Platforms.ts"
import type { LldpNeighbour } from "../Driver.ts"
import type { Cli } from "../ssh/Cli.ts"
import {
  AnyObject,
  isObject,
  type Json,
  Missing,
  type Names,
  numberIn,
  objectIn,
  readJson,
  remarked,
  textIn,
  unexpected
} from "./Answers.ts"
import { macWithColons } from "../../domain/Network.ts"
import type { ArpEntry, JoinedPort, MacEntry, NeighbourDetail } from "../../domain/DeviceReadings.ts"

/** The fields that are read, each with all its known names. Some releases have the short form like the detailed one. */
const fields = {
  local: ["port"],
  device: ["neighborDevice", "systemName"],
  port: ["neighborPort"],
  name: ["systemName"],
  description: ["systemDescription"],
  chassis: ["chassisId"],
  chassisType: ["chassisIdType"],
  capabilities: ["systemCapabilities"],
  interface: ["neighborInterfaceInfo"],
  /** The second version has no quotes. */
  interfaceId: ["interfaceId_v2", "interfaceId"],
  interfaceDescription: ["interfaceDescription"]
} as const satisfies Record<string, Names>

/** The long name of a port; the switch puts names of neighbours in quotes. */
const portName = (shown: string): string => longName(eos.name, shown.replaceAll('"', "").trim())

const objectsIn = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isObject) : [])

/** Every neighbour with its local port: from a list, or from objects by their ports. */
const entriesIn = (table: unknown): ReadonlyArray<readonly [port: string | null, entry: Json]> =>
  isObject(table)
    ? Object.entries(table).flatMap(([port, shown]) =>
        objectsIn(isObject(shown) ? shown["lldpNeighborInfo"] : shown).map((entry) => [port, entry] as const)
      )
    : objectsIn(table).map((entry) => [textIn(entry, fields.local), entry] as const)

/** By long local port name, in natural order; a neighbour without a port is remarked. */
const byPort = <A>(table: unknown, missing: Missing, make: (entry: Json, port: string) => A) => {
  const ports = new Map<string, Array<A>>()
  for (const [port, entry] of entriesIn(table)) {
    const local = missing.seen(port, fields.local)
    if (local === null) continue
    const name = portName(local)
    const found = ports.get(name) ?? []
    ports.set(name, found)
    found.push(make(entry, name))
  }
  const sorted: Readonly<Record<string, ReadonlyArray<A>>> = Object.fromEntries(
    [...ports].toSorted(([a], [b]) => compareNames(a, b))
  )
  return sorted
}

const remotePort = (entry: Json): string | null => {
  const shown = textIn(entry, fields.port) ?? textIn(objectIn(entry, fields.interface) ?? {}, fields.interfaceId)
  return shown === null ? null : portName(shown)
}

/** Neighbours by long local port name, in natural order; a port may have several. And what they lack. */
export const neighboursOf = (table: unknown) => {
  const missing = new Missing("show lldp neighbors")
  const neighbours = byPort<LldpNeighbour>(table, missing, (entry, port) => ({
    // without a system name EOS gives the chassis id; some releases give nothing
    hostname: missing.seen(textIn(entry, fields.device), fields.device, port) ?? "",
    port: missing.seen(remotePort(entry), fields.port, port) ?? ""
  }))
  return { neighbours, remarks: missing.remarks }
}

const isAddress = (entry: Json): boolean => (textIn(entry, fields.chassisType) ?? "macAddress") === "macAddress"

/** A MAC address in the usual form; another kind of id unchanged. */
const chassisId = (entry: Json): string => {
  const id = textIn(entry, fields.chassis) ?? ""
  return isAddress(entry) ? Option.getOrElse(macWithColons(id), () => id) : id
}

const detailOf = (entry: Json): NeighbourDetail => {
  const capabilities = Object.entries(objectIn(entry, fields.capabilities) ?? {})
  const port = objectIn(entry, fields.interface) ?? {}
  return {
    parent_interface: "",
    remote_port: remotePort(entry) ?? "",
    remote_port_description: textIn(port, fields.interfaceDescription)?.replaceAll(/^"|"$/g, "") ?? "",
    remote_chassis_id: chassisId(entry),
    remote_system_name: textIn(entry, fields.name) ?? "",
    remote_system_description: textIn(entry, fields.description) ?? "",
    remote_system_capab: capabilities.map(([name]) => name),
    remote_system_enable_capab: capabilities.filter(([, enabled]) => enabled === true).map(([name]) => name)
  }
}

/** Neighbours by long local port name, in natural order; ports without neighbours are left out. */
export const neighbourDetailsOf = (table: unknown) => {
  const missing = new Missing("show lldp neighbors detail")
  return { neighbours: byPort(table, missing, detailOf), remarks: missing.remarks }
}

/** Asks for a table and makes the reading of it. */
const read = Effect.fnUntraced(function* <A>(
  cli: Cli,
  command: string,
  make: (table: unknown) => { readonly neighbours: A; readonly remarks: ReadonlyArray<string> }
) {
  const { lldpNeighbors: table } = yield* readJson(cli, command, AnyObject)
  if (!isObject(table) && !Array.isArray(table)) {
    return yield* unexpected(cli, command, `the answer to "${command}" is not understood: it gives no lldpNeighbors`)
  }
  const { neighbours, remarks } = make(table)
  yield* remarked(cli, remarks)
  return neighbours
})

/** See `DriverSession.lldp`. */
export const lldp = (cli: Cli) => read(cli, "show lldp neighbors", neighboursOf)

/** See `DriverSession.lldpDetail`. */
export const lldpDetail = (cli: Cli) => read(cli, "show lldp neighbors detail", neighbourDetailsOf)

// Which stations a switch has learnt, and on which ports (docs/switch-dialogues.md#eos-reading).

/** The fields that are read, each with all its known names. */
const tableFields = {
  unicast: ["unicastTable"],
  mac: ["macAddress"],
  port: ["interface"],
  vlan: ["vlanId"],
  kind: ["entryType"],
  address: ["address"],
  hardware: ["hwAddress"],
  members: ["memberInterfaces"]
} as const satisfies Record<string, Names>

const longPortName = (shown: string): string => longName(eos.name, shown.trim())

const macIn = (found: Json, names: Names): string | null =>
  Option.getOrNull(Option.flatMap(Option.fromNullishOr(textIn(found, names)), macWithColons))

/** Not a port: addresses of the switch itself, and of the router that it is. */
const own = /^(?:Cpu|Router|Switch|Drop)\b/i

/** Entries of `show mac address-table`, without the switch's own. */
export const macEntriesOf = (shown: Json): ReadonlyArray<MacEntry> =>
  objectsIn(objectIn(shown, tableFields.unicast)?.["tableEntries"]).flatMap((found) => {
    const port = textIn(found, tableFields.port)
    const mac = macIn(found, tableFields.mac)
    if (port === null || mac === null || own.test(port)) return []
    const vlan = numberIn(found, tableFields.vlan)
    return [{ port: longPortName(port), vlan: Number.isInteger(vlan) ? vlan : null, mac }]
  })

const isBundle = (port: string): boolean => port.startsWith("Port-Channel")
const isTunnel = (port: string): boolean => port.startsWith("Vxlan")

/** The ports of these entries that stand for others; `shown` is `show interfaces`. */
export const joinedOf = (entries: ReadonlyArray<MacEntry>, shown: Json): ReadonlyArray<JoinedPort> =>
  [...new Set(entries.map(({ port }) => port))]
    .filter((port) => isBundle(port) || isTunnel(port))
    .map((port) => {
      const told = shown[port]
      const members = isObject(told) ? (objectIn(told, tableFields.members) ?? {}) : {}
      return { port, members: Object.keys(members).map(longPortName), isTunnel: isTunnel(port) }
    })

/** Tables by VRF, or the one of the VRF that a release shows alone. */
const vrfsOf = (shown: Json): ReadonlyArray<Json> => {
  const vrfs = objectIn(shown, ["vrfs"])
  return vrfs === null ? [shown] : Object.values(vrfs).filter(isObject)
}

/**
 * Entries of `show ip arp` and `show ipv6 neighbors`. On a VLAN the switch names the port as well (`Vlan10, Ethernet3`); the MAC address
 * table knows it better.
 */
export const arpEntriesOf = (shown: Json): ReadonlyArray<ArpEntry> =>
  vrfsOf(shown)
    .flatMap((vrf) => [...objectsIn(vrf["ipV4Neighbors"]), ...objectsIn(vrf["ipV6Neighbors"])])
    .flatMap((found) => {
      const ip = textIn(found, tableFields.address)
      const mac = macIn(found, tableFields.hardware)
      const [on = ""] = (textIn(found, tableFields.port) ?? "").split(",")
      return ip === null || mac === null ? [] : [{ ip, mac, interface: longPortName(on) }]
    })

/** See `DriverSession.macTable`. */
export const macTable = Effect.fnUntraced(function* (cli: Cli) {
  const command = "show mac address-table"
  const shown = yield* readJson(cli, command, AnyObject)
  if (objectIn(shown, tableFields.unicast) === null) {
    return yield* unexpected(cli, command, `the answer to "${command}" is not understood: it gives no unicastTable`)
  }
  const entries = macEntriesOf(shown)
  const interfaces = entries.some(({ port }) => isBundle(port))
    ? (objectIn(yield* readJson(cli, "show interfaces", AnyObject), ["interfaces"]) ?? {})
    : {}
  return { entries, joined: joinedOf(entries, interfaces) }
})

/** A release without VRFs, or without IPv6, does not know the command. */
const orElse = <A, E extends { readonly _tag: string }, B, E2>(
  read: Effect.Effect<A, E>,
  other: Effect.Effect<B, E2>
): Effect.Effect<A | B, E | E2> =>
  Effect.catchIf(
    read,
    (error) => error._tag === "CommandRejected",
    () => other
  )

/** See `DriverSession.arpTable`. */
export const arpTable = Effect.fnUntraced(function* (cli: Cli) {
  const four = yield* orElse(readJson(cli, "show ip arp vrf all", AnyObject), readJson(cli, "show ip arp", AnyObject))
  const six = yield* orElse(readJson(cli, "show ipv6 neighbors vrf all", AnyObject), Effect.succeed({}))
  return [...arpEntriesOf(four), ...arpEntriesOf(six)]
})
