/** The command line of Arista EOS as data: prompts, modes, errors, deadlines, and every command (docs/switch-dialogues.md). */
import { eos } from "../../domain/platforms/eos/Platform.ts"
import { anyRemark, type Dialect, errorBut } from "../ssh/Dialect.ts"

/** Remarks that only some releases make are those of a target. */
const remarks = eos.remarks.filter(({ releases }) => releases === undefined)

// Log messages as `logging format …` has them: time traditional with or without year and zone, or high-resolution; with sequence
// numbers in front or behind the process; with the priority of syslog; and as RFC 5424 has them. Without a priority the name of the
// message is needed, because a line of a configuration may begin with a time.

const time = String.raw`(?:[A-Z][a-z]{2} [ \d]\d(?: \d{4})? \d\d:\d\d:\d\d(?:\.\d+)?(?: [A-Z]{2,5})?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:Z|[+-]\d\d:\d\d))`
const sequence = String.raw`(?:\d{1,10}: )?`
const priority = String.raw`<\d{1,3}>`
const messageName = String.raw`%[A-Z0-9_]+-\d-[A-Z0-9_]+:`
const logLine = new RegExp(
  [
    String.raw`^${sequence}${time}(?::| \S+ \S+(?: \S+){0,3}) ${messageName}`,
    String.raw`^${sequence}${priority}(?:1 )?${sequence}(?:${time}|-) \S+ \S`
  ].join("|")
)

