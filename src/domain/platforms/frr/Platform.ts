/** The record of Linux with FRRouting, lldpd and OpenSSH, as on white-box leaf and spine routers. */
import {
  type CommandWords,
  indented,
  type Platform,
  type SharedWord,
  type ShownLines,
  type SilentDefault
} from "../Platform.ts"
import { commonSecrets } from "../SecretWords.ts"
import { usualRisk } from "../../ChangeRisk.ts"

// Words that `vtysh` runs instead of storing them, from the manual of FRR. A file that it loads can leave the configuration mode
// like a person who types (`end`, `exit`), and the lines after that are commands.

const both = (word: string, fields: Partial<SharedWord>): SharedWord => ({
  word,
  place: 1,
  configuration: [],
  commands: [],
  otherwise: "configuration",
  alone: "configuration",
  ...fields
})

const frrCommands: CommandWords = {
  session: ["abort", "commit", "configure", "disable", "discard", "do", "rollback", "update"],
  exec: [
    "add",
    "bash",
    "clear",
    "copy",
    "find",
    "generate",
    "graph",
    "help",
    "list",
    "logmsg",
    "mtrace",
    "output",
    "ping",
    "python",
    "reload",
    "show",
    "send",
    "sharp",
    "shell",
    "ssh",
    "start-shell",
    "telnet",
    "terminal",
    "traceroute",
    "watchfrr",
    "who",
    "write",
    "xpath",
    "yang"
  ],
  leave: new Map([
    ["exit", ""],
    ["quit", ""],
    ["exit-address-family", "address-family "],
    ["exit-bmp", "bmp "],
    ["exit-ldp-if", "interface "],
    ["exit-link-params", "link-params"],
    ["exit-rpki", "rpki"],
    ["exit-srv6", "srv6"],
    ["exit-vni", "vni "],
    ["exit-vnc", "vnc "],
    ["exit-vrf", "vrf "],
    ["exit-vrf-policy", "vrf-policy "]
  ]),
  end: "end",
  shared: [
    both("echo", { configuration: ["receive-interval", "transmit-interval"], otherwise: "command", alone: "command" }),
    both("enable", { configuration: ["password"], otherwise: "command" }),
    both("mgmt", { otherwise: "command", alone: "command" }),
    both("rpki", { commands: ["reset", "start", "stop"] }),
    both("graceful-restart", { commands: ["prepare"] }),
    // with words after it, it is configuration that FRR shows and saves
    both("debug", { commands: ["rfapi-dev", "show"], alone: "command" })
  ],
  configuration: ["log"],
  negations: ["no"],
  comments: ["#"],
  opensMode:
    /^(?:interface |router |vrf |route-map |address-family |vni |key chain |key \d|line vty|pbr-map |nexthop-group |segment-routing|srv6|locators|locator |traffic-eng|policy |pcep|pce |segment-list |candidate-path |bfd$|peer |profile |mpls ldp|pseudowire |l2vpn |member |rpki|bmp targets |affinity-map |vnc |vrf-policy |neighbor-group |flex-algo |pw |encapsulation |formats|format |static-sids|mpls-te|link-params$)/,
  topLevel:
    /^(?:no +)?(?:access-list |agentx|allow-external|banner |bfd$|bgp (?:as-path|community-list|large-community-list|extcommunity-list)|debug |domainname |enable |fpm |frr |hostname |interface |ip(?:v6)? (?:access-list |forwarding|import-table|nht |prefix-list |protocol |route |table)|key chain |l2vpn |line |log |mac access-list|mpls (?:ldp|label)|nexthop-group |password |pbr-map |route-map |router |router-id |rpki|service |username |vrf |zebra )/,
  nesting: /^(?:mpls ldp|address-family ipv[46]\n|vrf )/,
  alias: null,
  textBehind: null,
  // a longer line is read as two lines
  longestLine: 4_000
}

// Lines that FRR does not show as they are given (docs/frr.md#lines-that-frr-spells-otherwise), seen on FRR 8.4. Defaults are those
// that no release since has changed; `frr defaults` selects the ones of BGP.

const TOP = /^$/
const INTERFACE = /^interface /
const BGP = /^router bgp /
const UNICAST = /^address-family ipv4 unicast$/
const OSPF = /^router ospf\b/
const BFD = /^(?:peer|profile) /

/** A default, and the beginning of the lines that state something else. */
const usual = (section: RegExp, line: RegExp, other: string): SilentDefault => ({ section, line, other })

/** The same for one of the profiles of `frr defaults`. */
const ofProfile = (profile: "datacenter" | "traditional", line: RegExp, other: string): SilentDefault => ({
  ...usual(BGP, line, other),
  where: `frr defaults ${profile}`
})

