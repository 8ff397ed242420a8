/**
 * How a switch words what it prints: the spelling of configuration lines, refusals, log lines and remarks between answers, and the lines
 * around a configuration.
 */
import { isIPv6 } from "node:net"
import type { Quirks } from "./Quirks.ts"
import { listOf, numbersOf } from "./Ranges.ts"
import type { Switch } from "../Switch.ts"

// Spelling (quirk `normalises`): abbreviated words are written out, defaults are not kept, lists of VLANs are sorted and compressed,
// masks become prefix lengths, MAC and IPv6 addresses get one form.

type Normalisation = NonNullable<Quirks["normalises"]>[number]

/** Commands whose words may be shortened. */
const COMMANDS = [
  "description",
  "hostname",
  "interface",
  "mtu",
  "name",
  "shutdown",
  "switchport mode access",
  "switchport mode trunk",
  "switchport access vlan",
  "switchport trunk native vlan",
  "switchport trunk allowed vlan",
  "spanning-tree portfast",
  "spanning-tree mode",
  "ip address",
  "ip route",
  "snmp-server contact",
  "snmp-server location"
].map((command) => command.split(" "))

/** Defaults, and the commands that set them. */
const DEFAULTS: ReadonlyMap<string, string> = new Map([
  ["mtu 1500", "mtu"],
  ["lldp transmit", "lldp transmit"],
  ["lldp receive", "lldp receive"],
  ["spanning-tree mode mstp", "spanning-tree mode"],
  ["switchport trunk native vlan 1", "switchport trunk native vlan"],
  ["switchport mode access", "switchport mode"],
  ["load-interval 300", "load-interval"],
  ["qos cos 0", "qos cos"],
  ["sflow sample 1048576", "sflow sample"]
])

const SHORTEST = 2

const expand = (text: string): string => {
  const words = text.split(" ")
  const start = words[0] === "no" || words[0] === "default" ? 1 : 0
  for (const command of COMMANDS) {
    const typed = words.slice(start, start + command.length)
    const isMeant =
      typed.length === command.length &&
      command.every((word, at) => typed[at] === word || isShort(typed[at] ?? "", word))
    if (isMeant) return [...words.slice(0, start), ...command, ...words.slice(start + command.length)].join(" ")
  }
  return text
}

const isShort = (typed: string, word: string): boolean => typed.length >= SHORTEST && word.startsWith(typed)

const withoutDefaults = (text: string): string => {
  const command = DEFAULTS.get(text)
  return command === undefined ? text : `default ${command}`
}

const vlanLists = (text: string): string =>
  text.replace(
    /^(vlan |switchport trunk allowed vlan )(\d[\d,-]*)$/,
    (_, start: string, list: string) => start + listOf(numbersOf(list))
  )

const masks = (text: string): string =>
  text.replaceAll(
    /(\d+\.\d+\.\d+\.\d+) ((?:255|254|252|248|240|224|192|128|0)(?:\.(?:255|254|252|248|240|224|192|128|0)){3})/g,
    (_, address: string, mask: string) => {
      const bits = mask.split(".").map((octet) => Number(octet).toString(2).padStart(8, "0"))
      return `${address}/${bits.join("").indexOf("0") < 0 ? 32 : bits.join("").indexOf("0")}`
    }
  )

const mac = (text: string): string =>
  text.replaceAll(/\b[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2}\b/g, (address) =>
    (address.replaceAll(".", "").toLowerCase().match(/../g) ?? []).join(":")
  )

const ipv6 = (text: string): string =>
  text.replaceAll(/[0-9a-fA-F:]*:[0-9a-fA-F:]+/g, (address) =>
    isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
  )

const SPELLERS: Readonly<Record<Normalisation, (text: string) => string>> = {
  abbreviations: expand,
  vlanLists,
  masks,
  mac,
  ipv6,
  defaults: withoutDefaults
}

const rewritten = (rewrites: Required<Quirks>["rewrites"], line: string): string =>
  Object.entries(rewrites).reduce((text, [pattern, stored]) => text.replace(new RegExp(pattern), stored), line)

/** The line in this switch's spelling. Blanks before it stay. */
export const spelled = (
  { normalises, rewrites }: Pick<Required<Quirks>, "normalises" | "rewrites">,
  line: string
): string => {
  const text = rewritten(rewrites, line.trimStart())
  if (normalises.length === 0) return line.slice(0, line.length - line.trimStart().length) + text
  const isFree = /^(?:no |default )?(?:desc\S*|name) /.test(text)
  const kinds = Object.entries(SPELLERS).filter(([name]) => normalises.some((kind) => kind === name))
  const result = kinds.reduce(
    (sofar, [name, spell]) => (isFree && name !== "abbreviations" ? sofar : spell(sofar)),
    text
  )
  return line.slice(0, line.length - line.trimStart().length) + result
}

