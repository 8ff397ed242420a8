/**
 * Who is connected to whom, which links are up, and what LLDP and reachability follow from it.
 */
import { systemDescription } from "./eos/Release.ts"
import type { Host } from "./Hosts.ts"
import type { End } from "./Topology.ts"
import type { Neighbour, Switch } from "./Switch.ts"

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
  if (port.startsWith("Management")) return from.power === "on"
  if (links.hosts.get(from.name)?.has(port) === true) return alive(from, port)
  const to = links.ends.get(from.name)?.get(port)
  const other = to === undefined ? undefined : links.device(to.node)
  return to !== undefined && other !== undefined && alive(from, port) && alive(other, to.port)
}

const alive = (device: Switch, port: string) => device.power === "on" && !device.facts.shutPorts.has(port)

/** What LLDP shows on a switch, in link order; entries put there by hand replace what the links say. */
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
    description: systemDescription(other),
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
