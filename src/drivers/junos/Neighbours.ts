/** The LLDP neighbours of a device, and the stations in its MAC and ARP tables (docs/api.md#live-reads). */
import { Effect, Option } from "effect"
import type { ArpEntry, JoinedPort, MacEntry, MacTable, NeighbourDetail } from "../../domain/DeviceReadings.ts"
import { macWithColons } from "../../domain/Network.ts"
import { compareNames } from "../../domain/platforms/Platforms.ts"
import type { LldpNeighbour, NeighbourDetails, Neighbours } from "../Driver.ts"
import { type Element, findAll, textOf } from "../netconf/Xml.ts"
import {
  firstText,
  isIdle,
  type Junos,
  numberIn,
  partsOf,
  physicalOf,
  portOf,
  show,
  showIfKnown,
  textAt,
  unexpected
} from "./Answers.ts"

// LLDP.

/** A port as other platforms and Junos name it; also with a slot before it. */
const portName = /^[A-Za-z][A-Za-z-]*\s?\d[\d/.:]*$/

/**
 * The neighbour's port. Junos announces the number of an interface, and its name as the description; an address says even less. A
 * number that is no interface is a name of its own, as some switches have.
 */
const remotePort = (entry: Element): string => {
  const id = textOf(entry, "lldp-remote-port-id")
  const description = textOf(entry, "lldp-remote-port-description")
  const isAddress = /mac/i.test(textOf(entry, "lldp-remote-port-id-subtype")) || Option.isSome(macWithColons(id))
  const isNumber = /^\d+$/.test(id)
  if (id === "" || isAddress) return portOf(description || id)
  return portOf(isNumber && portName.test(description) ? description : id)
}

/** The local port; the detailed form has a number where the short one has the name. */
const localPort = (entry: Element): string | null => {
  const name = textAt(entry, "lldp-local-interface") ?? textAt(entry, "lldp-local-port-id")
  return name === null ? null : portOf(name)
}

const chassisOf = (entry: Element): string => {
  const id = textOf(entry, "lldp-remote-chassis-id")
  return Option.getOrElse(macWithColons(id), () => id)
}

const entriesOf = (answer: Element): ReadonlyArray<Element> | null => {
  const lists = partsOf(answer, "lldp-neighbors-information")
  if (lists.length === 0 && !isIdle(answer)) return null
  return lists.flatMap(({ element }) => findAll(element, "lldp-neighbor-information"))
}

const byPort = <A>(entries: ReadonlyArray<Element>, read: (entry: Element) => A) => {
  const ports = new Map<string, Array<A>>()
  for (const entry of entries) {
    const port = localPort(entry)
    if (port === null) continue
    const found = ports.get(port) ?? []
    ports.set(port, found)
    found.push(read(entry))
  }
  const sorted: Record<string, ReadonlyArray<A>> = Object.fromEntries(
    [...ports].toSorted(([one], [other]) => compareNames(one, other))
  )
  return sorted
}

/** Neighbours by local port, in natural order; null if the answer has no list. One without a name is named by its chassis. */
export const neighboursOf = (answer: Element): Neighbours | null => {
  const entries = entriesOf(answer)
  if (entries === null) return null
  return byPort(entries, (entry): LldpNeighbour => ({
    hostname: textAt(entry, "lldp-remote-system-name") ?? chassisOf(entry),
    port: remotePort(entry)
  }))
}

/** Names of capabilities that consist of several words; the device lists all of them in one text. */
const capability = /WLAN Access Point|Docsis Cable Device|Station Only|[A-Za-z][\w-]*/gi

const capabilitiesIn = (entry: Element, field: string): ReadonlyArray<string> =>
  textOf(entry, field).match(capability) ?? []

