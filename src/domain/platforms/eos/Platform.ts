/** The record of Arista EOS. */
import { commonShortNames, indented, type Platform, type ShownLines, type SilentDefault } from "../Platform.ts"
import { readingKinds } from "../../checks/Readings.ts"
import { eosCommands } from "./Commands.ts"
import { commonSecrets } from "../SecretWords.ts"
import { type AutoPushRule, type PlatformWords, rule, usualRisk } from "../../ChangeRisk.ts"

// Configuration changes of EOS that are never pushed without a person, and the words that identify them.

const ANY_LINE = /./
const RUNS_LATER = "Lines that run commands later or elsewhere change"
const LOGIN = "The logins of the device or the ways to log in change"

/** In order: the first rule that a change breaks is named. */
const eosRules: ReadonlyArray<AutoPushRule> = [
  rule("management_acl", "An access list on the management of the device changes", /\baccess-group\b/, {
    where: "management"
  }),
  rule("management_acl", "An access list on the management of the device changes", ANY_LINE, {
    where: "managementAcl"
  }),
  rule(
    "login",
    LOGIN,
    /^(?:no |default )?(?:username|role|management|enable (?:secret|password)|radius-server|tacacs-server) /
  ),
  // `aaa authentication dot1x` and similar lines are about users at the ports
  rule("login", LOGIN, /^(?:no |default )?aaa (?!\S+ dot1x\b)/),
  rule("login", LOGIN, ANY_LINE, { section: /^(?:aaa|role|management) / }),
  rule("runs_commands", RUNS_LATER, /^(?:no |default )?(?:event-handler|daemon|schedule|alias)(?: |$)/),
  rule("runs_commands", RUNS_LATER, ANY_LINE, { section: /^(?:event-handler|daemon|schedule|alias) / }),
  rule("management_address", "The interface that has the management address changes", /^(?!description )/, {
    where: "management"
  }),
  rule("default_route", "A default route changes", /^ip route (?:vrf \S+ )?0\.0\.0\.0(?:\/0| 0\.0\.0\.0)(?: |$)/),
  rule("default_route", "A default route changes", /^ipv6 route (?:vrf \S+ )?::\/0(?: |$)/),
  rule("default_route", "A default route changes", /^ip default-gateway /),
  rule("removed_vlan", "A VLAN is removed", /^(?:vxlan |interface )?vlan ?\d/i, {
    change: "removed",
    exceptOrphans: true
  }),
  rule("removed_address", "An address is removed", /^ip(?:v6)? (?:virtual-router )?address\b/, {
    change: "removed",
    exceptOrphans: true
  })
]

/** The words and rules of EOS. */
const eosAutoPush: PlatformWords = {
  lists: /^((?:vlan|switchport trunk allowed vlan) )(\d[\d,-]*)$/,
  port: /^interface (?:Ethernet|Port-Channel)/,
  portVlan: /^switchport (?:access|trunk native|trunk allowed) vlan (\d+)$/,
  ofVlan: /^(?:vxlan |interface )?vlan ?(\d+)\b/i,
  interfaces: /^interface /,
  address: /^ip(?:v6)? (?:virtual-router )?address (?:virtual )?([\da-fA-F.:]+)(?:[/ ]|$)/,
  management: /^(?:interface Management\d|management |system control-plane|control-plane)/,
  aclUse: /^(?:ip|ipv6) access-group (?:ipv[46] )?(\S+)/,
  aclDefinition: /^(?:ip|ipv6) access-list (?:standard )?(\S+)$/,
  rules: eosRules
}

// How EOS shows lines in another form than it received them, as far as this is known beforehand. Other spellings are learnt
// from the switches themselves (docs/changes.md#lines-that-are-not-shown).

const within = (section: RegExp, line: RegExp): SilentDefault => ({ section, line })

/** The top level. */
const TOP = /^$/
const INTERFACE = /^interface /