const silentDefaults: ReadonlyArray<SilentDefault> = [
  usual(TOP, /^ip forwarding$/, "no ip forwarding"),
  usual(TOP, /^ipv6 forwarding$/, "no ipv6 forwarding"),
  usual(TOP, /^log facility daemon$/, "log facility "),
  usual(TOP, /^log timestamp precision 0$/, "log timestamp "),
  usual(TOP, /^zebra nexthop-group keep 180$/, "zebra nexthop-group keep "),
  usual(INTERFACE, /^no shut(?:down)?$/, "shutdown"),
  usual(INTERFACE, /^no desc(?:ription)?$/, "description "),
  usual(INTERFACE, /^link-detect$/, "no link-detect"),
  usual(INTERFACE, /^ipv6 nd suppress-ra$/, "no ipv6 nd suppress-ra"),
  usual(INTERFACE, /^ip ospf hello-interval 10$/, "ip ospf hello-interval "),
  usual(/^line vty$/, /^exec-timeout 10(?: 0)?$/, "exec-timeout "),
  usual(BFD, /^no shutdown$/, "shutdown"),
  usual(BFD, /^detect-multiplier 3$/, "detect-multiplier "),
  usual(BFD, /^receive-interval 300$/, "receive-interval "),
  usual(BFD, /^transmit-interval 300$/, "transmit-interval "),
  ofProfile("datacenter", /^timers bgp 3 9$/, "timers bgp "),
  ofProfile("traditional", /^timers bgp 60 180$/, "timers bgp "),
  ofProfile("datacenter", /^bgp log-neighbor-changes$/, "no bgp log-neighbor-changes"),
  ofProfile("traditional", /^no bgp log-neighbor-changes$/, "bgp log-neighbor-changes"),
  ofProfile("datacenter", /^no bgp ebgp-requires-policy$/, "bgp ebgp-requires-policy"),
  ofProfile("traditional", /^bgp ebgp-requires-policy$/, "no bgp ebgp-requires-policy"),
  usual(BGP, /^bgp default ipv4-unicast$/, "no bgp default ipv4-unicast"),
  usual(BGP, /^bgp network import-check$/, "no bgp network import-check"),
  usual(BGP, /^bgp suppress-duplicates$/, "no bgp suppress-duplicates"),
  usual(BGP, /^bgp fast-external-failover$/, "no bgp fast-external-failover"),
  usual(BGP, /^no neighbor (\S+) shutdown$/, "neighbor $1 shutdown"),
  {
    ...usual(/^(?:router bgp .*|address-family ipv4 unicast)$/, /^neighbor (\S+) activate$/, "no neighbor $1 activate"),
    unless: "no bgp default ipv4-unicast"
  },
  usual(
    /^(?:router bgp .*|address-family ipv4 unicast)$/,
    /^neighbor (\S+) send-community(?: (?:all|both|standard|extended|large))?$/,
    "no neighbor $1 send-community"
  ),
  usual(UNICAST, /^distance bgp 20 200 200$/, "distance bgp "),
  usual(OSPF, /^auto-cost reference-bandwidth 100000$/, "auto-cost "),
  usual(OSPF, /^timers throttle spf 0 50 5000$/, "timers throttle spf "),
  usual(/^router rip$/, /^timers basic 30 180 120$/, "timers basic "),
  usual(/^router isis /, /^is-type level-1-2$/, "is-type "),
  usual(/^router isis /, /^lsp-gen-interval 30$/, "lsp-gen-interval ")
]

const frrShown: ShownLines = {
  never: /^(?:exit|quit|exit-[a-z-]+)$/,
  defaults: silentDefaults,
  on: [],
  freeText: /^(?:description|banner motd line) /,
  lists: /^(?!)()()/,
  bareHeadings: /^(?:interface .*|line vty|vrf \S+|address-family .*)$/,
  respelled: [
    { section: BGP, line: /^(address-family ipv[46])$/, shown: "$1 unicast" },
    { section: BGP, line: /^network (\S+) mask /, shown: "network $1 " },
    { section: /^(?:vrf .*)?$/, line: /^(ip(?:v6)? route .*) null0(?= |$)/i, shown: "$1 Null0" },
    // the distance without which FRR takes the same
    {
      section: /^(?:vrf .*)?$/,
      line: /^(ip(?:v6)? route \S+\/\d+ \S+(?: (?!(?:tag|label|table|color|vrf|nexthop-vrf) )\S+)?(?: tag \d+)?) 1$/,
      shown: "$1"
    },
    { section: /^(?:vrf .*)?$/, line: /^(router-id \S+)$/, shown: "ip $1" },
    { section: OSPF, line: /^(redistribute \S+) metric-type 2$/, shown: "$1" },
    { section: /^line vty$/, line: /^no exec-timeout$/, shown: "exec-timeout 0 0" }
  ]
}

export const frr: Platform<"frr"> = {
  name: "frr",
  vendor: "FRRouting",
  capabilities: {
    timer: { step: 1, least: 1 },
    certificates: "files",
    firmware: false,
    erase: false,
    bounce: false,
    reads: ["neighbours", "interfaces", "bgp", "ospf", "routes", "errors", "macs", "arp", "processes", "ping"],
    shows: { filters: ["include"], never: [["tech-support"]] }
  },
  sharesSerials: true,
  interfaces: {
    short: [],
    physical: /^(?:swp|eth|Ethernet|en[opsx])\d[\w]*$/,
    possible: /^(?:swp|eth|Ethernet|en[opsx]|lo|bond|vlan|br|vxlan|dummy)[\w.-]*/
  },
  configuration: { ...indented, own: /^(?:\s*!|end$|frr version |(?:Building|Current) configuration\b)/ },
  autoPush: null,
  risk: usualRisk,
  firmware: null,
  secrets: commonSecrets,
  saltedSecrets: [],
  loginLine: null,
  remarks: [{ line: /% Can't open configuration file \S+vtysh\.conf /, meaning: "vtysh has no settings of its own" }],
  shown: frrShown,
  commands: frrCommands
}
