/**
 * The switch's configuration language as tables: which lines open a section, which repeat a default, the remains of a `no`, the
 * known words, when two lines are the same statement, and the meaning of a line in every section. Nothing here acts; ConfigLoader
 * reads it.
 */
import { ORDER } from "./ConfigTree.ts"
import { firstWord, longName, remembered, shortName } from "./Words.ts"

/** Lines that open a section, with the tag that the prompt shows while one is inside. */
const SECTIONS: ReadonlyArray<readonly [RegExp, (match: RegExpMatchArray) => string]> = [
  [/^interface (\S+)$/, (m) => `if-${shortName(m[1] ?? "")}`],
  [/^vlan (\d[\d,-]*)$/, (m) => `vlan-${m[1]}`],
  [/^vrf instance (\S+)$/, (m) => `vrf-${m[1]}`],
  [/^vrf definition (\S+)$/, (m) => `vrf-${m[1]}`],
  [
    /^router (bgp|ospf|ospf3|isis|rip|pim|multicast|igmp|general|bfd|l2-vpn|traffic-engineering|msdp)\b.*$/,
    (m) => `router-${m[1]}`
  ],
  [/^management (ssh|console|telnet|security|cvx)$/, (m) => `mgmt-${m[1]}`],
  [/^management api (\S+)$/, (m) => `mgmt-api-${m[1]?.replace("commands", "cmds")}`],
  [/^ip access-list standard (\S+)$/, (m) => `std-acl-${m[1]}`],
  [/^(?:ip|ipv6) prefix-list (\S+)$/, (m) => `pfx-${m[1]}`],
  [/^(?:ip|ipv6|mac) access-list (\S+)$/, (m) => `acl-${m[1]}`],
  [/^route-map (\S+)(?: .*)?$/, (m) => `route-map-${m[1]}`],
  [/^alias (\S+)$/, (m) => `alias-${m[1]}`],
  [/^mlag configuration$/, () => "mlag"],
  [/^aaa group server (\S+) (\S+)$/, (m) => `sg-${m[1]}-${m[2]}`],
  [/^policy-map (?:type \S+ )?(\S+)$/, (m) => `pmap-${m[1]}`],
  [/^class-map (?:type \S+ )?(?:match-any |match-all )?(\S+)$/, (m) => `cmap-${m[1]}`],
  [/^spanning-tree mst configuration$/, () => "mst"],
  [/^daemon (\S+)$/, (m) => `daemon-${m[1]}`],
  [/^event-handler (\S+)$/, (m) => `handler-${m[1]}`],
  [/^control-functions$/, () => "control-functions"],
  [/^role (\S+)$/, (m) => `role-${m[1]}`],
  [/^peer-filter (\S+)$/, (m) => `peer-filter-${m[1]}`],
  [/^ip dhcp (relay|snooping)$/, (m) => `dhcp-${m[1]}`],
  [/^dhcp server(?: vrf \S+)?$/, () => "dhcp-server"],
  [
    /^(dot1x|poe|ptp|tap aggregation|control-plane|kernel|system control-plane|hardware tcam|monitor telemetry \S+)$/,
    (m) => m[1]?.replaceAll(" ", "-") ?? ""
  ],
  [/^ssl profile (\S+)$/, (m) => `ssl-profile-${m[1]}`]
]

/** Lines that open a section inside another one. */
const NESTED: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [/^interface /, /^evpn ethernet-segment$/],
  [/^router bgp/, /^(?:address-family .+|vrf \S+|vlan \S+|vlan-aware-bundle \S+)$/],
  [/^vrf \S+$/, /^address-family .+$/],
  [/^router (?:ospf3|isis|general|multicast|igmp|pim)/, /^(?:address-family .+|vrf \S+|ipv4|ipv6)$/],
  [/^management (?:ssh|api|security|console)/, /^(?:vrf \S+|ssl profile \S+|transport \S+ \S+|password|provider \S+)$/],
  [/^policy-map/, /^class \S+$/],
  [/^dhcp server/, /^(?:subnet \S+|client class \S+ .*)$/]
]

/** Sections that take effect as a whole, when they are left (group-change modes). */
const GROUP_CHANGES =
  /^(?:(?:ip|ipv6|mac) access-list |(?:ip|ipv6) prefix-list |ip (?:as-path access-list|(?:ext|large-)?community-list) |route-map |class-map |policy-map |class |qos profile |traffic-policy |peer-filter |spanning-tree mst configuration$)/

/** True when the lines of this section take effect when it is left. */
export const isGroupChange = (section: string): boolean => GROUP_CHANGES.test(section)

