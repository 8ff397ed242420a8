/**
 * What the configuration of a switch says about routing, redundancy and time: addresses with their networks, BGP and OSPF, static
 * routes, VRRP, MLAG, spanning tree, sources of time. `Protocols.ts` makes states of it.
 */
import { BlockList } from "node:net"
import type { Switch } from "../Switch.ts"
import * as ConfigFacts from "./ConfigFacts.ts"

/** An address of an interface. */
export interface RoutedAddress {
  readonly address: string
  readonly bits: number
}

export interface VrrpGroup {
  address: string | undefined
  priority: number
}

export interface RoutedPort {
  readonly name: string
  vrf: string
  shutdown: boolean
  mtu: number
  readonly addresses: Array<RoutedAddress>
  ospfArea: string | undefined
  readonly vrrp: Map<number, VrrpGroup>
}

export interface BgpPeer {
  remoteAs: number | undefined
  shutdown: boolean
  source: string | undefined
  group: string | undefined
}

/** BGP in one VRF. */
export interface BgpFacts {
  asn: number
  readonly peers: Map<string, BgpPeer>
  readonly networks: Set<string>
  connected: boolean
}

export interface OspfFacts {
  readonly vrf: string
  routerId: string | undefined
  readonly networks: Array<{ readonly network: RoutedAddress; readonly area: string }>
  readonly passive: Set<string>
  passiveByDefault: boolean
  readonly active: Set<string>
}

export interface RoutingFacts {
  /** All interfaces as show commands need them. */
  readonly interfaces: ReadonlyMap<string, ConfigFacts.InterfaceFacts>
  readonly ports: ReadonlyArray<RoutedPort>
  readonly bgp: ReadonlyMap<string, BgpFacts>
  readonly routerId: string | undefined
  readonly ospf: ReadonlyArray<OspfFacts>
  /** Destinations of static routes by VRF. */
  readonly statics: ReadonlyMap<string, ReadonlySet<string>>
  readonly mlag: ReadonlyMap<string, string>
  /** The mode, and priorities by instance; empty text for all of them. */
  readonly treeMode: string
  readonly treePriorities: ReadonlyMap<string, number>
  readonly timeServers: ReadonlyArray<{ readonly name: string; readonly preferred: boolean }>
}

const DEFAULT = "default"
const DEPTH = 3

interface Line {
  readonly depth: number
  readonly text: string
}

/** The sections of a printed configuration: a line at the top, and those below it. */
const sectionsOf = (text: string): ReadonlyArray<{ readonly head: string; readonly lines: ReadonlyArray<Line> }> => {
  const sections: Array<{ head: string; lines: Array<Line> }> = []
  for (const line of text.split("\n")) {
    const inner = line.trimStart()
    if (inner === "" || inner === "!") continue
    const depth = Math.round((line.length - inner.length) / DEPTH)
    if (depth === 0) sections.push({ head: inner, lines: [] })
    else sections.at(-1)?.lines.push({ depth, text: inner })
  }
  return sections
}

const addressOf = (text: string): RoutedAddress | undefined => {
  const [, address, bits] = /^([\da-fA-F.:]+)\/(\d+)/.exec(text) ?? []
  return address === undefined ? undefined : { address: address.toLowerCase(), bits: Number(bits) }
}

const familyOf = (address: string) => (address.includes(":") ? "ipv6" : "ipv4")

/** Whether an address is in the network of another one. */
export const isIn = ({ address: own, bits }: RoutedAddress, address: string): boolean => {
  if (familyOf(own) !== familyOf(address)) return false
  const list = new BlockList()
  list.addSubnet(own, bits, familyOf(own))
  return list.check(address, familyOf(address))
}

