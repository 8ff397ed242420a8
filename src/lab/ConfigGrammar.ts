/**
 * What the simulated switch knows about its own configuration language, as tables: which lines open a section, which
 * hold one value, which repeat a default, where a line stands in the printed configuration, and which words exist.
 * Nothing here acts; ConfigLoader and ConfigTree read it.
 */

/** Lines that open a section, with the tag that the prompt shows while one is inside. */
const SECTIONS: ReadonlyArray<readonly [RegExp, (match: RegExpMatchArray) => string]> = [
  [/^interface (\S+)$/, (m) => `if-${shortName(m[1] ?? "")}`],
  [/^vlan (\d[\d,-]*)$/, (m) => `vlan-${m[1]}`],
  [/^vrf instance (\S+)$/, (m) => `vrf-${m[1]}`],
  [/^vrf definition (\S+)$/, (m) => `vrf-${m[1]}`],
  [/^router (bgp|ospf|ospf3|isis|rip|pim|multicast|igmp|general|bfd|l2-vpn|traffic-engineering|msdp)\b.*$/, (m) => `router-${m[1]}`],
  [/^management (ssh|console|telnet|security|cvx)$/, (m) => `mgmt-${m[1]}`],
  [/^management api (\S+)$/, (m) => `mgmt-api-${m[1]?.replace("commands", "cmds")}`],
  [/^ip access-list standard (\S+)$/, (m) => `std-acl-${m[1]}`],
  [/^(?:ip|ipv6|mac) access-list (\S+)$/, (m) => `acl-${m[1]}`],
  [/^route-map (\S+)(?: .*)?$/, (m) => `route-map-${m[1]}`],
  [/^mlag configuration$/, () => "mlag"],
  [/^aaa group server (\S+) (\S+)$/, (m) => `sg-${m[1]}-${m[2]}`],
  [/^policy-map (?:type \S+ )?(\S+)$/, (m) => `pmap-${m[1]}`],
  [/^class-map (?:type \S+ )?(?:match-any |match-all )?(\S+)$/, (m) => `cmap-${m[1]}`],
  [/^spanning-tree mst configuration$/, () => "mst"],
  [/^daemon (\S+)$/, (m) => `daemon-${m[1]}`],
  [/^event-handler (\S+)$/, (m) => `handler-${m[1]}`],
  [/^role (\S+)$/, (m) => `role-${m[1]}`],
  [/^peer-filter (\S+)$/, (m) => `peer-filter-${m[1]}`],
  [/^ip dhcp (relay|snooping)$/, (m) => `dhcp-${m[1]}`],
  [/^dhcp server(?: vrf \S+)?$/, () => "dhcp-server"],
  [/^(dot1x|poe|ptp|tap aggregation|control-plane|kernel|system control-plane|hardware tcam|monitor telemetry \S+)$/, (m) => m[1]?.replaceAll(" ", "-") ?? ""],
  [/^ssl profile (\S+)$/, (m) => `ssl-profile-${m[1]}`]
]

/** Lines that open a section inside another one. */
const NESTED: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [/^router bgp/, /^(?:address-family .+|vrf \S+|vlan \S+|vlan-aware-bundle \S+)$/],
  [/^router (?:ospf3|isis|general|multicast|igmp|pim)/, /^(?:address-family .+|vrf \S+|ipv4|ipv6)$/],
  [/^management (?:ssh|api|security|console)/, /^(?:vrf \S+|ssl profile \S+|transport \S+ \S+|password|provider \S+)$/],
  [/^policy-map/, /^class \S+$/],
  [/^dhcp server/, /^(?:subnet \S+|client class \S+ .*)$/]
]

