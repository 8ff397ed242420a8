/**
 * The switch's configuration language as tables: which lines repeat a default, the remains of a `no`, the known words, when two lines
 * are the same statement, and the meaning of a line in every section (Sections.ts has the sections). Nothing here acts; ConfigLoader
 * reads it.
 */
import { ORDER } from "./ConfigTree.ts"
import { interfacesOf, numbersOf } from "./Ranges.ts"
import { belongsToTop, type Kind, mayNest, topKind } from "./Sections.ts"
import { oneLine, routeMap } from "./Sequences.ts"
import { firstWord, longName, remembered } from "./Words.ts"

/** Sections that take effect as a whole, when they are left (group-change modes). */
const GROUP_CHANGES =
  /^(?:(?:ip|ipv6|mac) access-list |(?:ip|ipv6) prefix-list |ip (?:as-path access-list|(?:ext|large-)?community-list) |route-map |class-map |policy-map |class |qos profile |traffic-policy |peer-filter |spanning-tree mst configuration$)/

/** True when the lines of this section take effect when it is left. */
export const isGroupChange = (section: string): boolean => GROUP_CHANGES.test(section)

/** Lines that repeat a default; the device does not print them. First pattern: the section (root is empty). */
const DEFAULTS: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [
    /^interface (?!profile |defaults$)/,
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
  /^(?:ip routing|ipv6 unicast-routing|lldp (?:run|transmit|receive)|switchport|aaa root|autostate|spanning-tree portfast|neighbor \S+ activate)(?: |$)/

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
  "snmp",
  "group",
  "mcs",
  "power",
  "radius",
  "switchport"
])

/** Words of which the top level knows some lines only. */
const ROOT_LINES = new Map([["switchport", /^switchport (?:default|ethernet|vlan tag|port-security) /]])

/** True when the first word of a line (without `no` or `default`) is one that the top level knows. */
export const isRootWord = (positive: string): boolean => {
  const word = firstWord(positive)
  return ROOT_WORDS.has(word) && ROOT_LINES.get(word)?.test(`${positive} `) !== false
}

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
  "auto-cost reference-bandwidth",
  "domain-name",
  "exec",
  "heartbeat-interval",
  "is-type",
  "max-lsa",
  "net",
  "revision",
  "state",
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
  ["vlan", [/^vlan assignment group \S+/, /^vlan internal order/, /^vlan id/, /^vlan(?= \d)/]],
  ["lacp", [/^lacp timer multiplier/]],
  ["peer-address", [/^peer-address heartbeat/]],
  ["dot1x", [/^dot1x timeout \S+/, /^(?:no )?dot1x port-control \S+ phone/, /^dot1x host-mode$/]],
  ["spanning-tree", [/^spanning-tree (?:mst|vlan-id) \S+ (?:priority|cost)/]],
  ["qos", [/^qos (?:map (?:cos|dscp|exp|traffic-class) .+(?= to )|cos|dscp)/]],
  ["switchport", [/^switchport (?:phone|voice) (?:vlan|trunk)/]],
  ["poe", [/^poe (?:limit|priority|(?:reboot|shutdown|link down) action)/]],
  ["isis", [/^isis (?:metric|circuit-type|hello-interval|enable|authentication mode)(?!.* level-[12]$)/]],
  ["timers", [/^timers (?:bgp|spf delay initial|lsa \S+ \S+)/]],
  ["bandwidth", [/^bandwidth/]],
  ["shape", [/^shape rate/]],
  ["priority", [/^priority strict/]],
  ["banner", [/^banner (?:login|motd|exec)/]],
  ["alias", [/^alias \S+/]],
  ["radius-server", [/^radius-server host \S+(?: vrf \S+)?(?: auth-port \d+)?/]]
])

/** Lines of a list that begin with their number. */
const NUMBERED = /^(?:seq )?\d+(?= )/

/** Where the key is more than the beginning of a line. */
const wholeKey = (text: string): string | undefined => {
  const [, name, number] = /^route-map (\S+) \S+ (\d+)$/.exec(text) ?? []
  if (name !== undefined) return `route-map ${name} ${number}`
  if (/^(?:authentication|isis authentication) mode .* level-[12]$/.test(text))
    return text.replace(/ mode .* (level-[12])$/, " mode $1")
  if (/^ip virtual-router mac-address (?:mlag-peer|advertisement-interval)\b/.test(text))
    return text.split(" ", 4).join(" ")
  return undefined
}

const ADDRESS = /^ip address (?!.*\bsecondary$)(?:virtual\b)?/