const detailOf = (entry: Element): NeighbourDetail => {
  const parent = textOf(entry, "lldp-local-parent-interface-name")
  return {
    parent_interface: parent === "-" ? "" : portOf(parent),
    remote_port: remotePort(entry),
    remote_port_description: textOf(entry, "lldp-remote-port-description"),
    remote_chassis_id: chassisOf(entry),
    remote_system_name: textOf(entry, "lldp-remote-system-name"),
    remote_system_description:
      textAt(entry, "lldp-system-description", "lldp-remote-system-description") ??
      textOf(entry, "lldp-remote-system-description"),
    remote_system_capab: capabilitiesIn(entry, "lldp-remote-system-capabilities-supported"),
    remote_system_enable_capab: capabilitiesIn(entry, "lldp-remote-system-capabilities-enabled")
  }
}

/** Everything that neighbours announce; for a port without an answer of its own what the short form says. */
export const neighbourDetailsOf = (short: Element, details: ReadonlyMap<string, Element>): NeighbourDetails | null => {
  const entries = entriesOf(short)
  if (entries === null) return null
  const long = Object.fromEntries(
    [...details].flatMap(([port, answer]) => {
      const found = entriesOf(answer) ?? []
      return found.length === 0 ? [] : [[portOf(port), found.map(detailOf)] as const]
    })
  )
  return { ...byPort(entries, detailOf), ...long }
}

const LLDP = "get-lldp-neighbors-information"
const NO_NEIGHBOURS = "it gives no lldp-neighbors-information"

/** See `DriverSession.lldp`. */
export const lldp = Effect.fnUntraced(function* (junos: Junos) {
  const found = neighboursOf(yield* show(junos, LLDP))
  return found === null ? yield* unexpected(junos, LLDP, NO_NEIGHBOURS) : found
})

/** Families have different questions for one port. */
const forms = [
  { question: "get-lldp-interface-neighbors-information", parameter: "interface-name" },
  { question: "get-lldp-interface-neighbors", parameter: "interface-device" }
] as const

/** See `DriverSession.lldpDetail`. */
export const lldpDetail = Effect.fnUntraced(function* (junos: Junos) {
  const short = yield* show(junos, LLDP)
  const names = (entriesOf(short) ?? []).flatMap(
    (entry) => textAt(entry, "lldp-local-interface") ?? textAt(entry, "lldp-local-port-id") ?? []
  )
  const details = new Map<string, Element>()
  let known: ReadonlyArray<(typeof forms)[number]> = forms
  for (const name of new Set(names)) {
    for (const form of known) {
      const answer = yield* showIfKnown(junos, form.question, [[form.parameter, name]])
      if (answer === null) continue
      details.set(name, answer)
      known = [form]
      break
    }
    // none of them is known: the short form has to do
    if (details.size === 0) break
  }
  const found = neighbourDetailsOf(short, details)
  return found === null ? yield* unexpected(junos, LLDP, NO_NEIGHBOURS) : found
})

// Stations by MAC address. There are three forms: of older access switches, of later ones, and of routers.

/** Ports that are none: the device itself, all ports of a VLAN, interfaces of the device's own VLANs. */
const own = /^(?:router|all-members|irb|vlan|me\d|vme|em\d|fxp\d)\b|^$/i

const isStation = (mac: string): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 0

const entryOf = (mac: string | null, port: string | null, vlan: number | null): ReadonlyArray<MacEntry> => {
  const address = Option.getOrNull(macWithColons(mac ?? ""))
  if (address === null || port === null || own.test(port) || !isStation(address)) return []
  return [{ port: portOf(port), vlan, mac: address }]
}

/** A VLAN's number; null where only a name is shown that no table knows. */
const vlanOf = (numbers: ReadonlyArray<string | null>, name: string | null, vlans: ReadonlyMap<string, number>) => {
  const number = numbers.flatMap((text) => (text !== null && /^\d+$/.test(text) ? [Number(text)] : []))[0]
  return number ?? (name === null ? null : (vlans.get(name) ?? null))
}

const firstForm = (table: Element, vlans: ReadonlyMap<string, number>): ReadonlyArray<MacEntry> =>
  findAll(table, "mac-table-entry").flatMap((entry) => {
    const port = textAt(entry, "mac-interface") ?? textAt(entry, "mac-interfaces-list", "mac-interfaces")
    const name = textAt(entry, "mac-vlan")
    return entryOf(textAt(entry, "mac-address"), port, vlanOf([textAt(entry, "mac-vlan-tag"), name], name, vlans))
  })