export const dialect: Dialect = {
  prompt: /^[\w.\-@()/: ]{1,255}(\(config[^()\s]{0,255}\))?[>#]\s?$/,
  // "(s1)" of a modular switch belongs to the name; only "(config…)" is a mode, with lists and names of any characters
  promptEnd: /(?:\(config[^()\s]*\))?[>#]\s*$/,
  unprivileged: />\s?$/,
  error: errorBut(remarks, /^(?:% |(?:% )?Maximum number of pending sessions|Cannot enter session|get: )/),
  remark: anyRemark(remarks),
  warning: /^!/,
  asksForText: /\btype ['"]?EOF['"]?/i,
  denied: /\bauthorization denied for command\b/i,
  showsData: /^(?:show|bash|dir|more|verify)\b/,
  logLine,
  pager: /^\s*--\s?More\s?--\s*$/i,
  enable: { command: "enable", password: /assword:\s*$/i },
  prepare: ["terminal length 0", "terminal width 511", "no terminal monitor"],
  timeouts: { connect: 20, firstPrompt: 30, show: 30, runningConfig: 90, load: 90, commit: 180, save: 90 },
  linesPerSecond: 250,
  // below the 4,096 bytes that a pty holds; a smaller window costs more round trips
  windowBytes: 3584,
  longestEcho: 400
}

/** The line that EOS prints after a successful `write memory` or `copy`. */
export const copyDone = /^Copy completed successfully\./

/** Whether a copy went well, by everything that was said to it: bars of its progress may stand before the words. */
export const isCopied = (answer: string): boolean => answer.includes("Copy completed successfully")

// Every command that the driver sends to a switch, its purpose and the effect of a denial, for sites whose AAA authorizes each
// command (docs/switch-dialogues.md#commands-that-the-account-needs, whose table is made of this one). A test holds it against what
// a simulated switch is sent.

export interface NeededCommand {
  /** How it begins; what follows are names, files and times. */
  readonly command: string
  readonly use: string
  readonly without: string
  /** Sent only if another command did not suffice. */
  readonly fallback?: true
  /** Nothing fails when it is denied; without this, whatever needs it fails and names the denial. */
  readonly dispensable?: true
}

const CHANGES = "no change, dry or live"
const UPGRADES = "no upgrade of firmware"
const CERTIFICATES = "no certificate on the switch"
const NO_READING = "that reading fails"

/** In the order in which a switch meets them. */
export const neededCommands: ReadonlyArray<NeededCommand> = [
  {
    command: "enable",
    use: "privileges, where the login lands without",
    without: "no login: `ConnectAuthError: not privileged: …`",
    fallback: true
  },
  { command: "terminal length", use: "no pages", without: "long answers are paged", dispensable: true },
  { command: "terminal width", use: "no wrapped echo", without: "loading is slower", dispensable: true },
  { command: "no terminal monitor", use: "no log lines in answers", without: "as it says", dispensable: true },
  {
    command: "show version",
    use: "facts, and the serial number at each login",
    without: "no discovery, no initialisation, no update of facts; the serial number is not compared"
  },
  {
    command: "show hostname",
    use: "facts, and the name before the first change",
    without: "as `show version`; the name is not compared"
  },
  { command: "show interfaces", use: "facts, states of ports", without: "as `show version`; no bounce of ports" },
  {
    command: "show interfaces transceiver",
    use: "light levels for the API",
    without: "that answer is an error"
  },
  { command: "show lldp neighbors", use: "neighbours", without: "no initialisation" },
  { command: "show lldp neighbors detail", use: "neighbours for the API", without: "that answer is an error" },
  { command: "show mac address-table", use: "machines on ports", without: "no machines of this switch in `find`" },
  { command: "show ip arp", use: "machines by address", without: "as `show mac address-table`" },
  { command: "show ipv6 neighbors", use: "machines by address of IPv6", without: "IPv4 alone", dispensable: true },
  { command: "show bgp summary vrf all", use: "checks of BGP sessions", without: NO_READING },
  {
    command: "show ip bgp summary vrf all",
    use: "the same, on a release without that command",
    without: NO_READING,
    fallback: true
  },
  { command: "show ip ospf neighbor", use: "checks of OSPF", without: NO_READING },
  { command: "show ip route vrf all summary", use: "checks that count routes", without: NO_READING },
  { command: "show ipv6 route vrf all summary", use: "the same for IPv6", without: NO_READING },
  { command: "show mlag", use: "checks of MLAG", without: NO_READING },
  { command: "show vrrp", use: "checks of VRRP", without: NO_READING },
  { command: "show port-channel", use: "checks of port-channels", without: NO_READING },
  { command: "show spanning-tree", use: "checks of spanning tree", without: NO_READING },
  { command: "show spanning-tree topology status detail", use: "changes of its topology", without: NO_READING },
  { command: "show clock", use: "ages by the switch's own clock", without: NO_READING },
  { command: "show system environment", use: "checks of sensors, fans and power", without: NO_READING },
  { command: "show agent uptime", use: "checks of processes", without: NO_READING },
  { command: "show logging last", use: "checks of log messages", without: NO_READING },
  { command: "ping", use: "checks that ping", without: NO_READING },
  { command: "show ntp associations", use: "checks of time", without: NO_READING },
  { command: "show running-config", use: "hash check, proof, drift", without: CHANGES },
  {
    command: "show running-config all",
    use: "learning which lines are defaults",
    without: "new lines that are defaults and not known to be fail by name",
    fallback: true
  },
  {
    command: "show configuration sessions detail",
    use: "other people's sessions, commit timers",
    without: "each change waits until its commit timer must have run out, and abandoned sessions remain",
    dispensable: true
  },
  { command: "configure session", use: "loading, committing, taking back", without: CHANGES },
  { command: "rollback clean-config", use: "replacing a whole configuration", without: CHANGES },
  {
    command: "comment",
    use: "comments of sections, where templates have them",
    without: "such lines are rejected",
    fallback: true
  },
  {
    command: "show session-config named",
    use: "the configuration that the switch will run, and its difference",
    without: "the candidate is loaded twice",
    dispensable: true
  },
  {
    command: "show session-config diffs",
    use: "the difference, where it cannot be asked for by name",
    without: "without both no change, dry or live",
    fallback: true
  },
  {
    command: "show session-config",
    use: "lines with a question mark, where the session cannot be asked for by name",
    without: "such lines are rejected",
    fallback: true
  },
  { command: "end", use: "leaving the session", without: CHANGES },
  { command: "write memory", use: "saving", without: "the change ends as not saved" },
  {
    command: "show running-config diffs",
    use: "proof that it is saved",
    without: "the startup configuration is read instead",
    dispensable: true
  },
  {
    command: "show startup-config",
    use: "proof that it is saved, where differences cannot be asked for",
    without: "without both the change ends as not saved",
    fallback: true
  },
  { command: "bash timeout", use: "room on the flash", without: UPGRADES },
  { command: "bash /bin/ls", use: "size of an image", without: UPGRADES },
  { command: "verify", use: "checksum of an image", without: UPGRADES },
  { command: "copy", use: "images, certificates and keys", without: `${UPGRADES}, ${CERTIFICATES}` },
  { command: "delete", use: "removing images, keys and certificates", without: `${CERTIFICATES}, no erasing` },
  { command: "dir flash:", use: "proof that no key remains", without: CERTIFICATES },
  { command: "show boot-config", use: "the image that boots next", without: UPGRADES },
  { command: "configure terminal", use: "choosing the image", without: UPGRADES },
  { command: "boot system", use: "choosing the image", without: UPGRADES },
  { command: "reload force", use: "restarting", without: "no restart after an upgrade or before a new start" },
  { command: "write erase now", use: "factory default", without: "no erasing" }
]

/** The entry for a command as it was given: the longest beginning that fits. */
export const entryFor = (given: string): NeededCommand | undefined =>
  neededCommands
    .filter(({ command }) => given === command || given.startsWith(`${command} `))
    .toSorted((a, b) => b.command.length - a.command.length)[0]
