/**
 * Machines that are plugged to ports, and what switches learn of them: every switch that frames of a machine reach over links which
 * are up and not routed knows it by the port towards it, and whoever routes its VLAN knows its address. VLANs that a trunk does not
 * carry are not looked at.
 */
import * as ConfigFacts from "./eos/ConfigFacts.ts"
import { longName } from "./eos/InterfaceNames.ts"
import * as Links from "./Links.ts"
import type { Station, Switch } from "./Switch.ts"
import type { Node } from "./Topology.ts"

/** One machine: lower case with colons. */
export interface Host {
  readonly mac: string
  readonly ip: string | undefined
}

/** The machines of a node by long port name. */
export const ofNode = ({ hosts = {} }: Node): ReadonlyMap<string, ReadonlyArray<Host>> =>
  new Map(
    Object.entries(hosts).map(([port, machines]) => [
      longName(port),
      machines.map(({ ip, mac }) => ({ ip, mac: mac.toLowerCase() }))
    ])
  )

type Ports = ReadonlyMap<string, ConfigFacts.InterfaceFacts>

const portsOf = (device: Switch): Ports =>
  new Map(ConfigFacts.interfaces(device.running).map((facts) => [facts.name, facts]))

/** The bundle that a port is a member of, or the port itself. */
const bundleOf = (ports: Ports, port: string): string => {
  const group = ports.get(port)?.channelGroup
  return group === undefined ? port : `Port-Channel${group}`
}

const isRouted = (ports: Ports, port: string): boolean => ports.get(bundleOf(ports, port))?.mode === "routed"

/** By which port of a switch the frames of each switch come in. */
const ways = (links: Links.Links, from: Switch, portsFor: (device: Switch) => Ports): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const queue: Array<Switch> = [from]
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const [port, to] of links.ends.get(at.name) ?? []) {
      const next = links.device(to.node)
      if (next === undefined || next === from || found.has(next.name) || !Links.isUp(links, at, port)) continue
      if (isRouted(portsFor(at), port) || isRouted(portsFor(next), to.port)) continue
      found.set(next.name, found.get(at.name) ?? port)
      queue.push(next)
    }
  }
  return found
}

/** What a switch has learnt, in the order of the nodes. */
export const stations = (links: Links.Links, device: Switch): ReadonlyArray<Station> => {
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
      if (!Links.isUp(links, edge, port) || isRouted(portsFor(edge), port)) return []
      const vlan = portsFor(edge).get(port)?.accessVlan ?? 1
      return machines.map(({ ip, mac }) => ({
        mac,
        vlan,
        port: bundleOf(own, edge === device ? port : (way ?? port)),
        ip: routes(own, vlan) ? ip : undefined
      }))
    })
  })
}

/** A switch hears which address a machine has when it has one itself in its VLAN. */
const routes = (ports: Ports, vlan: number): boolean => {
  const facts = ports.get(`Vlan${vlan}`)
  return facts !== undefined && !facts.shutdown && (facts.virtual || facts.addresses.length > 0)
}
