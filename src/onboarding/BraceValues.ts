/**
 * What a running configuration in braces says in the words of the settings and of a device's record (docs/onboarding.md): the same as
 * `RunningValues.ts` and `ConfigFolder.ts` read from indented lines. Inactive statements and statements of groups say nothing here: they do
 * not run, or run wherever the group is applied. Pure.
 */
import type { Platform } from "../domain/platforms/Platform.ts"
import { type BraceStatement, readBraces } from "../domain/BraceText.ts"
import {
  bgpNeighbour,
  isOwnVlan,
  type Json,
  type NameOf,
  once,
  port,
  type RunningPort,
  type RunningValues,
  someOf
} from "./SettingsValues.ts"

/** The words from the top of a configuration to the end of a statement. */
type Path = ReadonlyArray<string>

function* pathsOf(statements: ReadonlyArray<BraceStatement>, around: Path): Generator<Path> {
  for (const { below, list, marks, words } of statements) {
    if (marks.includes("inactive")) continue
    const path = [...around, ...words]
    if (below !== null && below.length > 0) yield* pathsOf(below, path)
    else if (list === null) yield path
    else for (const value of list) yield [...path, value]
  }
}

/** All paths of a text, in its order. */
const readPaths = (text: string): ReadonlyArray<Path> => [...pathsOf(readBraces(text).statements, [])]

/** Stands for any one word. */
const ANY = "*"

/** The rest of each path that begins with these words, with the words that stood for `*` before it. */
const behind = (paths: ReadonlyArray<Path>, ...wanted: ReadonlyArray<string>): ReadonlyArray<Path> =>
  paths.flatMap((path) => {
    const fits = path.length >= wanted.length && wanted.every((word, at) => word === ANY || word === path[at])
    return fits ? [[...path.filter((_, at) => wanted[at] === ANY), ...path.slice(wanted.length)]] : []
  })

const firstOf = (paths: ReadonlyArray<Path>, ...wanted: ReadonlyArray<string>): string | undefined =>
  behind(paths, ...wanted)[0]?.[0]

/** The entries of a list by their first word, each with the rest of its paths. */
const entries = (found: ReadonlyArray<Path>): ReadonlyMap<string, ReadonlyArray<Path>> => {
  const byName = Map.groupBy(found, ([name = ""]) => name)
  return new Map([...byName].map(([name, paths]) => [name, paths.map((path) => path.slice(1))]))
}

const servers = (found: ReadonlyArray<Path>): ReadonlyArray<Json> =>
  [...entries(found)].map(([host, paths]) => ({ host, ...port(firstOf(paths, "port")) }))

/** The preferred server first, as templates write it. */
const ntpServers = (paths: ReadonlyArray<Path>): ReadonlyArray<Json> =>
  [...entries(behind(paths, "system", "ntp", "server"))]
    .map(([host, rest]) => ({ host, isPreferred: rest.flat().includes("prefer") }))
    .toSorted((one, other) => Number(other.isPreferred) - Number(one.isPreferred))
    .map(({ host }) => ({ host }))

/** Managers are single addresses that may read. */
const snmpServers = (paths: ReadonlyArray<Path>): ReadonlyArray<Json> =>
  once(
    behind(paths, "snmp", "community", ANY, "clients").flatMap(([, client = "", word]) => {
      const [, host] = /^([\d.]+)\/32$|^([\da-f:.]+)\/128$/i.exec(client)?.filter((part) => part !== undefined) ?? []
      return host === undefined || word === "restrict" ? [] : [{ host }]
    })
  )

/** Users who can log in; those of templates have a class alone. */
const users = (paths: ReadonlyArray<Path>, ours: ReadonlySet<string>): ReadonlyArray<Json> =>
  [...entries(behind(paths, "system", "login", "user"))].flatMap(([username, own]) => {
    const permission = firstOf(own, "class")
    if (ours.has(username) || behind(own, "authentication").length === 0) return []
    return [{ username, ...(permission === undefined ? {} : { permission_juniper: permission }) }]
  })

const staticRoutes = (paths: ReadonlyArray<Path>): ReadonlyArray<Json> => {
  const routes = behind(paths, "routing-instances", ANY, "routing-options", "static", "route")
  return [...entries(routes)].flatMap(([name, own]): ReadonlyArray<Json> => {
    const ipv4 = own.flatMap(([destination = "", word, nexthop = "", ...more]): ReadonlyArray<Json> =>
      word === "next-hop" && more.length === 0 && /^[\d.]+\/\d+$/.test(destination) && /^[\d.]+$/.test(nexthop)
        ? [{ destination, nexthop }]
        : []
    )
    return ipv4.length === 0 ? [] : [{ name, ipv4 }]
  })
}

const oneOf = (found: ReadonlyArray<Path>): string | undefined => (found.length === 1 ? found[0]?.[0] : undefined)

