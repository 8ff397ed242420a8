/**
 * What a running configuration says in the words of the settings (docs/onboarding.md#settings-from-what-runs): servers, users, VLANs, static routes,
 * BGP neighbours, and the ports of an access switch. Only values that a settings file or a port can have; never a secret. Pure.
 */
import type { Platform } from "../domain/platforms/Platform.ts"
import { linesWithPlaces } from "../drivers/MissingLines.ts"
import { bracePorts, braceValues } from "./BraceValues.ts"
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

interface Line {
  readonly line: string
  readonly sections: ReadonlyArray<string>
}

const topLines = (lines: ReadonlyArray<Line>): ReadonlyArray<string> =>
  lines.flatMap(({ line, sections }) => (sections.length === 0 ? [line] : []))

const within = (lines: ReadonlyArray<Line>, ...path: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap(({ line, sections }) =>
    sections.length === path.length && path.every((name, at) => sections[at] === name) ? [line] : []
  )

/** Words behind a command, without the VRF that it is in. */
const behind = (lines: ReadonlyArray<string>, command: RegExp): ReadonlyArray<ReadonlyArray<string>> =>
  lines.flatMap((line) => {
    const found = command.exec(line)
    return found === null ? [] : [line.slice(found[0].length).trim().split(/\s+/)]
  })

const VRF = String.raw`(?:vrf \S+ )?`

const hosts = (found: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Json> =>
  once(found.flatMap(([host]) => (host === undefined ? [] : [{ host }])))

/** The preferred server first, as templates write it. */
const ntpServers = (top: ReadonlyArray<string>): ReadonlyArray<Json> => {
  const found = behind(top, new RegExp(`^ntp server ${VRF}`))
  return hosts(found.toSorted((one, other) => Number(other.includes("prefer")) - Number(one.includes("prefer"))))
}

const users = (top: ReadonlyArray<string>, ours: ReadonlySet<string>): ReadonlyArray<Json> =>
  once(
    top.flatMap((line): ReadonlyArray<Json> => {
      const [, username = "", permission = ""] =
        /^username (\S+)((?: privilege \d+)?(?: role \S+)?) (?:secret|nopassword)/.exec(line) ?? []
      if (username === "" || ours.has(username)) return []
      return [{ username, ...(permission.trim() === "" ? {} : { permission_arista: permission.trim() }) }]
    })
  )

const staticRoutes = (top: ReadonlyArray<string>): ReadonlyArray<Json> => {
  const byVrf = new Map<string, Array<Json>>()
  for (const line of top) {
    const [, vrf = "", destination = "", nexthop = "", name] =
      /^ip route vrf (\S+) ([\d.]+\/\d+) ([\d.]+)(?: name (\S+))?$/.exec(line) ?? []
    if (vrf === "") continue
    byVrf.set(vrf, [...(byVrf.get(vrf) ?? []), { destination, nexthop, ...(name === undefined ? {} : { name }) }])
  }
  return [...byVrf].map(([name, ipv4]) => ({ name, ipv4 }))
}

const neighbourOf = (lines: ReadonlyArray<string>, peer: string): Json | undefined => {
  const own = behind(lines, new RegExp(`^neighbor ${peer.replaceAll(".", "\\.")} `)).map((words) => words.join(" "))
  const value = (pattern: RegExp) => own.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined)
  return bgpNeighbour(peer, {
    as: value(/^remote-as (\d+)$/),
    routeMaps: [value(/^route-map (\S+) in$/), value(/^route-map (\S+) out$/)],
    description: value(/^description (.+)$/),
    bfd: own.includes("bfd"),
    gracefulRestart: own.includes("graceful-restart"),
    hops: value(/^ebgp-multihop (\d+)$/),
    mostRoutes: value(/^maximum-routes (\d+)/)
  })
}

const bgpVrfs = (lines: ReadonlyArray<Line>): ReadonlyArray<Json> => {
  const router = topLines(lines).find((line) => /^router bgp \d+$/.test(line))
  if (router === undefined) return []
  return within(lines, router).flatMap((heading): ReadonlyArray<Json> => {
    const [, name] = /^vrf (\S+)$/.exec(heading) ?? []
    const below = within(lines, router, heading)
    const [, localAs] = below.map((line) => /^local-as (\d+)/.exec(line)).find((found) => found !== null) ?? []
    const peers = [...new Set(below.flatMap((line) => /^neighbor (\d+(?:\.\d+){3}) remote-as /.exec(line)?.[1] ?? []))]
    const neighbor_v4 = peers.flatMap((peer) => neighbourOf(below, peer) ?? [])
    return name === undefined || localAs === undefined || neighbor_v4.length === 0
      ? []
      : [{ name, local_as: Number(localAs), neighbor_v4 }]
  })
}

/** What a configuration says. `ours` are the users of this server's own logins. */
export const runningValues = (platform: Platform, text: string, ours: ReadonlySet<string>): RunningValues => {
  if (platform.configuration.sections === "braces") return braceValues(text, ours)
  const lines = [...linesWithPlaces(platform, text)]
  const top = topLines(lines)
  const domain = top
    .map((line) => /^(?:dns domain|ip domain[- ]name) (\S+)$/.exec(line)?.[1])
    .find((name) => name !== undefined)
  const syslog = behind(top, new RegExp(`^logging ${VRF}host `)).flatMap(([host, word]) =>
    host === undefined ? [] : [{ host, ...port(word) }]
  )
  const radius = behind(top, /^radius-server host /).flatMap(([host, word, number]) =>
    host === undefined ? [] : [{ host, ...(word === "auth-port" ? port(number) : {}) }]
  )
  const statics = staticRoutes(top)
  const bgp = bgpVrfs(lines)
  return {
    keys: {
      ...(domain === undefined ? {} : { domain_name: domain }),
      ...someOf("ntp_servers", ntpServers(top)),
      ...someOf(
        "dns_servers",
        hosts(
          behind(top, new RegExp(`^ip name-server ${VRF}`))
            .flat()
            .map((host) => [host])
        )
      ),
      ...someOf("syslog_servers", once(syslog)),
      ...someOf("snmp_servers", hosts(behind(top, /^snmp-server host /))),
      ...someOf("radius_servers", once(radius)),
      ...someOf("users", users(top, ours)),
      ...(statics.length === 0 ? {} : { extroute_static: { vrfs: statics } }),
      ...(bgp.length === 0 ? {} : { extroute_bgp: { vrfs: bgp } })
    },
    vlans: top.flatMap((line) => {
      const [, list = ""] = /^vlan (\d[\d,-]*)$/.exec(line) ?? []
      const [name] = within(lines, line).flatMap((below) => /^name (\S+)$/.exec(below)?.[1] ?? [])
      const id = Number(list)
      return list === "" || !Number.isInteger(id) || name === undefined || isOwnVlan(id) ? [] : [{ id, name }]
    }),
    vnis: new Map(
      within(lines, "interface Vxlan1").flatMap((line) => {
        const [, vlan, vni] = /^vxlan vlan (\d+) vni (\d+)$/.exec(line) ?? []
        return vlan === undefined ? [] : [[Number(vlan), Number(vni)] as const]
      })
    )
  }
}

// Ports of an access switch.

const idsIn = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split("-").map(Number)
    return to - from > 4_094 ? [] : Array.from({ length: Math.max(0, to - from + 1) }, (_, step) => from + step)
  })