const portOf = (name: string, lines: ReadonlyArray<Line>): RoutedPort => {
  const port: RoutedPort = {
    name,
    vrf: DEFAULT,
    shutdown: false,
    mtu: 1500,
    addresses: [],
    ospfArea: undefined,
    vrrp: new Map()
  }
  for (const { text } of lines) {
    const [, address] = /^ip(?:v6)? address (?:virtual )?(\S+)/.exec(text) ?? []
    const found = address === undefined ? undefined : addressOf(address)
    const group = /^vrrp (\d+) (?:ipv4 |ip )?(\S+)(?: (\d+))?/.exec(text)
    if (found !== undefined) port.addresses.push(found)
    else if (text === "shutdown") port.shutdown = true
    else if (text.startsWith("vrf ")) port.vrf = text.replace(/^vrf (?:forwarding )?/, "")
    else if (text.startsWith("mtu ")) port.mtu = Number(text.slice("mtu ".length))
    else if (text.startsWith("ip ospf area ")) port.ospfArea = areaOf(text.slice("ip ospf area ".length))
    else if (group !== null) addGroup(port, group)
  }
  return port
}

const PRIORITY = 100

const addGroup = (port: RoutedPort, [, id = "", word = "", number]: RegExpExecArray) => {
  const group = port.vrrp.get(Number(id)) ?? { address: undefined, priority: PRIORITY }
  port.vrrp.set(Number(id), group)
  if (word.startsWith("priority")) group.priority = Number(number)
  else if (/^[\d.]+$/.test(word)) group.address = word
}

/** Areas are numbers or addresses: `0` is `0.0.0.0`. */
const areaOf = (text: string): string => (/^\d+$/.test(text) ? `0.0.0.${text}` : text)

const asnOf = (text: string): number => {
  const [high = "", low] = text.split(".")
  return low === undefined ? Number(high) : Number(high) * 65_536 + Number(low)
}

const bgpOf = (asn: number, lines: ReadonlyArray<Line>) => {
  const vrfs = new Map<string, BgpFacts>()
  const inVrf = (vrf: string): BgpFacts => {
    const found = vrfs.get(vrf) ?? { asn, peers: new Map(), networks: new Set(), connected: false }
    vrfs.set(vrf, found)
    return found
  }
  let vrf = inVrf(DEFAULT)
  let routerId: string | undefined
  const groups = new Map<string, BgpPeer>()
  for (const { depth, text } of lines) {
    const entered = depth === 1 ? /^vrf (\S+)$/.exec(text)?.[1] : undefined
    if (depth === 1) vrf = inVrf(entered ?? DEFAULT)
    const peer = /^(no )?neighbor (\S+) (.+)$/.exec(text)
    if (peer !== null) addPeer(vrf, groups, peer)
    else if (text.startsWith("network ")) vrf.networks.add(text.split(" ")[1] ?? "")
    else if (text === "redistribute connected") vrf.connected = true
    else if (text.startsWith("local-as ")) vrf.asn = asnOf(text.split(" ")[1] ?? "")
    else if (text.startsWith("router-id ") && depth === 1) routerId = text.split(" ")[1]
  }
  for (const { peers } of vrfs.values()) {
    for (const peer of peers.values()) {
      const group = groups.get(peer.group ?? "")
      peer.remoteAs ??= group?.remoteAs
      peer.source ??= group?.source
      peer.shutdown ||= group?.shutdown ?? false
    }
  }
  return { vrfs, routerId }
}

const addPeer = (vrf: BgpFacts, groups: Map<string, BgpPeer>, [, no, name = "", rest = ""]: RegExpExecArray) => {
  const home = /^[\d.]+$|:/.test(name) ? vrf.peers : groups
  const key = name.toLowerCase()
  const at = home === groups ? name : key
  const peer = home.get(at) ?? { remoteAs: undefined, shutdown: false, source: undefined, group: undefined }
  if (no === undefined) home.set(at, peer)
  const [word = "", value = ""] = rest.split(" ")
  if (no !== undefined) return
  if (word === "remote-as") peer.remoteAs = asnOf(value)
  else if (word === "shutdown") peer.shutdown = true
  else if (word === "update-source") peer.source = value
  else if (/^peer[ -]group/.test(rest)) peer.group = rest.split(/peer[ -]group ?/)[1]
}