const neighbour = (peer: string, own: ReadonlyArray<Path>, group: ReadonlyArray<Path>): Json | undefined => {
  const value = (word: string) => oneOf(behind(own, word)) ?? oneOf(behind(group, word))
  const as = value("peer-as")
  return bgpNeighbour(peer, {
    as: as !== undefined && /^\d+$/.test(as) ? as : undefined,
    routeMaps: [value("import"), value("export")],
    description: firstOf(own, "description"),
    bfd: behind(own, "bfd-liveness-detection").length > 0,
    gracefulRestart: behind(own, "graceful-restart").length > 0,
    hops: firstOf(own, "multihop", "ttl"),
    mostRoutes: firstOf(own, "family", "inet", "unicast", "accepted-prefix-limit", "maximum")
  })
}

const bgpInstances = (paths: ReadonlyArray<Path>): ReadonlyArray<Json> =>
  [...entries(behind(paths, "routing-instances", ANY, "protocols", "bgp", "group"))].flatMap(
    ([name, all]): ReadonlyArray<Json> => {
      const groups = [...entries(all)].map(([, group]) => ({ group, peers: entries(behind(group, "neighbor")) }))
      const locals = new Set(groups.flatMap(({ group }) => firstOf(group, "local-as") ?? []))
      const [local] = [...locals]
      const neighbor_v4 = groups.flatMap(({ group, peers }) =>
        [...peers].flatMap(([peer, own]) => (/^\d+(?:\.\d+){3}$/.test(peer) ? (neighbour(peer, own, group) ?? []) : []))
      )
      return locals.size !== 1 || neighbor_v4.length === 0 ? [] : [{ name, local_as: Number(local), neighbor_v4 }]
    }
  )

const vlansIn = (paths: ReadonlyArray<Path>) =>
  [...entries(behind(paths, "vlans"))].flatMap(([name, own]) => {
    const id = Number(firstOf(own, "vlan-id"))
    return Number.isInteger(id) ? [{ id, name, vni: Number(firstOf(own, "vxlan", "vni")) }] : []
  })

/** What a configuration says. `ours` are the users of this server's own logins. */
export const braceValues = (text: string, ours: ReadonlySet<string>): RunningValues => {
  const paths = readPaths(text)
  const domain = firstOf(paths, "system", "domain-name")
  const dns = behind(paths, "system", "name-server").map(([host = ""]) => ({ host }))
  const radius = [...behind(paths, "access", "radius-server"), ...behind(paths, "system", "radius-server")]
  const statics = staticRoutes(paths)
  const bgp = bgpInstances(paths)
  const vlans = vlansIn(paths)
  return {
    keys: {
      ...(domain === undefined ? {} : { domain_name: domain }),
      ...someOf("ntp_servers", ntpServers(paths)),
      ...someOf("dns_servers", once(dns)),
      ...someOf("syslog_servers", servers(behind(paths, "system", "syslog", "host"))),
      ...someOf("snmp_servers", snmpServers(paths)),
      ...someOf("radius_servers", servers(radius)),
      ...someOf("users", users(paths, ours)),
      ...(statics.length === 0 ? {} : { extroute_static: { vrfs: statics } }),
      ...(bgp.length === 0 ? {} : { extroute_bgp: { vrfs: bgp } })
    },
    vlans: vlans.flatMap(({ id, name }) => (isOwnVlan(id) ? [] : [{ id, name }])),
    vnis: new Map(vlans.flatMap(({ id, vni }) => (Number.isInteger(vni) ? [[id, vni] as const] : [])))
  }
}

// Ports of an access switch.

/** The VLANs of a member of a port: a number, a range of numbers, or a name; undefined for one that is not known. */
const memberIds = (member: string, ids: ReadonlyMap<string, number>): ReadonlyArray<number> | undefined => {
  const named = ids.get(member)
  if (named !== undefined) return [named]
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(member) ?? []
  if (from === undefined || Number(to) - Number(from) > 4_094) return undefined
  return Array.from({ length: Math.max(0, Number(to) - Number(from) + 1) }, (_, step) => Number(from) + step)
}

const switchedIn = (own: ReadonlyArray<Path>, ids: ReadonlyMap<string, number>) => {
  const family = behind(own, "unit", "0", "family", "ethernet-switching")
  const members = behind(family, "vlan", "members").map(([member = ""]) => memberIds(member, ids))
  const mode = firstOf(family, "interface-mode") ?? firstOf(family, "port-mode")
  const native = Number(firstOf(own, "native-vlan-id") ?? firstOf(family, "native-vlan-id"))
  return { isTrunk: mode === "trunk", members, native: Number.isInteger(native) ? native : undefined }
}

