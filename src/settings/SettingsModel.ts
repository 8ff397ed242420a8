/**
 * The complete settings model `f_root`: every key that a settings file may hold, with its type, bounds, default and description
 * (docs/settings-repository.md#how-values-are-checked). The order of the keys is the order in which messages name them
 * (docs/settings-repository.md#messages).
 */
import {
  absent,
  Descriptions,
  flag,
  integer,
  integerOrText,
  list,
  mapping,
  model,
  optional,
  Patterns,
  refine,
  type SiblingCheck,
  text
} from "./SettingRule.ts"
import { isObject } from "../domain/fields/Values.ts"
import { baseFields, f_dhcp_relay, names, noLines, noText, rawLines, vlanId, vlanRangeFault } from "./BaseModels.ts"
import { routingFields } from "./RoutingModels.ts"

// The check of an IPv4 interface address such as `10.0.0.1/24`, with its messages
// (docs/settings-repository.md#interface-addresses).

const MIN_PREFIX = 8
const MAX_PREFIX = 32
const MAX_PREFIX_WITH_NETWORK = 30

/** The reason why a text is not an IPv4 address, in the words that operators know. */
const parseFault = (address: string): string | undefined => {
  if (address === "") return "Address cannot be empty"
  const octets = address.split(".")
  if (octets.length !== 4) return `Expected 4 octets in '${address}'`
  for (const octet of octets) {
    if (octet === "") return `Empty octet not permitted in '${address}'`
    if (!/^[0-9]+$/.test(octet)) return `Only decimal digits permitted in '${octet}' in '${address}'`
    if (octet.length > 3) return `At most 3 characters permitted in '${octet}' in '${address}'`
    if (octet !== "0" && octet.startsWith("0")) return `Leading zeros are not permitted in '${octet}' in '${address}'`
    if (Number(octet) > 255) return `Octet ${Number(octet)} (> 255) not permitted in '${address}'`
  }
  return undefined
}

/** A dotted quad as an unsigned number; the caller has checked the text. */
const toNumber = (address: string): number => address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0)

const invalid = (reason: string) => `Value error, Invalid IPv4 interface: ${reason}`

/**
 * Nothing when the text is a usable interface address in CIDR notation, else the message: prefix length 8 to 32, not
 * multicast and, up to length 30, neither the network's own address nor its broadcast address.
 */
const interfaceAddressFault = (value: string): string | undefined => {
  const slash = value.indexOf("/")
  if (slash < 0) return invalid("Not a CIDR notation/no netmask")
  const address = value.slice(0, slash)
  const length = value.slice(slash + 1)
  const fault = parseFault(address)
  if (fault !== undefined) return invalid(fault.slice(0, 200))
  if (!/^[0-9]{1,2}$/.test(length) || Number(length) > MAX_PREFIX) {
    return `Value error, '${length.slice(0, 100)}' is not a valid netmask`
  }
  if (Number(length) < MIN_PREFIX) return invalid("Invalid prefix size")
  return hostFault(toNumber(address), Number(length))
}

const hostFault = (address: number, length: number): string | undefined => {
  const first = Math.floor(address / 2 ** 24)
  if (first >= 224 && first <= 239) return invalid("Multicast address is invalid")
  if (length > MAX_PREFIX_WITH_NETWORK) return undefined
  const size = 2 ** (32 - length)
  const host = address % size
  return host === 0 || host === size - 1 ? invalid("Invalid interface address") : undefined
}

// Names of several interfaces in one: `Ethernet[1-4]`, `Ethernet[49-52]/1`, `Ethernet[1-2]/[1-2]`
// (docs/settings-repository.md#interface-ranges).

/** More interfaces than any switch has. */
const MAX_EXPANSION = 4_096

const BRACKET = /\[([0-9]+)(?:-([0-9]+))?\]/g

interface Span {
  readonly before: string
  readonly low: number
  readonly high: number
}

/** The brackets of a name with the text before each, and the text after the last. */
const parse = (name: string): { readonly spans: ReadonlyArray<Span>; readonly rest: string } => {
  let end = 0
  const spans = [...name.matchAll(BRACKET)].map((match) => {
    const before = name.slice(end, match.index)
    end = match.index + match[0].length
    return { before, low: Number(match[1]), high: Number(match[2] ?? match[1]) }
  })
  return { spans, rest: name.slice(end) }
}

