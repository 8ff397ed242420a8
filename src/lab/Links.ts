/**
 * Cables between switches and machines at their ports: the links that are up, and the resulting LLDP neighbours, reachability and
 * address tables.
 */
import type { End, Node } from "./Topology.ts"
import type { Cable, Neighbour, Station, Switch } from "./Switch.ts"
import type { InterfaceFacts } from "./eos/ConfigFacts.ts"

export interface Links {
  /** Switch name → port → the other end. */
  readonly ends: ReadonlyMap<string, ReadonlyMap<string, End>>
  /** Switch name → port → the machines that are plugged there. */
  readonly hosts: ReadonlyMap<string, ReadonlyMap<string, ReadonlyArray<Host>>>
  readonly device: (name: string) => Switch | undefined
}

const LLDP_TTL = 120

/** The links of a lab. */
export const make = (
  pairs: ReadonlyArray<readonly [End, End]>,
  device: (name: string) => Switch | undefined,
  hosts: Links["hosts"]
): Links => {
  const ends = new Map<string, Map<string, End>>()
  const add = (from: End, to: End) => {
    const ports = ends.get(from.node) ?? new Map<string, End>()
    ends.set(from.node, ports.set(from.port, to))
  }
  for (const [a, b] of pairs) {
    add(a, b)
    add(b, a)
  }
  return { ends, device, hosts }
}

/** True when the link on a port is up: both switches run and neither port is shut. A machine at the other end always runs. */
export const isUp = (links: Links, from: Switch, port: string): boolean => {
  if (from.software.isManagement(port)) return from.power === "on"
  if (links.hosts.get(from.name)?.has(port) === true) return alive(from, port)
  const to = links.ends.get(from.name)?.get(port)
  const other = to === undefined ? undefined : links.device(to.node)
  return to !== undefined && other !== undefined && alive(from, port) && alive(other, to.port)
}

/** The links of a switch to others that are up. */
export const cables = (links: Links, from: Switch): ReadonlyArray<Cable> =>
  [...(links.ends.get(from.name) ?? [])].flatMap(([port, to]) => {
    const far = links.device(to.node)
    return far === undefined || !isUp(links, from, port) ? [] : [{ port, far, farPort: to.port }]
  })

const alive = (device: Switch, port: string) => device.power === "on" && !device.facts.shutPorts.has(port)

/** LLDP neighbours of a switch, in link order; entries that a test has set replace those of the links. */
export const neighbours = (links: Links, from: Switch): ReadonlyArray<Neighbour> => {
  const found = new Map<string, Neighbour>()
  if (from.facts.lldp) {
    for (const [port, to] of links.ends.get(from.name) ?? []) {
      const other = links.device(to.node)
      if (other?.facts.lldp === true && isUp(links, from, port)) found.set(port, announce(other, port, to.port))
    }
  }
  for (const [port, neighbour] of from.lldpOverrides) {
    if (neighbour === null) found.delete(port)
    else found.set(port, neighbour)
  }
  return [...found.values()]
}

const announce = (other: Switch, port: string, neighbourPort: string): Neighbour => {
  const { hostname, domain } = other.facts
  return {
    port,
    systemName: domain !== undefined && other.behaviour.lldpName === "fqdn" ? `${hostname}.${domain}` : hostname,
    neighbourPort,
    chassisId: other.hardware.mac,
    description: other.software.systemDescription(other),
    ttl: LLDP_TTL
  }
}

/** Names of the switches that can be reached from the gateways over links that are up. */
export const reachable = (links: Links, gateways: ReadonlyArray<string>): ReadonlySet<string> => {
  const seen = new Set<string>()
  const queue = gateways.filter((name) => links.device(name)?.power === "on")
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    const from = links.device(name)
    if (from === undefined) continue
    for (const [port, to] of links.ends.get(name) ?? [])
      if (!seen.has(to.node) && isUp(links, from, port)) queue.push(to.node)
  }
  return seen
}

// Machines at ports, and the entries that switches learn: every switch that a machine's frames reach over links that are up and not
// routed knows the machine by the port towards it; the switch that routes its VLAN knows its address. Which VLANs a trunk carries
// is ignored.

/** One machine: lower case with colons. */
interface Host {
  readonly mac: string
  readonly ip: string | undefined
}

/** The machines of a node by the port's name on its platform. */
export const ofNode = (
  { hosts = {} }: Node,
  portName: (name: string) => string
): ReadonlyMap<string, ReadonlyArray<Host>> =>
  new Map(
    Object.entries(hosts).map(([port, machines]) => [
      portName(port),
      machines.map(({ ip, mac }) => ({ ip, mac: mac.toLowerCase() }))
    ])
  )

type Ports = ReadonlyMap<string, InterfaceFacts>

const portsOf = (device: Switch): Ports =>
  new Map(device.software.ports(device.running).map((facts) => [facts.name, facts]))

/** The bundle that a port is a member of, or the port itself. */
const bundleOf = ({ software }: Switch, ports: Ports, port: string): string => {
  const group = ports.get(port)?.channelGroup
  return group === undefined ? port : software.bundle(group)
}

const isRouted = (device: Switch, ports: Ports, port: string): boolean =>
  ports.get(bundleOf(device, ports, port))?.mode === "routed"

/** By which port of a switch the frames of each switch come in. */
const ways = (links: Links, from: Switch, portsFor: (device: Switch) => Ports): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const queue: Array<Switch> = [from]
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const [port, to] of links.ends.get(at.name) ?? []) {
      const next = links.device(to.node)
      if (next === undefined || next === from || found.has(next.name) || !isUp(links, at, port)) continue
      if (isRouted(at, portsFor(at), port) || isRouted(next, portsFor(next), to.port)) continue
      found.set(next.name, found.get(at.name) ?? port)
      queue.push(next)
    }
  }
  return found
}

/** Stations that a switch has learnt, in the order of the nodes. */
export const stations = (links: Links, device: Switch): ReadonlyArray<Station> => {
  const known = new Map<string, Ports>()
  const portsFor = (one: Switch): Ports => {
    const ports = known.get(one.name) ?? portsOf(one)
    known.set(one.name, ports)
    return ports
  }
  const towards = ways(links, device, portsFor)
  const own = portsFor(device)
  return [...links.hosts].flatMap(([name, plugged]) => {
    const edge = links.device(name)
    const way = towards.get(name)
    if (edge === undefined || (edge !== device && way === undefined)) return []
    return [...plugged].flatMap(([port, machines]) => {
      if (!isUp(links, edge, port) || isRouted(edge, portsFor(edge), port)) return []
      const vlan = portsFor(edge).get(port)?.accessVlan ?? 1
      return machines.map(({ ip, mac }) => ({
        mac,
        vlan,
        port: bundleOf(device, own, edge === device ? port : (way ?? port)),
        ip: routes(device, own, vlan) ? ip : undefined
      }))
    })
  })
}

/** A switch learns the address of a machine if it has an address in its VLAN itself. */
const routes = (device: Switch, ports: Ports, vlan: number): boolean => {
  const facts = ports.get(device.software.vlanPort(device.running, vlan))
  return facts !== undefined && !facts.shutdown && (facts.virtual || facts.addresses.length > 0)
}