const secondForm = (table: Element, vlans: ReadonlyMap<string, number>): ReadonlyArray<MacEntry> =>
  findAll(table, "l2ng-l2ald-mac-entry-vlan").flatMap((group) => {
    const entries = findAll(group, "l2ng-mac-entry")
    // one group may hold all VLANs, and then has the number of one of them
    const names = new Set(entries.map((entry) => textAt(entry, "l2ng-l2-mac-vlan-name")))
    const shared = names.size > 1 ? null : textAt(group, "l2ng-l2-vlan-id")
    // of a table with one station, a release leaves out what is around the entry
    return (entries.length === 0 ? [group] : entries).flatMap((entry) => {
      const name = textAt(entry, "l2ng-l2-mac-vlan-name")
      const numbers = [textAt(entry, "l2ng-l2-vlan-id"), shared]
      return entryOf(
        textAt(entry, "l2ng-l2-mac-address"),
        textAt(entry, "l2ng-l2-mac-logical-interface"),
        vlanOf(numbers, name, vlans)
      )
    })
  })

const thirdForm = (table: Element): ReadonlyArray<MacEntry> =>
  findAll(table, "l2ald-mac-entry").flatMap((group) => {
    const vlan = numberIn(firstText(group, "l2-bridge-vlan", "l2-mac-bridging-vlan"))
    const entries = findAll(group, "l2-mac-entry")
    return (entries.length === 0 ? [group] : entries).flatMap((entry) =>
      entryOf(textAt(entry, "l2-mac-address"), textAt(entry, "l2-mac-logical-interface"), vlan)
    )
  })

const tables = /^(?:ethernet-switching-table-information|l2ng-l2ald-rtb-macdb|l2ald-rtb-macdb)$/

/** The tables of an answer, of all engines. */
const tablesIn = (answer: Element): ReadonlyArray<Element> =>
  answer.children.flatMap((one) => (tables.test(one.name) ? [one] : tablesIn(one)))

/** Learnt stations, each once per VLAN; null if the answer has no table. `vlans`: numbers by name. */
export const macEntriesOf = (
  answer: Element,
  vlans: ReadonlyMap<string, number> = new Map()
): ReadonlyArray<MacEntry> | null => {
  const found = tablesIn(answer)
  if (found.length === 0) return null
  const entries = found.flatMap((table) => [
    ...firstForm(table, vlans),
    ...secondForm(table, vlans),
    ...thirdForm(table)
  ])
  return [...new Map(entries.map((entry) => [`${entry.vlan} ${entry.mac} ${entry.port}`, entry])).values()]
}

/** The numbers of VLANs by their names. */
export const vlansOf = (answer: Element): ReadonlyMap<string, number> =>
  new Map(
    ["l2ng-l2ald-vlan-instance-group", "vlan"].flatMap((group) =>
      findAll(answer, group).flatMap((vlan) => {
        const name = firstText(vlan, "l2ng-l2rtb-vlan-name", "vlan-name")
        const number = numberIn(firstText(vlan, "l2ng-l2rtb-vlan-tag", "vlan-tag"))
        return name === null || number === null ? [] : [[name, number] as const]
      })
    )
  )

const isBundle = (port: string): boolean => /^ae\d/.test(port)
/** Tunnels to other switches, and links that several switches share. */
const isTunnel = (port: string): boolean => /^(?:vtep|esi)\b/.test(port)

/** The members of bundles, from the list of interfaces: each names the bundle that it is in. */
const membersOf = (bundle: string, interfaces: Element): ReadonlyArray<string> => {
  const members = findAll(interfaces, "logical-interface").filter((logical) =>
    [logical, ...findAll(logical, "address-family")].some(
      // longer forms say more behind the name
      (place) => physicalOf(textOf(place, "ae-bundle-name").replace(/\s.*$/s, "")) === bundle
    )
  )
  return [...new Set(members.map((logical) => physicalOf(textOf(logical, "name"))))].toSorted(compareNames)
}