/** Commands that hold one value: a second one with the same beginning replaces the first. */
const SINGLE = [
  "hostname", "dns domain", "ip domain-name", "description", "name", "mtu", "speed", "vrf", "router-id", "load-interval",
  "switchport mode", "switchport access vlan", "switchport trunk native vlan", "switchport trunk allowed vlan",
  "switchport trunk group", "switchport voice vlan", "channel-group", "spanning-tree mode", "spanning-tree guard",
  "spanning-tree priority", "service routing protocols model", "storm-control broadcast level",
  "storm-control multicast level", "boot system", "errdisable recovery interval", "aaa authorization exec default",
  "aaa authorization commands all default", "aaa authentication login default", "aaa authentication login console",
  "aaa authentication dot1x default", "ip virtual-router mac-address", "maximum-paths", "clock timezone", "enable secret",
  "enable password", "qos trust", "snmp-server location", "snmp-server contact", "sflow polling-interval",
  "idle-timeout", "authentication mode", "authentication protocol", "local-interface", "peer-address", "peer-link", "domain-id",
  "reload-delay", "lacp rate", "lacp timer", "poe reboot action", "dot1x port-control", "dot1x host-mode",
  "ip ospf network", "prompt", "logging buffered", "logging console", "rd", "mlag", "ipv6 nd ra disabled",
  "vxlan source-interface", "vxlan udp-port", "vlan internal order"
] as const

/** Commands whose key is longer than a fixed beginning: the matched text is the key. */
const KEYED: ReadonlyArray<RegExp> = [
  /^username \S+ ssh-key/,
  /^username \S+/,
  /^\d+(?= )/,
  /^neighbor \S+ (?:remote-as|description|update-source|peer group|password|maximum-routes|ebgp-multihop|local-as)\b/,
  /^(?:ntp local-interface|logging source-interface|sflow source-interface)/,
  /^(?:ntp|logging|sflow) vrf \S+ (?:local-interface|source-interface|source)\b/,
  /^ntp local-interface vrf \S+/,
  /^vxlan (?:vlan|vrf) \S+ vni\b/,
  /^banner (?:login|motd|exec)/,
  /^alias \S+/,
  /^radius-server host \S+(?: vrf \S+)?(?: auth-port \d+)?/
]

const ADDRESS = /^ip address (?!.*\bsecondary$)(?:virtual\b)?/

/** The identity of a line among its siblings: two lines with the same key cannot stand together. */
export const entryKey = (text: string): string => {
  if (text.startsWith("ip address ") && ADDRESS.test(text)) return text.startsWith("ip address virtual") ? "ip address virtual" : "ip address"
  for (const pattern of KEYED) {
    const match = pattern.exec(text)
    if (match !== null) return match[0]
  }
  const candidates = SINGLE_BY_FIRST_WORD.get(firstWord(text))
  return candidates?.find((key) => text === key || text.startsWith(`${key} `)) ?? text
}

/** Printed order of the top-level lines; what is not listed stands where `*` does. */
const ORDER = [
  "boot", "aaa root", "username", "role", "daemon", "alias", "agent", "hardware", "transceiver", "load-interval", "service",
  "dhcp", "switch", "event-handler", "event-monitor", "logging", "prompt", "hostname", "ip name-server", "ip domain-name", "ip domain-list",
  "ip domain lookup", "dns", "ntp", "dot1x", "errdisable", "poe", "ptp", "radius-server", "tacacs-server", "sflow", "snmp-server",
  "spanning-tree", "lldp", "lacp", "aaa", "enable", "clock", "vlan", "vrf", "management", "interface", "mac", "ip virtual-router",
  "ip access-list", "ipv6 access-list", "ip routing", "ipv6 unicast-routing", "ip prefix-list", "ipv6 prefix-list", "ip community-list",
  "ip route", "ipv6 route", "mlag", "qos", "class-map", "policy-map", "route-map", "peer-filter", "*", "router", "banner", "end"
] as const

const RANK = new Map<string, number>(ORDER.map((prefix, index) => [prefix, index]))
const OTHER_RANK = ORDER.indexOf("*")
const INTERFACE_KINDS = ["Port-Channel", "Ethernet", "Loopback", "Management", "Tunnel", "Vlan", "Vxlan"]

