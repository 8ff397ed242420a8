/**
 * States of the protocols between the switches of a lab, from their configurations and the links that are up: what one side configures
 * wrongly shows on both. Timers of protocols are not simulated: a state follows at once, unless a fault makes it late.
 */
import * as Faults from "../Faults.ts"
import type { Switch } from "../Switch.ts"
import { type BgpPeer, isIn, type OspfFacts, read, type RoutedPort } from "./RoutingFacts.ts"

const isPhysical = (name: string) => name.startsWith("Ethernet")

const membersOf = (device: Switch, bundle: string): ReadonlyArray<string> =>
  [...read(device).interfaces.values()]
    .filter(({ channelGroup }) => channelGroup !== undefined && bundle === `Port-Channel${channelGroup}`)
    .map(({ name }) => name)

/** Whether an interface of any kind is up. */
export const isUp = (device: Switch, port: Pick<RoutedPort, "name" | "shutdown">): boolean => {
  if (device.power !== "on" || port.shutdown) return false
  if (isPhysical(port.name)) return device.world.linkUp(device, port.name.replace(/\..*$/, ""))
  if (port.name.startsWith("Port-Channel"))
    return membersOf(device, port.name).some((member) => device.world.linkUp(device, member))
  return !port.name.startsWith("Vlan") || device.hardware.ports.some((name) => device.world.linkUp(device, name))
}

/** The switches that a switch reaches over links that are up, itself included; `takes` leaves links out. */
const reachedFrom = (
  from: Switch,
  takes: (device: Switch, port: string) => boolean = () => true
): ReadonlySet<Switch> => {
  const seen = new Set([from])
  for (const device of seen)
    for (const { far, farPort, port } of device.world.cables(device))
      if (takes(device, port) && takes(far, farPort)) seen.add(far)
  return seen
}

const isLate = ({ changedAt, faults }: Switch): boolean =>
  Faults.list(faults).some((fault) => fault.kind === "settlesLate" && Date.now() - changedAt < fault.milliseconds)

interface Owner {
  readonly device: Switch
  readonly port: RoutedPort
}

/** The switch that has an address on an interface that is up. */
const ownerOf = (from: Switch, address: string): Owner | undefined => {
  for (const device of from.world.switches())
    for (const port of read(device).ports)
      if (port.addresses.some((own) => own.address === address) && isUp(device, port)) return { device, port }
  return undefined
}

/** Whether two interfaces are on one cable or, as interfaces of VLANs, on one network. */
const isJoined = (device: Switch, port: RoutedPort, far: Owner): boolean => {
  if (!isPhysical(port.name) && !port.name.startsWith("Port-Channel")) return reachedFrom(device).has(far.device)
  const own = isPhysical(port.name) ? [port.name.replace(/\..*$/, "")] : membersOf(device, port.name)
  return device.world.cables(device).some((cable) => own.includes(cable.port) && cable.far === far.device)
}

// BGP.

export interface BgpSession {
  readonly vrf: string
  readonly neighbour: string
  readonly state: "Established" | "Active" | "Idle" | "Connect"
  readonly remoteAs: number | undefined
  readonly far: Owner | undefined
}

const sourceOf = (
  device: Switch,
  vrf: string,
  peer: BgpPeer,
  neighbour: string
): (Owner & { address: string }) | undefined => {
  const ports = read(device).ports.filter((port) => port.vrf === vrf && isUp(device, port))
  const wished = peer.source === undefined ? ports : ports.filter(({ name }) => name === peer.source)
  const family = neighbour.includes(":")
  const addresses = wished.flatMap((port) =>
    port.addresses.filter(({ address }) => address.includes(":") === family).map((own) => ({ device, port, own }))
  )
  const direct =
    addresses.find(({ own }) => isIn(own, neighbour)) ?? (peer.source === undefined ? undefined : addresses[0])
  return direct === undefined ? undefined : { device, port: direct.port, address: direct.own.address }
}