const sizeOf = ({ high, low }: Span): number => Math.max(0, high - low + 1)

/** Nothing, or the message for a name with more interfaces than can exist. */
const interfaceRangeFault = (name: string): string | undefined => {
  const size = parse(name).spans.reduce((product, span) => product * sizeOf(span), 1)
  return size > MAX_EXPANSION
    ? `Value error, Interface range stands for more than ${MAX_EXPANSION} interfaces`
    : undefined
}

/**
 * The names of a range, in order; several brackets multiply out, the last one running fastest. A name without brackets means
 * itself, a range that runs backwards nothing.
 */
export const expandInterfaceRange = (name: string): ReadonlyArray<string> => {
  if (interfaceRangeFault(name) !== undefined) return []
  const { rest, spans } = parse(name)
  return spans
    .reduce<ReadonlyArray<string>>(
      (heads, span) =>
        heads.flatMap((head) =>
          Array.from({ length: sizeOf(span) }, (_, step) => `${head}${span.before}${span.low + step}`)
        ),
      [""]
    )
    .map((head) => head + rest)
}

/** The interfaces of a device's settings, one entry for each name, in the order of the file. */
export const expandInterfaces = <A extends { readonly name: string }>(interfaces: ReadonlyArray<A>): ReadonlyArray<A> =>
  interfaces.flatMap((one) => expandInterfaceRange(one.name).map((name) => ({ ...one, name })))

const vrf = absent(text({ pattern: Patterns.vlanName, description: Descriptions.vlanName }))
const mtu = absent(integer({ ge: 68, le: 9214, description: Descriptions.mtu }))
const interfaceAddress = text({ check: interfaceAddressFault })

const needsVrf =
  (key: string): SiblingCheck =>
  (value, siblings) =>
    value !== null && value !== "" && !siblings["vrf"]
      ? `Value error, VRF is required when specifying ${key}`
      : undefined

const accessLists = { acl_ipv4_in: noText, acl_ipv4_out: noText, acl_ipv6_in: noText, acl_ipv6_out: noText }

const f_vxlan = model("f_vxlan", {
  description: noText,
  vni: integer({ gt: 0, lt: 16_777_215, description: Descriptions.vni }),
  vrf,
  vlan_id: vlanId,
  vlan_name: text({ pattern: Patterns.vlanName, description: Descriptions.vlanName }),
  ipv4_gw: refine(absent(interfaceAddress), { check: needsVrf("ipv4_gw") }),
  ipv4_secondaries: absent(list(interfaceAddress)),
  ipv6_gw: refine(absent(text({ pattern: Patterns.ipv6Interface, description: Descriptions.ipv6Interface })), {
    check: needsVrf("ipv6_gw")
  }),
  dhcp_relays: absent(list(f_dhcp_relay)),
  mtu,
  vxlan_host_route: optional(flag, true),
  ...accessLists,
  cli_append_str: rawLines,
  groups: names,
  devices: names,
  tags: names
})
export type Vxlan = typeof f_vxlan.Type

export const f_interface = model("f_interface", {
  name: text({
    pattern: Patterns.interfaceRange,
    check: interfaceRangeFault,
    description: Descriptions.interfaceRange
  }),
  ifclass: text({ pattern: Patterns.interfaceClass, description: Descriptions.interfaceClass }),
  redundant_link: optional(flag, true),
  config: noLines,
  description: absent(text({ maxLength: 64, description: Descriptions.interfaceDescription })),
  enabled: absent(flag),
  untagged_vlan: absent(vlanId),
  tagged_vlan_list: absent(list(integerOrText({ ge: 1, le: 4094 }, { check: vlanRangeFault }))),
  aggregate_id: absent(integer()),
  tags: absent(list(text())),
  vrf,
  ipv4_address: refine(absent(interfaceAddress), { check: needsVrf("ipv4_gw") }),
  ipv6_address: absent(text({ pattern: Patterns.ipv6Interface, description: Descriptions.ipv6Interface })),
  mtu,
  ...accessLists,
  metric: absent(integer()),
  cli_append_str: rawLines
})
export type SettingsInterface = typeof f_interface.Type

