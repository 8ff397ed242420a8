/** The record of Linux with FRRouting, lldpd and OpenSSH, as on white-box leaf and spine routers. */
import { type CommandWords, indented, type Platform, type SharedWord } from "../Platform.ts"
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

export const frr: Platform<"frr"> = {
  name: "frr",
  vendor: "FRRouting",
  capabilities: { timer: true, certificates: "files", firmware: false, erase: false, bounce: false },
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
  commands: frrCommands
}
