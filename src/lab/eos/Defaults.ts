/**
 * The defaults that `show running-config all` prints in addition to configured lines: lines, their order in a section, and sections that
 * exist without being configured. The spelling is that of a recording of EOS 4.13 which the test suite of pyeapi has; from 4.23 on
 * many commands have another one (the tables of replaced commands in the release notes, and in ansible-collections/arista.eos#133).
 */
import { entryKey } from "./ConfigGrammar.ts"
import * as Loader from "./ConfigLoader.ts"
import { type Entry, render } from "./ConfigTree.ts"
import { isAtLeast } from "./Hardware.ts"
import type { Switch } from "../Switch.ts"

type Lines = ReadonlyArray<string>

const TOP: Lines = [
  "default load-interval default",
  "errdisable detect cause link-flap",
  "no errdisable recovery cause bpduguard",
  "no errdisable recovery cause link-flap",
  "errdisable recovery interval 300",
  "ip igmp snooping",
  "lacp system-priority 32768",
  "lldp timer 30",
  "lldp holdtime 120",
  "lldp reinit 2",
  "lldp tlv-select management-address",
  "lldp tlv-select port-description",
  "lldp tlv-select system-capabilities",
  "lldp tlv-select system-description",
  "lldp tlv-select system-name",
  "lldp run",
  "logging on",
  "logging buffered 32 debugging",
  "logging trap informational",
  "logging console errors",
  "no logging synchronous",
  "logging format timestamp traditional",
  "no logging format hostname fqdn",
  "logging facility local4",
  "logging event link-status global",
  "no ntp trusted-key",
  "no ntp authenticate",
  "no ntp serve all",
  "no radius-server key",
  "radius-server timeout 5",
  "radius-server retransmit 3",
  "sflow sample 1048576",
  "sflow polling-interval 2",
  "no sflow source",
  "no sflow run",
  "no snmp-server contact",
  "no snmp-server location",
  "no snmp-server source-interface",
  "spanning-tree mode mstp",
  "spanning-tree hello-time 2000",
  "spanning-tree max-age 20",
  "spanning-tree forward-time 15",
  "spanning-tree transmit hold-count 6",
  "spanning-tree max-hops 20",
  "no spanning-tree portfast bpduguard default",
  "no spanning-tree portfast bpdufilter default",
  "spanning-tree bridge assurance",
  "no spanning-tree loopguard default",
  "logging event spanning-tree global",
  "no service sequence-numbers",
  "no tacacs-server key",
  "tacacs-server timeout 5",
  "aaa authentication login default local",
  "no aaa authentication login console",
  "aaa authentication enable default local",
  "no aaa authorization console",
  "no aaa authorization exec default",
  "no aaa authorization commands all default",
  "aaa authorization config-commands",
  "no enable secret",
  "mac address-table aging-time 300",
  "ip icmp redirect",
  "no ipv6 unicast-routing",
  "no dot1x system-auth-control"
]

/** Sections that are printed even if they are not configured. */
const SECTIONS: Readonly<Record<string, Lines>> = {
  "spanning-tree mst configuration": ["no name", "revision 0"],
  "mlag configuration": [
    "no domain-id",
    "heartbeat-interval 2000",
    "no local-interface",
    "no peer-address",
    "no peer-link",
    "reload-delay 300",
    "no reload-delay non-mlag",
    "no reload-delay mode",
    "no shutdown"
  ],
  "control-plane": ["ip access-group default-control-plane-acl in", "ipv6 access-group default-control-plane-acl in"],
  "management api http-commands": [
    "protocol https",
    "no protocol http",
    "default protocol https certificate",
    "default cors allowed-origin",
    "shutdown"
  ],
  "management console": ["idle-timeout 0"],
  "management defaults": ["secret hash md5"],
  "management security": ["no entropy source hardware", "no password minimum length"],
  "management ssh": [
    "idle-timeout 0",
    "authentication mode keyboard-interactive",
    "server-port 22",
    "no fips restrictions",
    "no hostkey client strict-checking",
    "no shutdown",
    "login timeout 120",
    "log-level info"
  ],
  "management telnet": ["shutdown", "idle-timeout 0"],
  "management xmpp": ["shutdown", "vrf default", "session privilege 1"]
}