/** Where a top-level line stands in the printed configuration. */
export const rankOf = (text: string): number => {
  const words = (text.startsWith("no ") ? text.slice(3) : text).split(" ", 3)
  return RANK.get(words.join(" ")) ?? RANK.get(words.slice(0, 2).join(" ")) ?? RANK.get(words[0] ?? "") ?? OTHER_RANK
}

/** Orders interface and VLAN sections by kind and number; 0 for all others (entry order is kept). */
export const compareWithinRank = (a: string, b: string): number => {
  if (a.startsWith("interface ") && b.startsWith("interface ")) return compareInterfaces(a.slice(10), b.slice(10))
  if (/^vlan \d/.test(a) && /^vlan \d/.test(b)) return Number.parseInt(a.slice(5), 10) - Number.parseInt(b.slice(5), 10)
  return 0
}

/** Natural order of interface names: kind first, then each number of the name. */
export const compareInterfaces = (a: string, b: string): number => {
  const kinds = kindRank(a) - kindRank(b)
  if (kinds !== 0) return kinds
  const left = numbersOf(a)
  const right = numbersOf(b)
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? -1) - (right[i] ?? -1)
    if (difference !== 0) return difference
  }
  return a < b ? -1 : a > b ? 1 : 0
}

const kindRank = (name: string) => {
  const index = INTERFACE_KINDS.indexOf(name.replace(/\d.*$/, ""))
  return index < 0 ? INTERFACE_KINDS.length : index
}
const numbersOf = (name: string) => (name.match(/\d+/g) ?? []).map(Number)

/** Lines that say what is so anyway; the device does not print them. First pattern: the section (root is empty). */
const DEFAULTS: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [/^interface /, /^(?:no shutdown|no description|switchport mode access|switchport access vlan 1|switchport|poe|no channel-group)$/],
  [/^interface (?:Vlan|Loopback|Port-Channel)/, /^no switchport$/],
  [/^$/, /^(?:lldp run|no ip domain lookup|default .*)$/],
  [/^vlan \d/, /^state active$/],
  [/^management ssh/, /^no shutdown$/]
]

/** True when the line repeats a default of this section (`""` for the top level). */
export const isDefault = (section: string, text: string): boolean =>
  DEFAULTS.some(([where, what]) => where.test(section) && what.test(text))

/** Things that do not exist by default: `no X` removes them and leaves no line behind. */
const REMOVABLE =
  /^(?:description|ip address|ipv6 address|vlan|interface|username|hostname|banner|name|ntp|logging|snmp-server|ip route|ip name-server|dns|ip domain-name|router|vrf|route-map|ip access-list|ip prefix-list|alias|channel-group|switchport (?:access|trunk|mode|voice)|boot|radius-server|tacacs-server|enable|poe|mtu|speed|role|daemon|event-handler|storm-control|\d+|access-group|ip helper-address|neighbor|network|clock|comment|mlag|sflow destination)(?: |$)/

/** Switches that are printed in both positions. */
const TOGGLES = /^(?:ip routing|ipv6 unicast-routing|lldp (?:run|transmit|receive)|switchport|aaa root|autostate|spanning-tree portfast)(?: |$)/

/** True when `no {text}` only removes. */
export const isRemovable = (text: string): boolean => REMOVABLE.test(text)

/** True when `no {text}` stands in the configuration even after it removed the positive line. */
export const isToggle = (text: string): boolean => TOGGLES.test(text)