const silentDefaults: ReadonlyArray<SilentDefault> = [
  within(
    INTERFACE,
    /^(?:no shutdown|switchport|switchport mode access|switchport access vlan 1|switchport trunk native vlan 1|mtu 1500|load-interval 300|lldp (?:transmit|receive)|lacp timer normal|snmp trap link-change|logging event link-status|speed auto|flowcontrol (?:receive|send) off|poe|autostate|ip address dhcp disabled|spanning-tree portfast auto|switchport trunk allowed vlan (?:all|1-4094)|bfd static|lacp port-priority 32768|logging event (?:storm-control|spanning-tree) .*use-global|vxlan udp-port 4789)$/
  ),
  within(/^interface (?:Vlan|Loopback|Port-Channel|Management|Tunnel|Vxlan)/, /^no switchport$/),
  within(
    TOP,
    /^(?:lldp run|lldp (?:timer 30|holdtime-multiplier 4|reinitialization 2)|spanning-tree mode mstp|spanning-tree|ip domain lookup|logging on|transceiver qsfp default-mode 4x10G|prompt %H.*|load-interval default 300|snmp-server vrf default|service routing protocols model (?:ribd|multi-agent)|aaa authentication policy .*|errdisable recovery interval 300|ip icmp redirect|ip icmp source-interface|mac address-table aging-time 300|vlan internal (?:order|allocation policy) ascending|clock timezone UTC|username admin .*nopassword)$/
  ),
  within(/^vlan \d/, /^state active$/),
  within(/^management ssh/, /^(?:no shutdown|idle-timeout 0|authentication mode keyboard-interactive)$/),
  within(/^management api http-commands/, /^(?:shutdown|protocol https|no protocol http)$/),
  within(/^router bgp/, /^(?:bgp default ipv4-unicast|maximum-paths 1|timers bgp 60 180)$/),
  within(/^router ospf/, /^(?:max-lsa 12000|auto-cost reference-bandwidth 100)$/)
]

const eosShown: ShownLines = {
  never: /^(?:exit|end|enable|abort|boot system |default |comment$|rollback )/,
  defaults: silentDefaults,
  on: [
    within(INTERFACE, /^(?:switchport|lldp (?:transmit|receive)|autostate|snmp trap link-change)$/),
    within(TOP, /^(?:lldp run|logging (?:on|console|monitor)|spanning-tree|ip icmp redirect|aaa root)$/),
    within(/^management (?:api|telnet|cvx)/, /^shutdown$/)
  ],
  freeText: /^(?:no |default )?(?:des\S*|name|remark|alias|snmp-server (?:contact|location)|banner|trigger|action) /,
  lists:
    /^((?:vlan|switchport trunk allowed vlan|spanning-tree (?:mst \d+ )?vlan(?:-id)?|vxlan vlan)(?: add)?) (\d[\d,-]*)$/,
  position: /^((?:ip(?:v6)? prefix-list \S+ )?)(?:seq )?\d+ (?=(?:permit|deny|remark|match) )/,
  synonyms: [
    [/^vrf definition /, "vrf instance "],
    [/^vrf forwarding /, "vrf "],
    [/^lacp rate /, "lacp timer "]
  ]
}

// Switches that run the 32-bit build of EOS (docs/jobs.md#device_upgrade). Models are matched by their whole text.

/** Families of 32-bit models: their common beginning, and the endings. */
const FAMILIES: ReadonlyArray<readonly [family: string, models: string]> = [
  ["CCS-710P-", "12 16P"],
  ["CCS-720DF-", "48Y"],
  ["CCS-720DP-", "24S 48S"],
  ["CCS-720DT-", "24S 48S 24S-2F 48S-2F"],
  ["CCS-720XP-", "24Y6 24ZY4 48Y6 48ZC2 96ZC2"],
  ["CCS-722XPM-", "48Y4 48ZY8"],
  ["DCS-7010TX-", "48"],
  ["DCS-7050CX3-", "32S"],
  ["DCS-7050CX3M-", "32S"],
  ["DCS-7050SX3-", "48C8 48YC8 48YC12 96YC8"],
  ["DCS-7280CR3-", "32D4 32P4"],
  ["DCS-7280DR3-", "24"],
  ["DCS-7280PR3-", "24"],
  ["DCS-7280QR-", "C36 C72"],
  ["DCS-7280QRA-", "C36S"],
  ["DCS-7280SR-", "48C6"],
  ["DCS-7280SR2-", "48YC6"],
  ["DCS-7280SR2A-", "48YC6"],
  ["DCS-7280SR3-", "40YC6 48YC8"],
  ["DCS-7280SR3E-", "40YC6"],
  ["DCS-7280SR3M-", "48YC8"],
  ["DCS-7280SRA-", "48C6"],
  ["DCS-7280TR-", "48C6"],
  ["DCS-7280TR3-", "40C6"],
  ["DCS-7280TRA-", "48C6"]
]