// In addition to the answers: other words for a refused line (quirk `refusal`), log lines and remarks (`chatty`).

const REFUSALS: Readonly<Record<NonNullable<Quirks["refusal"]>, (error: string) => string>> = {
  eos: (error) => `${error}\n`,
  error: () => "Error: this command is not taken here\n",
  percentError: () => "%Error this command is not taken here\n",
  denied: () => "Authorization denied for this command\n",
  silent: () => ""
}

/** The answer to a configuration line, for this error. */
export const refusal = (device: Switch, error: string): string => REFUSALS[device.behaviour.quirks.refusal](error)

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** A log message as a terminal monitor shows it. */
export const logLine = ({ facts }: Switch, text: string): string => {
  const now = new Date()
  const time = now.toISOString().slice(11, 19)
  return `${months[now.getUTCMonth()]} ${String(now.getUTCDate()).padStart(2)} ${time} ${facts.hostname} Ebra: ${text}\n`
}

/** The same in the other formats that `logging format` can give it. */
const otherLogLines: ReadonlyArray<(device: Switch, text: string) => string> = [
  ({ facts }, text) => `<134>1 ${new Date().toISOString()} ${facts.hostname} Ebra 4711 - - ${text}\n`,
  (device, text) => `000123: ${logLine(device, text)}`,
  (device, text) => `<189>${logLine(device, text)}`
]

/** A message to all users, as `wall` writes it. */
const broadcast = ({ facts }: Switch): string =>
  `\nBroadcast message from root@${facts.hostname} (pts/0) (Thu Nov 26 10:00:00 2026):\n\nThe upgrade of rack 4 has failed\nError: see the wiki\n\n`

const UP = "%LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet9, changed state to up"
const FAILED = "%AAA-4-LOGIN_FAILED: user guest failed to login [from: 192.0.2.9] [service: sshd]"

/** Remarks that come with every fifth, seventh … line; the numbers have no common divisor. */
const REMARKS: ReadonlyArray<readonly [every: number, said: (device: Switch) => string]> = [
  [5, (device) => logLine(device, UP)],
  [7, () => "! Change takes effect with the next restart of the agent\n"],
  [9, () => "% Info: the line is kept for the next start\n"],
  [11, (device) => logLine(device, FAILED)],
  [13, () => "Ports of this group share one clock\n"],
  [17, broadcast],
  ...otherLogLines.map((line, at): readonly [number, (device: Switch) => string] => [
    [19, 23, 29][at] ?? 31,
    (device) => line(device, FAILED)
  ])
]

/** The remarks of a chatty switch on the configuration line with this number. */
export const remarksOnLine = (device: Switch, number: number): string =>
  device.behaviour.quirks.chatty
    ? REMARKS.map(([every, said]) => (number % every === 0 ? said(device) : "")).join("")
    : ""

/** The remarks of a chatty switch on an executed commit. */
export const remarksOnCommit = (device: Switch): string =>
  device.behaviour.quirks.chatty
    ? `${logLine(device, "%SYS-5-CONFIG_SESSION_COMMIT_SUCCESS: User has committed a session")}% Info: two agents are restarted\n`
    : ""

/** A log line ahead of what a chatty switch shows. */
export const remarksOnShow = (device: Switch): string => (device.behaviour.quirks.chatty ? logLine(device, UP) : "")

// A configuration with the lines that EOS prints around it.

/** The running configuration as `show running-config` prints it. */
export const showRunning = (device: Switch): string => withHeader(device, "running-config", device.running)

/** The startup configuration as printed, or undefined after an erase. */
export const showStartup = (device: Switch): string | undefined =>
  device.startup === undefined ? undefined : withHeader(device, "startup-config", device.startup)

/** A printed configuration with the lines around it. */
export const withHeader = (device: Switch, what: string, printed: string): string =>
  device.behaviour.quirks.bareConfig ? printed || "!\n" : withLines(device, what, printed)

const withLines = (device: Switch, what: string, printed: string): string =>
  `! Command: show ${what}\n! device: ${device.facts.hostname} (${device.hardware.model}, EOS-${device.version})\n!\n` +
  `! boot system flash:/${device.bootImage}\n${printed === "" ? "!\n" : printed}end\n`