const stateOf = (
  device: Switch,
  vrf: string,
  neighbour: string,
  peer: BgpPeer
): Omit<BgpSession, "vrf" | "neighbour"> => {
  const remoteAs = peer.remoteAs
  const far = ownerOf(device, neighbour)
  if (peer.shutdown || remoteAs === undefined) return { state: "Idle", remoteAs, far }
  const source = sourceOf(device, vrf, peer, neighbour)
  if (source === undefined) return { state: "Idle", remoteAs, far }
  if (far === undefined || !isJoinedOrRouted(source, far)) return { state: "Active", remoteAs, far }
  const theirs = read(far.device).bgp.get(far.port.vrf)
  const back = theirs?.peers.get(source.address)
  const ours = read(device).bgp.get(vrf)
  const agrees = back !== undefined && !back.shutdown && back.remoteAs === ours?.asn && remoteAs === theirs?.asn
  if (!agrees) return { state: "Active", remoteAs, far }
  return { state: isLate(device) || isLate(far.device) ? "Connect" : "Established", remoteAs, far }
}

const isJoinedOrRouted = (source: Owner, far: Owner): boolean =>
  source.port.name.startsWith("Loopback")
    ? reachedFrom(source.device).has(far.device)
    : isJoined(source.device, source.port, far)

/** The sessions of a switch, of all VRFs. */
export const bgpSessions = (device: Switch): ReadonlyArray<BgpSession> =>
  [...read(device).bgp].flatMap(([vrf, { peers }]) =>
    [...peers].map(([neighbour, peer]) => ({ vrf, neighbour, ...stateOf(device, vrf, neighbour, peer) }))
  )

const originated = (device: Switch, vrf: string): ReadonlyArray<string> => {
  const facts = read(device).bgp.get(vrf)
  return [...(facts?.networks ?? []), ...(facts?.connected === true ? connected(device, vrf) : [])]
}

/** Prefixes that a neighbour announces: its own, and those of the speakers behind it. */
export const prefixesFrom = (device: Switch, session: BgpSession): ReadonlySet<string> => {
  const prefixes = new Set<string>()
  if (session.state !== "Established" || session.far === undefined) return prefixes
  const seen = new Set([device])
  const queue = [{ at: session.far.device, vrf: session.far.port.vrf }]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (seen.has(next.at)) continue
    seen.add(next.at)
    for (const prefix of originated(next.at, next.vrf)) prefixes.add(prefix)
    for (const { far, state, vrf } of bgpSessions(next.at))
      if (state === "Established" && vrf === next.vrf && far !== undefined)
        queue.push({ at: far.device, vrf: far.port.vrf })
  }
  return prefixes
}

// OSPF.

export interface OspfNeighbour {
  readonly vrf: string
  readonly routerId: string
  readonly port: string
  readonly address: string
  readonly state: "full" | "exchStart" | "init"
}

const routerIdOf = (device: Switch, { routerId, vrf }: OspfFacts): string =>
  routerId ??
  read(device).ports.find((port) => port.vrf === vrf && port.name.startsWith("Loopback"))?.addresses[0]?.address ??
  "0.0.0.0"

interface OspfPort {
  readonly port: RoutedPort
  readonly area: string
  readonly facts: OspfFacts
}

const ospfPorts = (device: Switch): ReadonlyArray<OspfPort> => {
  const { ospf, ports } = read(device)
  return ospf.flatMap((facts) =>
    ports.flatMap((port) => {
      const passive = facts.passive.has(port.name) || (facts.passiveByDefault && !facts.active.has(port.name))
      if (port.vrf !== facts.vrf || passive || port.name.startsWith("Loopback") || !isUp(device, port)) return []
      const area = areaOf(port, facts)
      return area === undefined ? [] : [{ port, area, facts }]
    })
  )
}

/** The area of an interface; undefined where OSPF does not run on it. */
const areaOf = (port: RoutedPort, { networks }: OspfFacts): string | undefined => {
  const own = port.addresses.find(({ address }) => !address.includes(":"))
  if (own === undefined) return undefined
  return port.ospfArea ?? networks.find(({ network }) => isIn(network, own.address))?.area
}