// Interfaces: what all of them have, ports and bundles of ports, those with addresses.

const HEAD: Lines = ["no description", "no shutdown", "default load-interval"]
const LINK: Lines = ["logging event link-status use-global", "snmp trap link-status"]

const PORT: Lines = [
  "no dcbx mode",
  "no mac-address",
  "no link-debounce",
  "no flowcontrol send",
  "no flowcontrol receive",
  "no mac timestamp",
  "no speed",
  "no l2 mtu",
  "default logging event congestion-drops",
  "default unidirectional"
]

const SWITCHED: Lines = [
  "switchport access vlan 1",
  "switchport trunk native vlan 1",
  "switchport trunk allowed vlan 1-4094",
  "switchport mode access",
  "switchport mac address learning",
  "no switchport private-vlan mapping",
  "switchport",
  "default encapsulation dot1q vlan",
  "no l2-protocol encapsulation dot1q vlan 0",
  "no switchport port-security",
  "switchport port-security maximum 1",
  "no spanning-tree portfast",
  "spanning-tree portfast auto",
  "no spanning-tree link-type",
  "no spanning-tree bpduguard",
  "no spanning-tree bpdufilter",
  "no spanning-tree cost",
  "spanning-tree port-priority 128",
  "no spanning-tree guard",
  "no spanning-tree bpduguard rate-limit",
  "logging event spanning-tree use-global"
]

const MEMBER: Lines = ["no channel-group", "lacp rate normal", "lacp port-priority 32768"]
const LLDP: Lines = ["lldp transmit", "lldp receive"]
const QUEUES: Lines = ["default qos trust", "qos cos 0", "qos dscp 0", "no shape rate", "sflow enable"]
const STORMS: Lines = ["no storm-control broadcast", "no storm-control multicast", "no storm-control all"]

const ADDRESSED: Lines = [
  "no ipv6 enable",
  "no ipv6 address",
  "no ipv6 verify unicast",
  "no ipv6 nd ra suppress",
  "ipv6 nd ra interval 200",
  "ipv6 nd ra lifetime 1800",
  "no ipv6 nd managed-config-flag",
  "no ipv6 nd other-config-flag",
  "ipv6 nd reachable-time 0",
  "ipv6 nd router-preference medium",
  "no ip proxy-arp",
  "no ip local-proxy-arp",
  "no ip address",
  "no ip verify unicast",
  "default arp timeout 14400",
  "bfd interval 300 min_rx 300 multiplier 3"
]

const ROUTER_BGP: Lines = [
  "no shutdown",
  "no router-id",
  "bgp convergence time 300",
  "bgp convergence slow-peer time 90",
  "no bgp confederation identifier",
  "no update wait-for-convergence",
  "no update wait-install",
  "bgp log-neighbor-changes",
  "bgp default ipv4-unicast",
  "no bgp default ipv6-unicast",
  "timers bgp 60 180"
]

/** Commands with another spelling from 4.23 on: the beginnings of lines. */
const REPLACED: ReadonlyArray<readonly [old: string, now: string]> = [
  ["aaa authorization console", "aaa authorization serial-console"],
  ["arp timeout", "arp aging timeout"],
  ["control-plane", "system control-plane"],
  ["enable secret", "enable password"],
  ["errdisable detect cause link-flap", "errdisable detect cause link-change"],
  ["ipv6 nd ra suppress", "ipv6 nd ra disabled"],
  ["lacp rate", "lacp timer"],
  ["lldp holdtime", "lldp hold-time"],
  ["lldp reinit", "lldp timer reinitialization"],
  ["lldp tlv-select", "lldp tlv transmit"],
  ["no switchport private-vlan mapping", "no switchport pvlan mapping"],
  ["reload-delay 300", "reload-delay mlag 300"],
  ["secret hash md5", "secret hash sha512"],
  ["snmp trap link-status", "snmp trap link-change"],
  ["snmp-server source-interface", "snmp-server local-interface"],
  ["switchport port-security maximum", "switchport port-security mac-address maximum"]
]