/** Lines that repeat a default; the device does not print them. First pattern: the section (root is empty). */
const DEFAULTS: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [
    /^interface /,
    /^(?:no shutdown|no description|switchport mode access|switchport access vlan 1|switchport|poe|no channel-group)$/
  ],
  [/^interface (?:Vlan|Loopback|Port-Channel)/, /^no switchport$/],
  [/^$/, /^(?:lldp run|no ip domain lookup|default .*)$/],
  [/^vlan \d/, /^state active$/],
  [/^management ssh/, /^no shutdown$/]
]

/** True when the line repeats a default of this section (`""` for the top level). */
export const isDefault = (section: string, text: string): boolean =>
  DEFAULTS.some(([where, what]) => where.test(section) && what.test(text))

/** True when the line repeats a default of some section. */
const mayBeDefault = (text: string): boolean => DEFAULTS.some(([, what]) => what.test(text))

/** Things that do not exist by default: `no X` removes them and leaves no line behind. */
const REMOVABLE =
  /^(?:description|ip address|ipv6 address|vlan|interface|username|hostname|banner|name|ntp|logging|snmp-server|ip route|ip name-server|dns|ip domain-name|router|vrf|route-map|ip access-list|ip prefix-list|alias|channel-group|switchport (?:access|trunk|mode|voice)|boot|radius-server|tacacs-server|enable|poe|mtu|speed|role|daemon|event-handler|storm-control|\d+|access-group|ip helper-address|neighbor|network|clock|comment|mlag|sflow destination)(?: |$)/

/** Switches that are printed in both positions. */
const TOGGLES =
  /^(?:ip routing|ipv6 unicast-routing|lldp (?:run|transmit|receive)|switchport|aaa root|autostate|spanning-tree portfast)(?: |$)/

/** True when `no {text}` only removes. */
export const isRemovable = (text: string): boolean => REMOVABLE.test(text)

/** True when `no {text}` stands in the configuration even after it removed the positive line. */
export const isToggle = (text: string): boolean => TOGGLES.test(text)

/** First words that exist at the top level (with or without `no` or `default`). */
const ROOT_WORDS = new Set([
  ...ORDER.map(firstWord),
  "ip",
  "ipv6",
  "arp",
  "bfd",
  "cfm",
  "control-functions",
  "counters",
  "control-plane",
  "cvx",
  "exec-timeout",
  "group-policy",
  "igmp",
  "ipsec",
  "kernel",
  "l2-protocol",
  "license",
  "link",
  "logging",
  "maintenance",
  "match-list",
  "monitor",
  "mpls",
  "multicast",
  "patch",
  "platform",
  "port-channel",
  "priority-flow-control",
  "pseudowire",
  "queue-monitor",
  "redundancy",
  "schedule",
  "ssl",
  "system",
  "tap",
  "tcp",
  "terminal",
  "track",
  "traffic-loop",
  "traffic-policies",
  "tunnel",
  "virtual-router",
  "zerotouch",
  "address",
  "application",
  "environment",
  "fips",
  "boot",
  "comment",
  "errdisable",
  "transceiver",
  "security",
  "stun",
  "sync-e",
  "segment-security",
  "exception",
  "dynamic",
  "dps",
  "email",
  "flow",
  "general",
  "ethernet",
  "hostname",
  "rcf",
  "as-path",
  "community-list",
  "mac-address-table",
  "unsupported-speed",
  "vmtracer",
  "watchdog",
  "xmpp",
  "nat",
  "ptp",
  "load-balance",
  "snmp"
])

/** True when the first word of a line (without `no` or `default`) is one that the top level knows. */
export const isRootWord = (positive: string): boolean => ROOT_WORDS.has(firstWord(positive))

/** Words that exist at the top level only, so that typing one inside a section leaves the section. */
const LEAVES_SECTION =
  /^(?:no |default )?(?:interface \S|hostname |username |router \S|ntp |logging (?!event)|snmp-server|aaa |radius-server|tacacs-server|errdisable |banner |alias |management |dns |clock |service |route-map \S+ |vrf instance|sflow (?:run|destination|vrf|source|polling)|spanning-tree (?:mode|mst)|lldp (?:run|timer)|dot1x system|mlag configuration|ip (?:route|routing|access-list|name-server|prefix-list|virtual-router|domain)|ipv6 (?:route|unicast-routing|access-list|prefix-list)|vlan (?:\d[\d,-]*$|internal)|daemon |event-handler |policy-map|class-map|aaa group|transceiver |boot )/