/** The proposed uses of the ports of an access switch. */
export const runningPorts = (platform: Platform, text: string, nameOf: NameOf): ReadonlyArray<RunningPort> => {
  if (platform.configuration.sections === "braces") return bracePorts(platform, text, nameOf)
  const lines = [...linesWithPlaces(platform, text)]
  const sections = new Map<string, Array<string>>()
  for (const { line, sections: path } of lines) {
    const [heading, another] = path
    if (heading !== undefined && another === undefined && heading.startsWith("interface "))
      sections.set(heading, [...(sections.get(heading) ?? []), line])
  }
  return topLines(lines).flatMap((heading): ReadonlyArray<RunningPort> => {
    const [, name] = /^interface (\S+)$/.exec(heading) ?? []
    if (name === undefined || !platform.interfaces.physical.test(name)) return []
    const own = sections.get(heading) ?? []
    const value = (pattern: RegExp, from = own) =>
      from.map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined)
    const channel = value(/^channel-group (\d+) mode /)
    // the VLANs of a member are those of its port-channel
    const switched = channel === undefined ? own : (sections.get(`interface Port-Channel${channel}`) ?? [])
    const [access, allowed, native] = [
      value(/^switchport access vlan (\d+)$/, switched),
      value(/^switchport trunk allowed vlan (\d[\d,-]*)$/, switched),
      value(/^switchport trunk native vlan (\d+)$/, switched)
    ]
    const isTrunk = switched.includes("switchport mode trunk")
    const isAuto = own.includes("dot1x pae authenticator")
    if (!isAuto && !isTrunk && access === undefined) return []
    // a trunk without a list is a cable to another switch
    if (isTrunk && allowed === undefined) return []
    const description = value(/^description (.+)$/)
    const voice = value(/^switchport (?:phone|voice) vlan (\d+)$/)
    const data = {
      ...(isTrunk && allowed !== undefined ? { tagged_vlan_list: idsIn(allowed).map(nameOf) } : {}),
      ...(isTrunk
        ? native === undefined
          ? {}
          : { untagged_vlan: nameOf(Number(native)) }
        : access === undefined || isAuto
          ? {}
          : { untagged_vlan: nameOf(Number(access)) }),
      ...(description === undefined ? {} : { description: description.slice(0, 64) }),
      ...(own.includes("shutdown") ? { enabled: false } : {}),
      ...(channel === undefined ? {} : { aggregate_id: Number(channel) }),
      ...(own.includes("spanning-tree bpdufilter enable") ? { bpdu_filter: true } : {}),
      // the data of a port has no field for the VLAN of a telephone
      ...(voice === undefined ? {} : { cli_append_str: `   switchport phone vlan ${voice}` })
    }
    const configtype = isAuto ? "ACCESS_AUTO" : isTrunk ? "ACCESS_TAGGED" : "ACCESS_UNTAGGED"
    return [{ name, configtype, data }]
  })
}
