/**
 * When two lines of a configuration are the same statement: which commands hold one value, and what identifies the others
 * among their siblings.
 */
import { firstWord } from "./Words.ts"

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