const ospfOf = (head: string, lines: ReadonlyArray<Line>): OspfFacts => {
  const facts: OspfFacts = {
    vrf: / vrf (\S+)$/.exec(head)?.[1] ?? DEFAULT,
    routerId: undefined,
    networks: [],
    passive: new Set(),
    passiveByDefault: false,
    active: new Set()
  }
  for (const { text } of lines) {
    const [, network = "", area = ""] = /^network (\S+) area (\S+)$/.exec(text) ?? []
    const [, no, port] = /^(no )?passive-interface (\S+)$/.exec(text) ?? []
    const parsed = addressOf(network)
    if (parsed !== undefined) facts.networks.push({ network: parsed, area: areaOf(area) })
    else if (text.startsWith("router-id ")) facts.routerId = text.split(" ")[1]
    else if (port === DEFAULT) facts.passiveByDefault = no === undefined
    else if (port !== undefined) (no === undefined ? facts.passive : facts.active).add(port)
  }
  return facts
}

const parse = (text: string): RoutingFacts => {
  const sections = sectionsOf(text)
  const bgpSection = sections.find(({ head }) => head.startsWith("router bgp "))
  const bgp = bgpSection === undefined ? undefined : bgpOf(asnOf(bgpSection.head.split(" ")[2] ?? ""), bgpSection.lines)
  const statics = new Map<string, Set<string>>()
  const priorities = new Map<string, number>()
  const servers: Array<{ name: string; preferred: boolean }> = []
  let treeMode = "mstp"
  for (const { head } of sections) {
    const route = /^ip route (?:vrf (\S+) )?(\S+)/.exec(head)
    const priority = /^spanning-tree (?:(?:mst|vlan-id|vlan) )?(\S+ )?priority (\d+)$/.exec(head)
    const server = /^ntp server (?:vrf \S+ )?(\S+)(.*)$/.exec(head)
    if (route !== null) {
      const vrf = route[1] ?? DEFAULT
      statics.set(vrf, (statics.get(vrf) ?? new Set()).add(route[2] ?? ""))
    } else if (priority !== null) priorities.set((priority[1] ?? "").trim(), Number(priority[2]))
    else if (head.startsWith("spanning-tree mode ")) treeMode = head.split(" ")[2] ?? treeMode
    else if (server !== null) servers.push({ name: server[1] ?? "", preferred: / prefer\b/.test(server[2] ?? "") })
  }
  const mlag = sections.find(({ head }) => head === "mlag configuration")
  return {
    interfaces: new Map(ConfigFacts.interfaces(text).map((facts) => [facts.name, facts])),
    ports: sections
      .filter(({ head }) => head.startsWith("interface "))
      .map(({ head, lines }) => portOf(head.slice("interface ".length), lines)),
    bgp: bgp?.vrfs ?? new Map(),
    routerId: bgp?.routerId,
    ospf: sections.filter(({ head }) => head.startsWith("router ospf ")).map(({ head, lines }) => ospfOf(head, lines)),
    statics,
    mlag: new Map(
      (mlag?.lines ?? []).map(({ text: line }) => {
        const [word = "", ...rest] = line.split(" ")
        return [word, rest.join(" ")] as const
      })
    ),
    treeMode,
    treePriorities: priorities,
    timeServers: servers
  }
}

const known = new WeakMap<Switch, { readonly running: string; readonly facts: RoutingFacts }>()

/** From the running configuration of a switch. */
export const read = (device: Switch): RoutingFacts => {
  const found = known.get(device)
  if (found?.running === device.running) return found.facts
  const facts = parse(device.running)
  known.set(device, { running: device.running, facts })
  return facts
}