/** True when a line typed inside `section` belongs to the top level. */
export const leavesSection = (section: string, text: string): boolean =>
  LEAVES_SECTION.test(text) && !(text.startsWith("vlan ") && section.startsWith("router bgp"))

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

/** True when the line opens a section inside of some other one. */
const mayNest = (text: string): boolean => NESTED.some(([, what]) => what.test(text))

/** Commands that read a text until a line `EOF`, and what each says when it begins to read. */
const TEXTS: ReadonlyArray<readonly [opens: RegExp, hint: string]> = [
  [/^(?:banner (?:login|motd|exec)|comment)$/, "Enter TEXT message. Type 'EOF' on its own line to end."],
  [/^protocol https certificate$/, "Enter TEXT certificate, then TEXT key. Type 'EOF' on its own line to end each."],
  [/^action bash$/, "Enter multi-line Bash script. Type 'EOF' on its own line to end."],
  [/^code unit \S+$/, "Enter code. Type 'EOF' on its own line to end."]
]

/** Whether the command reads a text until a line `EOF`. */
const readsText = (command: string): boolean => TEXTS.some(([opens]) => opens.test(command))

/** The hint when the command begins to read, with its line end. */
export const hintOf = (command: string): string => `${TEXTS.find(([opens]) => opens.test(command))?.[1] ?? ""}\n`

// When two lines are the same statement: which commands hold one value, and what identifies the others among their siblings.

/** Commands that hold one value: a second one with the same beginning replaces the first. */
const SINGLE = [
  "hostname",
  "dns domain",
  "ip domain-name",
  "description",
  "name",
  "mtu",
  "speed",
  "vrf",
  "router-id",
  "load-interval",
  "switchport mode",
  "switchport access vlan",
  "switchport trunk native vlan",
  "switchport trunk allowed vlan",
  "switchport trunk group",
  "switchport voice vlan",
  "channel-group",
  "spanning-tree mode",
  "spanning-tree guard",
  "spanning-tree priority",
  "service routing protocols model",
  "storm-control broadcast level",
  "storm-control multicast level",
  "boot system",
  "errdisable recovery interval",
  "aaa authorization exec default",
  "aaa authorization commands all default",
  "aaa authentication login default",
  "aaa authentication login console",
  "aaa authentication dot1x default",
  "ip virtual-router mac-address",
  "maximum-paths",
  "clock timezone",
  "enable secret",
  "enable password",
  "qos trust",
  "snmp-server location",
  "snmp-server contact",
  "sflow polling-interval",
  "idle-timeout",
  "authentication mode",
  "authentication protocol",
  "local-interface",
  "peer-address",
  "peer-link",
  "domain-id",
  "reload-delay mlag",
  "reload-delay non-mlag",
  "lacp rate",
  "lacp timer",
  "poe reboot action",
  "dot1x port-control",
  "dot1x host-mode",
  "ip ospf network",
  "prompt",
  "logging buffered",
  "logging console",
  "rd",
  "mlag",
  "ipv6 nd ra disabled",
  "vxlan source-interface",
  "vxlan udp-port",
  "vlan internal order"
] as const

const SOURCES = [
  /^(?:ntp local-interface|logging source-interface|sflow source-interface)/,
  /^(?:ntp|logging|sflow) vrf \S+ (?:local-interface|source-interface|source)\b/
]

/** Commands whose key is longer than a fixed beginning, by their first word: the matched text is the key. */
const KEYED = new Map<string, ReadonlyArray<RegExp>>([
  ["username", [/^username \S+ ssh-key/, /^username \S+/]],
  [
    "neighbor",
    [
      /^neighbor \S+ (?:remote-as|description|update-source|peer group|password|maximum-routes|ebgp-multihop|local-as)\b/
    ]
  ],
  ["ntp", [...SOURCES, /^ntp authentication-key \d+/]],
  ["logging", SOURCES],
  ["sflow", SOURCES],
  ["vxlan", [/^vxlan (?:vlan|vrf) \S+ vni\b/]],
  ["banner", [/^banner (?:login|motd|exec)/]],
  ["alias", [/^alias \S+/]],
  ["radius-server", [/^radius-server host \S+(?: vrf \S+)?(?: auth-port \d+)?/]]
])

/** Lines of a list that begin with their number. */
const NUMBERED = /^\d+(?= )/

const ADDRESS = /^ip address (?!.*\bsecondary$)(?:virtual\b)?/