/** The ports of these entries that stand for others. */
export const joinedOf = (entries: ReadonlyArray<MacEntry>, interfaces: Element | null): ReadonlyArray<JoinedPort> =>
  [...new Set(entries.map(({ port }) => port))]
    .filter((port) => isBundle(port) || isTunnel(port))
    .map((port) => ({
      port,
      members: interfaces === null || isTunnel(port) ? [] : membersOf(physicalOf(port), interfaces),
      isTunnel: isTunnel(port)
    }))

/** See `DriverSession.macTable`. */
export const macTable = Effect.fnUntraced(function* (junos: Junos) {
  const question = "get-ethernet-switching-table-information"
  const answer = (yield* showIfKnown(junos, question)) ?? (yield* show(junos, "get-bridge-mac-table"))
  const found = macEntriesOf(answer)
  if (found === null) return yield* unexpected(junos, question, "it gives no table")
  const isUnnumbered = found.some(({ vlan }) => vlan === null)
  const named = isUnnumbered ? yield* showIfKnown(junos, "get-vlan-information") : null
  const entries = named === null ? found : (macEntriesOf(answer, vlansOf(named)) ?? found)
  const interfaces = entries.some(({ port }) => isBundle(port))
    ? yield* show(junos, "get-interface-information", ["terse"])
    : null
  return { entries, joined: joinedOf(entries, interfaces) } satisfies MacTable
})

// Stations by their addresses.

/** Interfaces between the parts of the device. Those named `em` are also the management ports of some switches. */
const internal = /^(?:bme|jsrv)\d|^em\d+\.32768$/
const internalEm = /^em\d/
const internalIp = /^(?:128\.0|129\.16|143\.16|190\.0|191\.255)\.|^fe80:/i
const isInternal = (on: string, ip: string): boolean =>
  internal.test(on) || (internalEm.test(on) && internalIp.test(ip))

const stationsIn = (
  answer: Element,
  fields: { readonly entry: string; readonly ip: string; readonly mac: string; readonly port: string }
): ReadonlyArray<ArpEntry> =>
  findAll(answer, fields.entry).flatMap((entry) => {
    const mac = Option.getOrNull(macWithColons(textOf(entry, fields.mac)))
    const ip = textAt(entry, fields.ip)
    // behind an interface of a VLAN, the port: `irb.10 [xe-0/0/1.0]`
    const [on = ""] = textOf(entry, fields.port).split(/\s/)
    return mac === null || ip === null || isInternal(on, ip) ? [] : [{ ip, mac, interface: portOf(on) }]
  })

const once = (entries: ReadonlyArray<ArpEntry>): ReadonlyArray<ArpEntry> => [
  ...new Map(entries.map((entry) => [`${entry.ip} ${entry.interface}`, entry])).values()
]

/** From `get-arp-table-information`; null if the answer has no table. */
export const arpEntriesOf = (answer: Element): ReadonlyArray<ArpEntry> | null => {
  if (partsOf(answer, "arp-table-information").length === 0) return null
  return once(
    stationsIn(answer, { entry: "arp-table-entry", ip: "ip-address", mac: "mac-address", port: "interface-name" })
  )
}

/** From `get-ipv6-nd-information`. */
export const ndEntriesOf = (answer: Element): ReadonlyArray<ArpEntry> =>
  once(
    stationsIn(answer, {
      entry: "ipv6-nd-entry",
      ip: "ipv6-nd-neighbor-address",
      mac: "ipv6-nd-neighbor-l2-address",
      port: "ipv6-nd-interface-name"
    })
  )

/** See `DriverSession.arpTable`. */
export const arpTable = Effect.fnUntraced(function* (junos: Junos) {
  const question = "get-arp-table-information"
  const four = arpEntriesOf(yield* show(junos, question, ["no-resolve"]))
  if (four === null) return yield* unexpected(junos, question, "it gives no arp-table-information")
  // a release without IPv6 does not know the question
  const six = yield* showIfKnown(junos, "get-ipv6-nd-information")
  return [...four, ...(six === null ? [] : ndEntriesOf(six))]
})