/** The identity of a line among its siblings: two lines with the same key cannot stand together. */
export const entryKey = (text: string): string => {
  if (text.startsWith("ip address ") && ADDRESS.test(text))
    return text.startsWith("ip address virtual") ? "ip address virtual" : "ip address"
  const whole = wholeKey(text)
  if (whole !== undefined) return whole
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
  /** The section that it opens at the top level. */
  readonly kind: Kind | undefined
  /** What it names, when that is a range of interfaces: the line for each of them. */
  readonly each: ReadonlyArray<string> | undefined
  /** The VLANs that it names. */
  readonly vlans: ReadonlyArray<number> | undefined
  /** A section with one line, written in one. */
  readonly oneLine: { readonly section: string; readonly rule: string } | undefined
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
  /** The interfaces that it names. */
  readonly interfaceNames: ReadonlyArray<string> | undefined
}

const describe = (line: string): ConfigLine => {
  const trimmed = line.trim()
  const text = normalise(trimmed)
  const positive = text.replace(/^(?:no|default) /, "")
  const named = INTERFACES.exec(positive)?.[1]
  const listed = named === undefined ? undefined : interfacesOf(named)
  const names = named === undefined ? undefined : (listed ?? [named])
  const vlans = /^vlan (\d[\d,-]*)$/.exec(positive)?.[1]
  return {
    indent: line.length - line.trimStart().length,
    text,
    positive,
    key: entryKey(text),
    negation: `no ${text}`,
    kind: topKind(positive),
    each: names !== undefined && names.length > 1 ? names.map((name) => `interface ${name}`) : undefined,
    vlans: vlans === undefined ? undefined : numbersOf(vlans),
    oneLine: oneLine(positive),
    mayNest: mayNest(positive),
    mayLeave: belongsToTop(positive),
    mayBeDefault: mayBeDefault(text),
    isHeredoc: readsText(text),
    isBare: NEVER_ALONE.has(positive),
    isOutOfRange: isOutOfRange(positive) || (listed === undefined && /\d *[,-]/.test(named ?? "")),
    isRootWord: isRootWord(positive),
    isPoe: /^poe\b/.test(positive),
    interfaceNames: names
  }
}

/** The description of a typed line. */
export const configLine = remembered(describe)

const INTERFACES = /^interface (?!profile |defaults$|set |shutdown )(\S.*)$/

const FREE_TEXT = /^(?:description|name|username|banner|snmp-server)/

/** Values that are interfaces: the switch writes their names out. */
const NAMED =
  /^(?!description ).*?\b((?:source-interface|local-interface|update-source|peer-link) )([A-Za-z-]+\d[\d/.]*)/

const normalise = (trimmed: string): string => {
  const text = trimmed.includes("  ") && !FREE_TEXT.test(trimmed) ? trimmed.replace(/ {2,}/g, " ") : trimmed
  const named = /^(no |default )?interface (?!profile |defaults$|set |shutdown )(.+)$/.exec(text)
  if (named !== null) return `${named[1] ?? ""}interface ${writtenOut(named[2] ?? "")}`
  const masked = /^ip address (\d[\d.]+) (255\.[\d.]+|0\.0\.0\.0)( secondary)?$/.exec(text)
  if (masked !== null) return `ip address ${masked[1]}/${prefixLength(masked[2] ?? "")}${masked[3] ?? ""}`
  if (text.startsWith("route-map ")) return routeMap(text)
  const value = NAMED.exec(text)
  return value === null ? text : text.replace(`${value[1]}${value[2]}`, `${value[1]}${longName(value[2] ?? "")}`)
}

/** One interface by its long name; a range without blanks. */
const writtenOut = (typed: string): string => {
  const names = interfacesOf(typed)
  if (names === undefined) return longName(typed)
  return names.length === 1 ? (names[0] ?? typed) : typed.replaceAll(" ", "")
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

const MAX_VLAN = 4094

const isOutOfRange = (positive: string): boolean => {
  const prefix = /^ip(?:v6)? address (?:virtual )?([\d.]+|[\da-f:]+)\/(\d+)/i.exec(positive)
  if (prefix !== null && Number(prefix[2]) > (prefix[1]?.includes(":") ? 128 : 32)) return true
  const vlans = /^(?:switchport access vlan|vlan|interface Vlan) ?(\d[\d,-]*)$/.exec(positive)?.[1]
  return vlans?.split(/[,-]/).some((vlan) => Number(vlan) < 1 || Number(vlan) > MAX_VLAN) === true
}