/** The identity of a line among its siblings: two lines with the same key cannot stand together. */
export const entryKey = (text: string): string => {
  if (text.startsWith("ip address ") && ADDRESS.test(text))
    return text.startsWith("ip address virtual") ? "ip address virtual" : "ip address"
  const word = firstWord(text)
  for (const pattern of KEYED.get(word) ?? []) {
    const match = pattern.exec(text)
    if (match !== null) return match[0]
  }
  const single = SINGLE_BY_FIRST_WORD.get(word)?.find((key) => beginsWith(text, key))
  return single ?? NUMBERED.exec(text)?.[0] ?? text
}

const beginsWith = (text: string, key: string) =>
  text.startsWith(key) && (text.length === key.length || text.charAt(key.length) === " ")

const SINGLE_BY_FIRST_WORD = new Map<string, Array<string>>()
for (const key of SINGLE) {
  const list = SINGLE_BY_FIRST_WORD.get(firstWord(key)) ?? []
  list.push(key)
  SINGLE_BY_FIRST_WORD.set(
    firstWord(key),
    list.toSorted((a, b) => b.length - a.length)
  )
}

// A line in any section: its spelling, its meaning, and its errors.

export interface ConfigLine {
  /** Blanks before it. */
  readonly indent: number
  /** The line with single blanks, long interface names and prefix lengths. */
  readonly text: string
  /** The text without `no` or `default`. */
  readonly positive: string
  /** Its identity among its siblings. */
  readonly key: string
  /** The line that takes it back. */
  readonly negation: string
  /** Tag of the section that it opens at the top level. */
  readonly tag: string | undefined
  /** It may open a section inside of another one. */
  readonly mayNest: boolean
  /** It may belong to the top level although it was typed inside of a section. */
  readonly mayLeave: boolean
  /** It may repeat a default. */
  readonly mayBeDefault: boolean
  readonly isHeredoc: boolean
  /** A command without the value that it wants. */
  readonly isBare: boolean
  /** A value that is out of its range. */
  readonly isOutOfRange: boolean
  /** Its first word is one that the top level knows. */
  readonly isRootWord: boolean
  readonly isPoe: boolean
  /** The interface that it names. */
  readonly interfaceName: string | undefined
}

const describe = (line: string): ConfigLine => {
  const trimmed = line.trim()
  const text = normalise(trimmed)
  const positive = text.replace(/^(?:no|default) /, "")
  return {
    indent: line.length - line.trimStart().length,
    text,
    positive,
    key: entryKey(text),
    negation: `no ${text}`,
    tag: sectionTag("", text),
    mayNest: mayNest(text),
    mayLeave: leavesSection("", text),
    mayBeDefault: mayBeDefault(text),
    isHeredoc: readsText(text),
    isBare: NEVER_ALONE.has(positive),
    isOutOfRange: isOutOfRange(positive),
    isRootWord: isRootWord(positive),
    isPoe: /^poe\b/.test(positive),
    interfaceName: /^interface (\S+)/.exec(positive)?.[1]
  }
}

/** The description of a typed line. */
export const configLine = remembered(describe)

const normalise = (trimmed: string): string => {
  const text =
    trimmed.includes("  ") && !/^(?:description|name|username|banner|snmp-server)/.test(trimmed)
      ? trimmed.replace(/ {2,}/g, " ")
      : trimmed
  const named = /^(no |default )?interface (.+)$/.exec(text)
  if (named !== null) return `${named[1] ?? ""}interface ${longName(named[2] ?? "")}`
  const masked = /^ip address (\d[\d.]+) (255\.[\d.]+|0\.0\.0\.0)( secondary)?$/.exec(text)
  if (masked !== null) return `ip address ${masked[1]}/${prefixLength(masked[2] ?? "")}${masked[3] ?? ""}`
  return text
}

const prefixLength = (mask: string) =>
  mask.split(".").reduce((bits, octet) => bits + Number(octet).toString(2).replaceAll("0", "").length, 0)

/** Commands that want a value. */
const NEVER_ALONE = new Set([
  "interface",
  "hostname",
  "vlan",
  "description",
  "username",
  "router",
  "ip",
  "switchport access vlan"
])

const isOutOfRange = (positive: string): boolean => {
  const prefix = /^ip(?:v6)? address (?:virtual )?([\d.]+|[\da-f:]+)\/(\d+)/i.exec(positive)
  if (prefix !== null && Number(prefix[2]) > (prefix[1]?.includes(":") ? 128 : 32)) return true
  const vlan = /^(?:switchport access vlan|vlan) (\d+)$/.exec(positive)
  return vlan !== null && (Number(vlan[1]) < 1 || Number(vlan[1]) > 4094)
}