/** Models are sold under the name alone or with the direction of their air flow after it. */
const AIR_FLOWS = ["", "-F", "-R"]

/** Models that run the 32-bit build. */
const models32Bit: ReadonlySet<string> = new Set(
  FAMILIES.flatMap(([family, models]) =>
    models.split(" ").flatMap((model) => AIR_FLOWS.map((flow) => `${family}${model}${flow}`))
  )
)

// Secrets of EOS that get a new salt each time a switch receives them: clear ones are shown as a hash, those of type 7 and 8a
// in another obfuscation. A given hash (`sha512`, `5`) is shown unchanged.

/** Words between the command and its secret, such as an address and a VRF. */
const words = String.raw`(?:\S+[ \t]+){0,20}?`

/** The text before each, from the first word of the line. */
const eosSaltedSecrets: ReadonlyArray<string> = [
  String.raw`username[ \t]+\S+[ \t]+${words}secret[ \t]+`,
  String.raw`enable[ \t]+(?:secret|password)[ \t]+`,
  String.raw`(?:radius|tacacs)-server[ \t]+${words}key[ \t]+`,
  String.raw`ntp[ \t]+authentication-key[ \t]+\d+[ \t]+(?:md5|sha\d*)[ \t]+`,
  String.raw`neighbor[ \t]+\S+[ \t]+password[ \t]+`,
  String.raw`(?:ip[ \t]+|ipv6[ \t]+)?ospf(?:v3)?[ \t]+${words}(?:authentication-key|message-digest-key[ \t]+\d+[ \t]+(?:md5|sha\d*))[ \t]+`,
  String.raw`(?:isis[ \t]+)?authentication[ \t]+${words}key[ \t]+`,
  String.raw`key[ \t]+[\da-fA-F]+[ \t]+(?=[78]a?[ \t]|\*)`,
  String.raw`(?:key|password|shared-key|passphrase)[ \t]+`
]

export const eos: Platform<"eos"> = {
  name: "eos",
  vendor: "Arista",
  capabilities: {
    timer: { step: 1, least: 1 },
    certificates: "stores",
    firmware: true,
    erase: true,
    bounce: true,
    reads: readingKinds,
    shows: {
      filters: ["json", "include", "exclude", "begin", "section", "no-more", "nz"],
      never: [["tech-support"], ["snmp", "community"], ["logging", "follow"]]
    }
  },
  interfaces: {
    short: commonShortNames,
    physical: /^Ethernet[\d/]+$/,
    possible:
      /^(?:Ethernet|UnconnectedEthernet|Management|Port-Channel|Vlan|Loopback|Vxlan|Tunnel|Recirc-Channel)[0-9[]/
  },
  configuration: {
    ...indented,
    multiLineInputs: [
      { opens: /^banner (?:login|motd|exec)$/, texts: 1 },
      { opens: /^comment$/, texts: 1, within: /./ },
      { opens: /^action bash$/, texts: 1, within: /^event-handler \S+$/ },
      { opens: /^protocol https certificate$/, texts: 2, within: /^management (?:api http-commands|http-server)$/ }
    ]
  },
  autoPush: eosAutoPush,
  risk: usualRisk,
  firmware: {
    version: /^EOS(?:64)?-(\d+(?:\.\d+)+[A-Z]*)(?=[.-]|$)/,
    builds: { wide: "EOS64-", narrow: "EOS-", narrowModels: models32Bit, narrowSetting: "arista_models_32bit" }
  },
  secrets: commonSecrets,
  saltedSecrets: eosSaltedSecrets,
  saltedWords: /secret|password|passphrase|key/g,
  shown: eosShown,
  remarks: [
    {
      line: /^% ?(?:[Ii]nfo(?:rmation)?|INFO|[Nn]otice|NOTICE|[Nn]ote|NOTE|[Ww]arning|WARNING)\b/,
      meaning: "a warning about a line that was taken"
    }
  ],
  loginLine: /^username (\S+) (?!ssh-key\b)/,
  commands: eosCommands
}