/** First words that exist at the top level (with or without `no` or `default`). */
const ROOT_WORDS = new Set([
  ...ORDER.map((prefix) => prefix.split(" ", 1)[0] ?? prefix), "ip", "ipv6", "arp", "bfd", "cfm", "counters", "control-plane", "cvx", "exec-timeout",
  "group-policy", "igmp", "ipsec", "kernel", "l2-protocol", "license", "link", "logging", "maintenance", "match-list", "monitor", "mpls",
  "multicast", "patch", "platform", "port-channel", "priority-flow-control", "pseudowire", "queue-monitor", "redundancy", "schedule",
  "ssl", "system", "tap", "tcp", "terminal", "track", "traffic-loop", "traffic-policies", "tunnel", "virtual-router", "zerotouch", "address",
  "application", "environment", "fips", "boot", "comment", "errdisable", "transceiver", "security", "stun", "sync-e", "segment-security",
  "exception", "dynamic", "dps", "email", "flow", "general", "ethernet", "hostname", "rcf", "as-path", "community-list", "mac-address-table",
  "unsupported-speed", "vmtracer", "watchdog", "xmpp", "nat", "ptp", "load-balance", "snmp"
])

/** True when the first word is one that the top level knows. */
export const isRootWord = (text: string): boolean => ROOT_WORDS.has(firstWord(text.replace(/^(?:no|default) /, "")))

/** Words that exist at the top level only, so that typing one inside a section leaves the section. */
const LEAVES_SECTION =
  /^(?:no |default )?(?:interface \S|hostname |username |router \S|ntp |logging (?!event)|snmp-server|aaa |radius-server|tacacs-server|errdisable |banner |alias |management |dns |clock |service |route-map \S+ |vrf instance|sflow (?:run|destination|vrf|source|polling)|spanning-tree (?:mode|mst)|lldp (?:run|timer)|dot1x system|mlag configuration|ip (?:route|routing|access-list|name-server|prefix-list|virtual-router|domain)|ipv6 (?:route|unicast-routing|access-list)|vlan (?:\d[\d,-]*$|internal)|daemon |event-handler |policy-map|class-map|aaa group|transceiver |boot )/

/** True when a line typed inside `section` belongs to the top level. */
export const leavesSection = (section: string, text: string): boolean =>
  LEAVES_SECTION.test(text) && !(/^vlan /.test(text) && /^router bgp/.test(section))

/** The section tag that the prompt shows, or undefined when the line opens no section there. */
export const sectionTag = (parent: string, text: string): string | undefined => {
  if (parent !== "") {
    const nested = NESTED.some(([where, what]) => where.test(parent) && what.test(text))
    return nested ? text.replaceAll(" ", "-") : undefined
  }
  for (const [pattern, tag] of SECTIONS) {
    const match = pattern.exec(text)
    if (match !== null) return tag(match)
  }
  return undefined
}

/** Commands that read a text until a line `EOF`. */
export const HEREDOC = /^(?:banner (?:login|motd|exec)|comment|protocol https certificate)$/

const NAMES: ReadonlyArray<readonly [string, string]> = [
  ["Ethernet", "Et"], ["Management", "Ma"], ["Port-Channel", "Po"], ["Vlan", "Vl"], ["Loopback", "Lo"], ["Vxlan", "Vx"], ["Tunnel", "Tu"]
]

/** `Ethernet51` → `Et51`. */
export const shortName = (name: string): string => {
  const found = NAMES.find(([long]) => name.startsWith(long))
  return found === undefined ? name : found[1] + name.slice(found[0].length)
}

/** `et 51`, `Eth51`, `ethernet51` → `Ethernet51`; unknown names stay. */
export const longName = (name: string): string => {
  const match = /^([A-Za-z-]+?)\s*(\d[\d/.]*)$/.exec(name.trim())
  const typed = match?.[1]?.toLowerCase()
  if (typed === undefined || typed.length < 2) return name
  const found = NAMES.find(([long]) => long.toLowerCase().startsWith(typed))
  return found === undefined ? name : `${found[0]}${match?.[2] ?? ""}`
}

const firstWord = (text: string) => text.split(" ", 1)[0] ?? ""

const SINGLE_BY_FIRST_WORD = new Map<string, Array<string>>()
for (const key of SINGLE) {
  const list = SINGLE_BY_FIRST_WORD.get(firstWord(key)) ?? []
  list.push(key)
  SINGLE_BY_FIRST_WORD.set(firstWord(key), list.sort((a, b) => b.length - a.length))
}