/** The neighbours of a switch; one in another area is none. */
export const ospfNeighbours = (device: Switch): ReadonlyArray<OspfNeighbour> => {
  const others = device.world.switches().filter((other) => other !== device && other.power === "on")
  return ospfPorts(device).flatMap(({ area, facts, port }) =>
    others.flatMap((other) =>
      ospfPorts(other).flatMap((theirs) => {
        const address = theirs.port.addresses.find((far) => port.addresses.some((own) => isIn(own, far.address)))
        const joined = isJoined(device, port, { device: other, port: theirs.port })
        if (address === undefined || theirs.area !== area || !joined) return []
        const late = isLate(device) || isLate(other)
        return [
          {
            vrf: facts.vrf,
            routerId: routerIdOf(other, theirs.facts),
            port: port.name,
            address: address.address,
            state: late ? "init" : port.mtu === theirs.port.mtu ? "full" : "exchStart"
          } as const
        ]
      })
    )
  )
}

// Routes.

const networkOf = ({ addresses }: RoutedPort): ReadonlyArray<string> =>
  addresses.filter(({ address }) => !address.includes(":")).map(({ address, bits }) => networkText(address, bits))

const networkText = (address: string, bits: number): string => {
  const value = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - bits)
  const first = Math.floor(value / size) * size
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".")}/${bits}`
}

const connected = (device: Switch, vrf: string): ReadonlyArray<string> =>
  read(device)
    .ports.filter((port) => port.vrf === vrf && isUp(device, port))
    .flatMap(networkOf)

export interface RouteCounts {
  readonly connected: number
  readonly static: number
  readonly bgp: number
  readonly ospf: number
}

const ospfRoutes = (device: Switch, vrf: string, own: ReadonlySet<string>): number => {
  const seen = new Set([device])
  const found = new Set<string>()
  for (const at of seen)
    for (const { address, state, vrf: its } of ospfNeighbours(at)) {
      const far = state === "full" && its === vrf ? ownerOf(at, address) : undefined
      if (far !== undefined) seen.add(far.device)
    }
  for (const at of seen) {
    const announced = read(at).ospf.filter((facts) => facts.vrf === vrf)
    const spoken = read(at).ports.filter(
      (port) => port.vrf === vrf && isUp(at, port) && announced.some((facts) => areaOf(port, facts) !== undefined)
    )
    for (const network of spoken.flatMap(networkOf)) if (!own.has(network)) found.add(network)
  }
  return found.size
}

/** Routes of IPv4 by VRF. */
export const routes = (device: Switch): ReadonlyMap<string, RouteCounts> => {
  const { bgp, ports, statics } = read(device)
  const vrfs = new Set(["default", ...ports.map(({ vrf }) => vrf), ...bgp.keys(), ...statics.keys()])
  const sessions = bgpSessions(device)
  return new Map(
    [...vrfs].map((vrf) => {
      const own = new Set(connected(device, vrf))
      const learnt = new Set(
        sessions.filter((session) => session.vrf === vrf).flatMap((session) => [...prefixesFrom(device, session)])
      )
      const bgpRoutes = [...learnt].filter((prefix) => !own.has(prefix)).length
      return [
        vrf,
        {
          connected: own.size,
          static: statics.get(vrf)?.size ?? 0,
          bgp: bgpRoutes,
          ospf: ospfRoutes(device, vrf, own)
        }
      ]
    })
  )
}

// MLAG, VRRP, port-channels, spanning tree.

export interface MlagState {
  readonly domain: string
  readonly active: boolean
  readonly peerLinkUp: boolean
  readonly consistent: boolean
}

const vlansOf = (device: Switch): string => (device.running.match(/^vlan \d.*$/gm) ?? []).toSorted().join()

/** None where no domain is configured. */
export const mlag = (device: Switch): MlagState | undefined => {
  const own = read(device).mlag
  const domain = own.get("domain-id")
  if (domain === undefined) return undefined
  const link = own.get("peer-link")
  const peerLinkUp = link !== undefined && isUp(device, { name: link, shutdown: false })
  const peer = ownerOf(device, own.get("peer-address") ?? "")?.device
  const agrees = peer !== undefined && read(peer).mlag.get("domain-id") === domain
  const active = peerLinkUp && agrees && !isLate(device)
  return { domain, active, peerLinkUp, consistent: agrees && vlansOf(peer) === vlansOf(device) }
}

export interface VrrpState {
  readonly port: string
  readonly group: number
  readonly state: "master" | "backup" | "stopped"
}

/** The switch with the highest priority is the master of a group, among those with the same interface that it reaches. */
export const vrrp = (device: Switch): ReadonlyArray<VrrpState> => {
  const reached = [...reachedFrom(device)].filter((other) => other !== device)
  return read(device).ports.flatMap((port) =>
    [...port.vrrp].map(([group, { address, priority }]) => {
      if (!isUp(device, port)) return { port: port.name, group, state: "stopped" } as const
      const isBeaten = reached.some((other) => {
        const theirs = read(other).ports.find(({ name }) => name === port.name)
        const its = theirs?.vrrp.get(group)
        if (theirs === undefined || its === undefined || its.address !== address || !isUp(other, theirs)) return false
        return its.priority > priority || (its.priority === priority && other.name > device.name)
      })
      return { port: port.name, group, state: isBeaten ? "backup" : "master" } as const
    })
  )
}

export interface Bundle {
  readonly name: string
  readonly active: ReadonlyArray<string>
  readonly inactive: ReadonlyArray<string>
}

/** A member is active when its link is up and the other end is a member as well, or no switch. */
export const bundles = (device: Switch): ReadonlyArray<Bundle> => {
  const ports = [...read(device).interfaces.values()]
  const cables = device.world.cables(device)
  const isActive = (name: string): boolean => {
    const cable = cables.find(({ port }) => port === name)
    if (cable === undefined) return device.world.linkUp(device, name)
    return read(cable.far).interfaces.get(cable.farPort)?.channelGroup !== undefined
  }
  return ports
    .filter(({ name }) => name.startsWith("Port-Channel"))
    .map(({ name, shutdown }) => {
      const members = membersOf(device, name)
      const active = members.filter((member) => !shutdown && device.world.linkUp(device, member) && isActive(member))
      return { name, active, inactive: members.filter((member) => !active.includes(member)) }
    })
}

const TREE_PRIORITY = 32_768

const bridged = (device: Switch, port: string): boolean => {
  const { interfaces } = read(device)
  const own = interfaces.get(port)
  const bundle = interfaces.get(`Port-Channel${own?.channelGroup ?? ""}`)
  return (bundle ?? own)?.mode !== "routed"
}

export interface Bridge {
  readonly priority: number
  readonly mac: string
}

export interface Tree {
  readonly name: string
  readonly own: Bridge
  readonly root: Bridge
}

const bridgeOf = (device: Switch, instance: string): Bridge => {
  const { treePriorities } = read(device)
  const priority = treePriorities.get(instance) ?? treePriorities.get("") ?? TREE_PRIORITY
  return { priority, mac: device.hardware.mac }
}

/** One instance, or one for each VLAN in the modes that have those. */
export const trees = (device: Switch): ReadonlyArray<Tree> => {
  const { treeMode } = read(device)
  if (treeMode === "none") return []
  const vlans = [...device.running.matchAll(/^vlan (\d+)$/gm)].map(([, id = ""]) => id)
  const instances = treeMode === "rapid-pvst" ? ["1", ...vlans] : ["0"]
  const prefix = treeMode === "rapid-pvst" ? "VL" : treeMode === "rstp" ? "RST" : "MST"
  const bridges = [...reachedFrom(device, bridged)]
  return instances.map((instance) => {
    const [root = bridgeOf(device, instance)] = bridges
      .map((other) => bridgeOf(other, instance))
      .toSorted((a, b) => a.priority - b.priority || (a.mac < b.mac ? -1 : 1))
    return { name: `${prefix}${instance}`, own: bridgeOf(device, instance), root }
  })
}

/** Whether an address answers: of a switch over links that are up, or of a machine that the switch knows. */
export const answers = (device: Switch, vrf: string, address: string): boolean => {
  const owner = ownerOf(device, address)
  if (owner === undefined) return device.world.stations(device).some(({ ip }) => ip === address)
  const direct = read(device).ports.find(
    (port) => port.vrf === vrf && isUp(device, port) && port.addresses.some((own) => isIn(own, address))
  )
  if (owner.device === device) return owner.port.vrf === vrf
  if (direct !== undefined) return direct.name.startsWith("Management") || isJoined(device, direct, owner)
  return owner.port.vrf === vrf && reachedFrom(device).has(owner.device)
}
