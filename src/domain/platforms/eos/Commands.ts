/**
 * Words that EOS runs instead of storing them, from its manual (the commands of EXEC, of privileged EXEC and of configuration
 * sessions). Its configuration modes accept all of them, and abbreviations too.
 */
import type { CommandWords, SharedWord } from "../Platform.ts"

/** A word of the configuration that is a command when one of these follows. */
const mostly = (word: string, commands: ReadonlyArray<string>, place = 1): SharedWord => ({
  word,
  place,
  configuration: [],
  commands,
  otherwise: "configuration",
  alone: "configuration"
})

/** A command that is configuration when one of these follows. */
const only = (word: string, configuration: ReadonlyArray<string>, place = 1): SharedWord => ({
  word,
  place,
  configuration,
  commands: [],
  otherwise: "command",
  alone: "command"
})

const shared: ReadonlyArray<SharedWord> = [
  only("agent", ["shutdown", "environment"], 2),
  // the boot image changes immediately, even if the session is aborted
  only("boot", ["secret", "console"]),
  { ...mostly("clock", ["set"]), configuration: ["source", "timezone"] },
  { ...only("email", []), alone: "configuration" },
  only("enable", ["password", "secret"]),
  mostly("environment", ["test"]),
  mostly("event-monitor", ["clear", "interact", "sync"]),
  only("format", ["ipfix", "sflow"]),
  mostly("license", ["delete", "export", "import", "update"]),
  mostly("monitor", ["capture"]),
  mostly("platform", ["diag", "reset", "restart", "shell"], 2),
  mostly("power", ["cycle"]),
  only("reboot", ["action"]),
  mostly("redundancy", ["force-switchover", "manual", "reload", "switchover"]),
  mostly("security", ["pki"]),
  only("terminal", ["length", "width"]),
  // below "dhcp server" it names the server of boot files
  only("tftp", ["server"]),
  mostly("trace", ["monitor"]),
  mostly("transceiver", ["reinitialize"]),
  mostly("zerotouch", ["cancel", "disable"])
]

const session = ["abort", "commit", "configure", "disable", "do", "logout", "rollback", "run", "routing-context"]

// a refusal names the first one that a word abbreviates
const exec = [
  "show",
  "reload",
  "write",
  "copy",
  "delete",
  "erase",
  "clear",
  "bash",
  "ping",
  "more",
  "attach",
  "cd",
  "cli",
  "debug",
  "diff",
  "dir",
  "extension",
  "fsck",
  "help",
  "history",
  "install",
  "kill",
  "locator-led",
  "mkdir",
  "mrinfo",
  "mstat",
  "mtrace",
  "pwd",
  "python",
  "python3",
  "python-shell",
  "rename",
  "reset",
  "rmdir",
  "scp",
  "send",
  "sftp",
  "shell",
  "ssh",
  "sudo",
  "tcpdump",
  "telnet",
  "test",
  "traceroute",
  "undebug",
  "undelete",
  "unmount",
  "verify",
  "watch",
  "who",
  "whoami",
  "zeroize"
]

export const eosCommands: CommandWords = {
  session,
  exec,
  leave: new Map([
    ["exit", ""],
    ["quit", ""]
  ]),
  end: "end",
  shared,
  configuration: ["locator", "log", "routing", "tcp"],
  negations: ["no", "default"],
  comments: [],
  opensMode:
    /^(?:interface |vlan \d|vrf |router |ipv6 router |management |class-map |policy-map |class |route-map |(?:ip|ipv6|mac) access-list |(?:ip|ipv6) prefix-list \S+$|address-family |daemon |event-handler |mlag configuration|monitor (?:telemetry|connectivity|twamp|server|layer1|loop-protection|hadoop)|spanning-tree mst configuration|aaa group server |role |peer-filter |ip dhcp (?:relay|snooping)$|dhcp (?:server|relay)|subnet |reservations|mac-address |vendor-option |dot1x$|poe$|redundancy$|email$|maintenance$|unit |group |profile |tap aggregation|control-plane|system (?:control-plane|l1)|control-functions|hardware tcam|ssl profile |flow tracking |tracker |exporter |qos profile |(?:uc-|mc-)?tx-queue |traffic-polic|field-set |match \S+ (?:ipv4|ipv6)|actions$|policy |mcs client|cvx|service |stun$|client|server|segment-routing|segment-security|traffic-engineering|evpn ethernet-segment|load-balance |link tracking group |l2-protocol|forwarding profile |match-list |ip name-server group |radius proxy|vmtracer session |patch |mac security|path-group |peer |local interface |connection |vxlan |vlan-aware-bundle |mpls (?:ldp|rsvp)|queue-monitor streaming|ipv[46]$|alias \S+$|schedule |application traffic|rcf |openconfig|transport |provider |password$|host |rsa |ip security|ike policy |sa policy |cfm|domain |association |end-point |sync-e|kernel|congestion|group-policy|ip nat (?:profile|pool|synchronization)|queue |rx-queue |sflow|tunnel|dynamic)/i,
  topLevel:
    /^(?:(?:no|default) +)?(?:aaa (?:authentication|authorization|accounting|group|root)|agent |alias |banner |boot |class-map |clock |daemon |dhcp server(?! ipv[46]$)|dns |email$|enable |errdisable |event-handler |event-monitor|hostname |interface |ip(?:v6)? (?:route |routing|unicast-routing|access-list |prefix-list |name-server |domain|virtual-router mac|community-list|extcommunity-list|as-path|radius |tacacs |http |ssh |ftp )|license |lldp (?:run|timer|hold-time)|logging (?:host|vrf|buffered|console|on|source-interface|trap|synchronous|format|facility)|mac (?:access-list|address-table)|maintenance|management |mlag configuration|monitor (?:session|telemetry|connectivity)|ntp server|patch panel|peer-filter |platform |policy-map |prompt |queue-monitor (?!length(?: thresholds? | cpu|$))|radius-server |redundancy|role |route-map |router |schedule |service (?:routing|configuration|interface|unsupported)|sflow (?:run|destination|vrf|source)|snmp-server |spanning-tree (?:mode|(?:mst|vlan-id) (?!\S+ (?:cost|port-priority) ))|switchport default|system |tacacs-server |tap aggregation|terminal |traffic-policies|transceiver qsfp|username |vlan \d|vlan internal|vrf (?:instance|definition))/i,
  nesting:
    /^(?:router (?:path-selection|service-insertion)|connection |platform sfe|profile |monitor connectivity|router bgp .*\nvlan \d|hardware tcam\nsystem |mac-address .*\nhostname |vmtracer session .*\nusername |transport .*\nusername |group .*\n(?:interface|maintenance) |router rip.*\ninterface |ip name-server group .*\nip domain)/i,
  alias: /^\s*alias\s+("[^"]*"|\S+)/i,
  textBehind:
    /^(?:(?:no|default) +)?(?:(?:command +|neighbor \S+ +)?des\S*|condition|sub-option|name|remark|comment|alias|banner|snmp-server (?:contact|location)|trigger|action|exec|option|regex|match|prompt|url|(?:exclude|include) command|username \S+ ssh-key|schedule|ip as-path|ip (?:ext|large-)?community-list|\d+) /i,
  longestLine: 4_000
}