/** All settings of a device, a device type or the whole site. */
export const f_root = model("f_root", {
  ntp_servers: baseFields.ntp_servers,
  radius_servers: baseFields.radius_servers,
  syslog_servers: baseFields.syslog_servers,
  snmp_servers: baseFields.snmp_servers,
  dns_servers: baseFields.dns_servers,
  flow_collectors: baseFields.flow_collectors,
  dhcp_relays: baseFields.dhcp_relays,
  interfaces: optional(list(f_interface), []),
  vrfs: routingFields.vrfs,
  vxlans: optional(mapping(f_vxlan), new Map()),
  underlay: routingFields.underlay,
  evpn_peers: routingFields.evpn_peers,
  extroute_static: routingFields.extroute_static,
  extroute_ospfv3: routingFields.extroute_ospfv3,
  extroute_bgp: routingFields.extroute_bgp,
  internal_vlans: baseFields.internal_vlans,
  dot1x_fail_vlan: baseFields.dot1x_fail_vlan,
  cli_prepend_str: baseFields.cli_prepend_str,
  cli_append_str: baseFields.cli_append_str,
  organization_name: baseFields.organization_name,
  location: baseFields.location,
  domain_name: baseFields.domain_name,
  users: baseFields.users,
  dot1x_multi_host: baseFields.dot1x_multi_host,
  poe_reboot_maintain: baseFields.poe_reboot_maintain,
  prefix_sets: routingFields.prefix_sets,
  routing_policies: routingFields.routing_policies,
  interface_tag_options: baseFields.interface_tag_options,
  port_template_options: baseFields.port_template_options,
  port_profiles: baseFields.port_profiles,
  vxlan_vni_range: baseFields.vxlan_vni_range,
  external_routing_policies: baseFields.external_routing_policies,
  arista_models_32bit: baseFields.arista_models_32bit,
  arista_models_arm: baseFields.arista_models_arm,
  upgrade_post_waittime: baseFields.upgrade_post_waittime,
  banner_login: baseFields.banner_login,
  banner_motd: baseFields.banner_motd,
  system_access_lists: baseFields.system_access_lists,
  ssh: baseFields.ssh
})

/** The validated settings; `vxlans` and the other free mappings are `Map`s in the order of the file. */
export type Settings = typeof f_root.Type

const PLACES = [
  ["building", ""],
  ["room", "room "],
  ["rack", "rack "]
] as const

/** The place of a switch by its setting `location`, in words: `East wing, room E-2, rack 2`. Null if the setting does not say it. */
export const locationText = (location: unknown): string | null => {
  if (!isObject(location)) return null
  const parts = PLACES.flatMap(([key, word]) => {
    const value = location[key]
    return typeof value === "string" && value !== "" ? [word + value] : []
  })
  return parts.length === 0 ? null : parts.join(", ")
}

// VLANs by the names that ports use for them (docs/templates.md#variables-of-access-switches): the name of the VLAN, or its key
// in `vxlans`. A name wins over the key of another VLAN, so that a new key never takes a port away from its VLAN.

export type Vxlans = Settings["vxlans"]

const known = new WeakMap<Vxlans, ReadonlyMap<string, string>>()

const keysIn = (vxlans: Vxlans): ReadonlyMap<string, string> => {
  const keys = new Map<string, string>()
  for (const [key, { vlan_name: name }] of vxlans) if (!keys.has(name)) keys.set(name, key)
  for (const key of vxlans.keys()) if (!keys.has(key)) keys.set(key, key)
  return keys
}

/** The key of the VXLAN that a text means: the first one with this VLAN name, else the one with this key. */
export const vxlanKeyOf = (vxlans: Vxlans, vlan: string): string | undefined => {
  const keys = known.get(vxlans) ?? keysIn(vxlans)
  known.set(vxlans, keys)
  return keys.get(vlan)
}

/** The id that a port means; an integer means itself; null for an unknown name and any other value. */
export const vlanIdOf = (vxlans: Vxlans, vlan: unknown): number | null => {
  if (typeof vlan === "number") return Number.isInteger(vlan) ? vlan : null
  const key = typeof vlan === "string" && vlan !== "" ? vxlanKeyOf(vxlans, vlan) : undefined
  return key === undefined ? null : (vxlans.get(key)?.vlan_id ?? null)
}

/** The ids of a list of names without unknown ones; empty for any other value. */
export const vlanIdsOf = (vxlans: Vxlans, vlans: unknown): ReadonlyArray<number> =>
  Array.isArray(vlans) ? vlans.map((vlan) => vlanIdOf(vxlans, vlan)).filter((id) => id !== null) : []