const positiveOf = (line: string) => line.replace(/^(?:no|default) /, "")

/** A default as this release spells it. */
const spelling = (line: string, modern: boolean): string => {
  if (!modern) return line
  const found = REPLACED.find(([old]) => line.startsWith(old) || positiveOf(line).startsWith(old))
  return found === undefined ? line : line.replace(...found)
}

const ofInterface = (name: string, lines: Lines, modern: boolean): Lines => {
  const isPort = /^(?:Ethernet|Port-Channel)/.test(name)
  const isSwitched = isPort && !lines.includes("no switchport")
  return [
    ...HEAD,
    ...(modern || !isSwitched ? ["mtu 1500"] : []),
    ...LINK,
    ...(/^(?:Ethernet|Management)/.test(name) ? PORT : []),
    ...(isSwitched ? SWITCHED : ADDRESSED),
    ...(name.startsWith("Vlan") ? ["autostate", "no private-vlan mapping"] : []),
    ...(name.startsWith("Ethernet") ? [...MEMBER, ...STORMS] : []),
    ...(name.startsWith("Port-Channel") ? ["no port-channel min-links", "no port-channel lacp fallback"] : []),
    ...(/^(?:Ethernet|Management)/.test(name) ? LLDP : []),
    ...(isPort ? QUEUES : [])
  ]
}

const ofVlan = (id: string, modern: boolean): Lines => [
  `name ${id === "1" ? "default" : `VLAN${id.padStart(4, "0")}`}`,
  ...(modern ? ["mac address learning"] : []),
  "state active",
  "no private-vlan"
]

/** The defaults of a section; a section without any has none in the table. */
const defaultsOf = (section: string, lines: Lines, modern: boolean): Lines => {
  const [, kind = "", name = ""] = /^(interface|vlan|router) (\S+)/.exec(section) ?? []
  if (kind === "interface") return ofInterface(name, lines, modern)
  if (kind === "vlan" && /^\d+$/.test(name)) return ofVlan(name, modern)
  if (name === "bgp") return ROUTER_BGP
  return /^ip(?:v6)? access-list /.test(section)
    ? ["no statistics per-entry"]
    : (SECTIONS[section.replace(/^system /, "")] ?? [])
}

const withoutNumber = (line: string) => line.replace(/ \d+$/, "")

/** Whether a configured line says something else about what the default is about, or the same. */
const isAbout = (configured: string, standard: string): boolean => {
  const [mine, its] = [positiveOf(configured), positiveOf(standard)]
  if (withoutNumber(mine) === withoutNumber(its) || entryKey(configured) === entryKey(standard)) return true
  return its !== standard && mine.startsWith(`${its} `)
}

const withDistance = (entry: Entry): Entry =>
  /^ip(?:v6)? route (?:vrf \S+ )?\S+ \S+$/.test(entry.text) ? { ...entry, text: `${entry.text} 1 tag 0` } : entry

const added = (entry: Entry, modern: boolean): Entry => {
  const own = [...(entry.children?.values() ?? [])]
  const isTop = entry.text === ""
  const lines = own.map(({ text }) => text)
  const standards = isTop ? TOP : defaultsOf(entry.text, lines, modern)
  const children = new Map<string, Entry>()
  for (const standard of standards.map((line) => spelling(line, modern))) {
    const said = own.filter((child) => child.children === undefined && isAbout(child.text, standard))
    if (said.length === 0) children.set(standard, { text: standard, children: undefined, body: undefined })
    for (const child of said) children.set(child.text, child)
  }
  for (const child of own) {
    const isSection = isTop && child.children !== undefined
    children.set(child.text, isSection ? added(child, modern) : withDistance(child))
  }
  return { ...entry, children }
}

/** The running configuration with defaults, as `show running-config all` has it, without the lines around it. */
export const withDefaults = (device: Switch): string => {
  const modern = isAtLeast(device, 4, 23)
  const root = Loader.parse(device.running)
  for (const heading of Object.keys(SECTIONS)) {
    const text = spelling(heading, modern)
    if (root.children?.has(text) === false) root.children.set(text, { text, children: new Map(), body: undefined })
  }
  return render(added(root, modern))
}