/** The proposed uses of the ports of an access switch; ports that get their statements from a range are left out. */
export const bracePorts = (platform: Platform, text: string, nameOf: NameOf): ReadonlyArray<RunningPort> => {
  const paths = readPaths(text)
  const interfaces = entries(behind(paths, "interfaces"))
  const ids = new Map(vlansIn(paths).map(({ id, name }) => [name, id]))
  const authenticated = new Set(
    behind(paths, "protocols", "dot1x", "authenticator", "interface").map(([name = ""]) => name.replace(/\.0$/, ""))
  )
  return [...interfaces].flatMap(([name, own]): ReadonlyArray<RunningPort> => {
    if (!platform.interfaces.physical.test(name)) return []
    const [, channel] =
      /^ae(\d+)$/.exec(firstOf(own, "ether-options", "802.3ad") ?? firstOf(own, "gigether-options", "802.3ad") ?? "") ??
      []
    // the VLANs of a member are those of its bundle
    const { isTrunk, members, native } = switchedIn(
      channel === undefined ? own : (interfaces.get(`ae${channel}`) ?? []),
      ids
    )
    const isAuto = authenticated.has(name)
    const known = members.flatMap((found) => found ?? [])
    // a trunk with all VLANs is a cable to another switch; a VLAN that is not known must not be left out
    if (!isAuto && (known.length === 0 || members.includes(undefined) || (!isTrunk && known.length > 1))) return []
    const description = firstOf(own, "description")
    const data = {
      // on a trunk the untagged VLAN is one of the members, too
      ...(isTrunk ? { tagged_vlan_list: known.filter((id) => id !== native).map(nameOf) } : {}),
      ...(isTrunk
        ? native === undefined
          ? {}
          : { untagged_vlan: nameOf(native) }
        : isAuto || known[0] === undefined
          ? {}
          : { untagged_vlan: nameOf(known[0]) }),
      ...(description === undefined ? {} : { description: description.slice(0, 64) }),
      ...(behind(own, "disable").length === 0 ? {} : { enabled: false }),
      ...(channel === undefined ? {} : { aggregate_id: Number(channel) })
    }
    return [{ name, configtype: isAuto ? "ACCESS_AUTO" : isTrunk ? "ACCESS_TAGGED" : "ACCESS_UNTAGGED", data }]
  })
}

// The record of a device, from a file of its configuration.

/** The interface of the routing engine or of the chassis that is for management alone. */
const MANAGEMENT = ["vme", "me0", "em0", "fxp0"]

const addressIn = (own: ReadonlyArray<Path>): ReadonlyArray<string> => {
  const all = behind(own, "unit", ANY, "family", "inet", "address").map(([, address = "", ...words]) => ({
    address: address.split("/")[0] ?? "",
    isMaster: words.includes("master-only")
  }))
  const shared = all.filter(({ isMaster }) => isMaster)
  return once((shared.length > 0 ? shared : all).map(({ address }) => address))
}

/** The management address in a configuration; undefined if none can be told from the others. */
const managementAddress = (paths: ReadonlyArray<Path>): string | undefined => {
  const interfaces = entries(behind(paths, "interfaces"))
  for (const name of MANAGEMENT) {
    const [first, ...others] = addressIn(interfaces.get(name) ?? [])
    if (first !== undefined) return others.length === 0 ? first : undefined
  }
  // routing engines with an address each have them in their groups
  if (behind(paths, "groups", ANY, "interfaces").some(([, name = ""]) => MANAGEMENT.includes(name))) return undefined
  const loopbacks = addressIn(interfaces.get("lo0") ?? [])
  const routed = [...addressIn(interfaces.get("irb") ?? []), ...addressIn(interfaces.get("vlan") ?? [])]
  const [one, another] = routed.length === 1 ? routed : loopbacks.length > 0 ? loopbacks : routed
  return another === undefined ? one : undefined
}

/** A switch with an underlay of its own is no access switch. */
const typeOf = (paths: ReadonlyArray<Path>): "DIST" | "ACCESS" | undefined => {
  if (
    behind(paths, "protocols", "bgp").length > 0 &&
    behind(paths, "switch-options", "vtep-source-interface").length > 0
  )
    return "DIST"
  const isEdge =
    behind(paths, "protocols", "dot1x", "authenticator", "interface").length > 0 ||
    behind(paths, "interfaces", ANY, "unit", "0", "family", "ethernet-switching", "interface-mode", "access").length > 0
  return isEdge && behind(paths, "protocols", "bgp").length === 0 && behind(paths, "protocols", "ospf").length === 0
    ? "ACCESS"
    : undefined
}

/** What a configuration says about its device. */
export const braceRecord = (text: string) => {
  const paths = readPaths(text)
  return {
    // the names of two routing engines, which are in their groups, are not the name of the device
    hostname: firstOf(paths, "system", "host-name"),
    version: firstOf(paths, "version"),
    address: managementAddress(paths),
    type: typeOf(paths)
  }
}

/** The names of a configuration's physical ports, in its order. */
export const bracePortNames = (text: string, physical: RegExp): ReadonlyArray<string> =>
  [...entries(behind(readPaths(text), "interfaces"))].map(([name]) => name).filter((name) => physical.test(name))
