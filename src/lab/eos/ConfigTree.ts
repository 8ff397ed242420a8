/**
 * A switch configuration as a tree of lines, and its printed form. A tree lives only during an edit; otherwise a configuration is
 * its printed text, which costs a tenth of the memory when thousands of switches share a process.
 */
import { inOrder, sequenceOf } from "./Sequences.ts"
import { interfaceOrder, remembered } from "./Words.ts"

// The order in which the device prints the top level of its configuration.

/** Printed order of the top-level lines; what is not listed stands where `*` does. */
export const ORDER = [
  "boot",
  "aaa root",
  "username",
  "role",
  "daemon",
  "alias",
  "agent",
  "hardware",
  "transceiver",
  "load-interval",
  "service",
  "schedule",
  "dhcp",
  "ip dhcp",
  "switch",
  "switchport",
  "flow",
  "interface defaults",
  "l2-protocol",
  "lacp",
  "queue-monitor",
  "monitor layer1",
  "load-balance",
  "link",
  "event-handler",
  "event-monitor",
  "logging",
  "match-list",
  "prompt",
  "ip name-server group",
  "hostname",
  "ip name-server",
  "ip domain-name",
  "ip domain-list",
  "ip domain lookup",
  "ip host",
  "dns",
  "ntp",
  "dot1x",
  "errdisable",
  "poe",
  "ptp",
  "qos profile",
  "platform",
  "track",
  "radius-server",
  "tacacs-server",
  "sflow",
  "snmp-server",
  "spanning-tree",
  "lldp",
  "aaa",
  "enable",
  "clock",
  "vlan",
  "vrf",
  "group",
  "management",
  "interface",
  "hardware tcam",
  "monitor connectivity",
  "mac",
  "ip virtual-router",
  "ip access-list",
  "ipv6 access-list",
  "ip routing",
  "ipv6 unicast-routing",
  "ip as-path",
  "ip prefix-list",
  "ipv6 prefix-list",
  "ip community-list",
  "ip extcommunity-list",
  "ip large-community-list",
  "system control-plane",
  "monitor session",
  "ip route",
  "ipv6 route",
  "mlag",
  "traffic-policies",
  "qos",
  "class-map",
  "policy-map",
  "route-map",
  "peer-filter",
  "*",
  "router",
  "banner",
  "end"
] as const

const RANK = new Map<string, number>(ORDER.map((prefix, index) => [prefix, index]))
const OTHER_RANK = ORDER.indexOf("*")

/** Where a top-level line stands in the printed configuration. */
const rankOf = (text: string): number => {
  const words = (text.startsWith("no ") ? text.slice(3) : text).split(" ", 3)
  return RANK.get(words.join(" ")) ?? RANK.get(words.slice(0, 2).join(" ")) ?? RANK.get(words[0] ?? "") ?? OTHER_RANK
}

/** Order among lines of one rank: interfaces by kind and number, VLANs by number; 0 keeps the order of entry. */
const minorOf = (text: string): number => {
  if (text.startsWith("interface ")) return interfaceOrder(text.slice(10))
  if (!text.startsWith("vlan ")) return 0
  const number = Number.parseInt(text.slice(5), 10)
  return Number.isNaN(number) ? 0 : number
}

/** One line; `children` when it opened a section, `body` when it was followed by a text up to `EOF`. */
export interface Entry {
  text: string
  children: Map<string, Entry> | undefined
  body: ReadonlyArray<string> | undefined
}

/** The top level of an empty configuration. */
export const empty = (): Entry => ({ text: "", children: new Map(), body: undefined })

/** The text as `show running-config` prints it, without the header lines and without `end`. */
export const render = (root: Entry): string => {
  const lines: Array<string> = []
  let previous = -1
  let closed = true
  for (const { entry, rank } of ordered(root)) {
    if (rank !== previous || isBlock(entry) || !closed) lines.push("!")
    renderEntry(entry, "", lines)
    previous = rank
    closed = !isBlock(entry)
  }
  if (lines.length > 0) lines.push("!")
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}

const isBlock = (entry: Entry) => entry.children !== undefined || entry.body !== undefined

const placeOf = remembered((text) => ({ rank: rankOf(text), minor: minorOf(text) }))

const ordered = (root: Entry) => {
  const names = new Map<string, number>()
  return [...(root.children?.values() ?? [])]
    .map((entry) => ({ entry, ...placeOf(entry.text) }))
    .map((place) => ({ ...place, minor: place.minor + routeMapOrder(names, place.entry.text) }))
    .toSorted((a, b) => a.rank - b.rank || a.minor - b.minor)
}

/** Larger than the number of any route map. */
const NEXT_NAME = 1e6

/** Route maps stand by their names in the order of entry, then by number. */
const routeMapOrder = (names: Map<string, number>, text: string): number => {
  if (!text.startsWith("route-map ")) return 0
  const [, name = "", number] = ROUTE_MAP.exec(text) ?? []
  if (!names.has(name)) names.set(name, names.size)
  return (names.get(name) ?? 0) * NEXT_NAME + Number(number ?? 0)
}

const ROUTE_MAP = /^route-map (\S+) \S+ (\d+)$/

/** The entries of a section (or of the top level) in the order in which they are printed. */
export const printedChildren = (entry: Entry): ReadonlyArray<Entry> => {
  if (entry.text === "") return ordered(entry).map(({ entry: child }) => child)
  const all = [...(entry.children?.values() ?? [])]
  return [
    ...all.filter(({ children }) => children === undefined),
    ...all.filter(({ children }) => children !== undefined)
  ]
}

const renderEntry = (entry: Entry, indent: string, lines: Array<string>) => {
  lines.push(indent + entry.text)
  if (entry.body !== undefined) lines.push(...entry.body, "EOF")
  if (entry.children === undefined) return
  const inner = `${indent}   `
  const nested: Array<Entry> = []
  const list = sequenceOf(entry.text)
  const children = list === undefined ? entry.children.values() : inOrder(list, entry.children.values())
  for (const child of children) {
    if (child.children === undefined) renderEntry(child, inner, lines)
    else nested.push(child)
  }
  for (const child of nested) {
    lines.push(`${inner}!`)
    renderEntry(child, inner, lines)
  }
}
