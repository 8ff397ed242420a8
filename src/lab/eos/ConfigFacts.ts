/**
 * Facts that the switch reads in its configuration: its name, its addresses, users with their secrets, ports that are shut, aliases.
 * Computed by one scan of the printed text each time the running configuration changes.
 */
import type { Entry } from "./ConfigTree.ts"
import { hash, randomBytes, randomInt } from "node:crypto"

/** The configuration of one interface, as far as show commands need it. */
export interface InterfaceFacts {
  readonly name: string
  description: string
  shutdown: boolean
  dhcp: boolean
  readonly addresses: Array<string>
  virtual: boolean
  mtu: number | undefined
  mode: "access" | "trunk" | "routed"
  accessVlan: number
  trunkVlans: string | undefined
  poeDisabled: boolean
  /** Number of the bundle of which the port is a member. */
  channelGroup: number | undefined
}

/** A login from the configuration. `secret` is undefined when only a hash is known, `hash` when the secret itself is. */
interface UserFacts {
  readonly privilege: number
  readonly secret: string | undefined
  /** As the configuration shows it, when only a hash is known. */
  readonly hash: string | undefined
}

export interface ConfigFacts {
  readonly hostname: string
  readonly domain: string | undefined
  /** Addresses on Management, Loopback and Vlan interfaces that are not shut, in configuration order, no anycast. */
  readonly addresses: ReadonlyArray<string>
  /** An interface that asks DHCP for its address. */
  readonly wantsDhcp: boolean
  readonly users: ReadonlyMap<string, UserFacts>
  /** Public keys (type and base64) that may be used in the place of a password, by user. */
  readonly sshKeys: ReadonlyMap<string, ReadonlySet<string>>
  /** Logins land in privileged mode. */
  readonly execAuthorization: boolean
  readonly enableSecret: string | undefined
  readonly passwordAuthentication: boolean
  readonly lldp: boolean
  /** Shown before the login (SSH banner) and after it. */
  readonly loginBanner: string | undefined
  readonly motd: string | undefined
  readonly shutPorts: ReadonlySet<string>
  /** Commands by their alias. */
  readonly aliases: ReadonlyMap<string, ReadonlyArray<string>>
}

/** Name that a switch without a hostname has. */
const DEFAULT_HOSTNAME = "localhost"

const MANAGEMENT = /^(?:Management|Loopback|Vlan)\d/

/** Reads the facts from a printed configuration. */
export const read = (text: string): ConfigFacts => {
  const ports = interfaces(text)
  const managed = ports.filter((port) => MANAGEMENT.test(port.name) && !port.shutdown)
  return {
    hostname: lineValue(text, "hostname ") ?? DEFAULT_HOSTNAME,
    domain: lineValue(text, "dns domain ") ?? lineValue(text, "ip domain-name "),
    addresses: managed.flatMap((port) => port.addresses),
    wantsDhcp: managed.some((port) => port.dhcp),
    users: users(text),
    sshKeys: sshKeys(text),
    execAuthorization: /^aaa authorization exec default (?:.* )?local/m.test(text),
    enableSecret: /^enable (?:secret|password) (?:0 )?(\S+)$/m.exec(text)?.[1],
    passwordAuthentication: /^ {3}authentication (?:mode|protocol) password/m.test(text),
    loginBanner: banner(text, "login"),
    motd: banner(text, "motd"),
    lldp: !/^no lldp run$/m.test(text),
    aliases: aliases(text),
    shutPorts: new Set(ports.filter((port) => port.shutdown).map((port) => port.name))
  }
}

const banner = (text: string, kind: string): string | undefined => {
  const start = text.indexOf(`\nbanner ${kind}\n`)
  const from = start < 0 ? -1 : text.indexOf("\n", start + 1) + 1
  const end = from < 0 ? -1 : text.indexOf("EOF\n", from)
  return end < 0 ? undefined : text.slice(from, end)
}

const lineValue = (text: string, prefix: string): string | undefined => {
  const at = text.startsWith(prefix) ? 0 : text.indexOf(`\n${prefix}`) + 1
  if (at === 0 && !text.startsWith(prefix)) return undefined
  const end = text.indexOf("\n", at)
  return text.slice(at + prefix.length, end < 0 ? undefined : end).trim()
}

const users = (text: string): Map<string, UserFacts> => {
  const found = new Map<string, UserFacts>()
  for (const line of text.match(/^username .*$/gm) ?? []) {
    const [, name, rest = ""] = /^username (\S+) (.*)$/.exec(line) ?? []
    if (name === undefined || rest.startsWith("ssh-key")) continue
    const privilege = Number(/\bprivilege (\d+)/.exec(rest)?.[1] ?? 1)
    const secret = clearSecret(rest)
    found.set(name, { privilege, secret, hash: secret === undefined ? rest.split(" ").at(-1) : undefined })
  }
  return found
}

/** `username X ssh-key <type> <base64> [comment]`. */
const sshKeys = (text: string): Map<string, Set<string>> => {
  const found = new Map<string, Set<string>>()
  for (const [, name = "", key = ""] of text.matchAll(/^username (\S+) ssh-key (\S+ \S+)/gm))
    found.set(name, (found.get(name) ?? new Set()).add(key))
  return found
}

const clearSecret = (rest: string): string | undefined => {
  if (/\bnopassword\b/.test(rest)) return ""
  const [, kind, value] = /\bsecret (?:(0|5|7|sha512|\*) )?(\S+)$/.exec(rest) ?? []
  return kind === undefined || kind === "0" ? value : undefined
}

/** Every interface section of a printed configuration, in its order. */
export const interfaces = (text: string): ReadonlyArray<InterfaceFacts> => {
  const found: Array<InterfaceFacts> = []
  let open: InterfaceFacts | undefined
  for (const line of text.split("\n")) {
    if (!line.startsWith(" ")) {
      open = line.startsWith("interface ") ? blank(line.slice(10)) : undefined
      if (open !== undefined) found.push(open)
    } else if (open !== undefined) readLine(open, line.trim())
  }
  return found
}

/** An interface without any line of its own. */
export const blank = (name: string): InterfaceFacts => ({
  name,
  description: "",
  shutdown: false,
  dhcp: false,
  addresses: [],
  virtual: false,
  mtu: undefined,
  mode: /^(?:Ethernet|Port-Channel)/.test(name) ? "access" : "routed",
  accessVlan: 1,
  trunkVlans: undefined,
  poeDisabled: false,
  channelGroup: undefined
})

const readLine = (port: InterfaceFacts, line: string) => {
  if (line === "shutdown") port.shutdown = true
  else if (line === "no switchport") port.mode = "routed"
  else if (line === "poe disabled") port.poeDisabled = true
  else if (line === "switchport mode trunk") port.mode = "trunk"
  else if (line.startsWith("description ")) port.description = line.slice(12)
  else if (line.startsWith("channel-group ")) port.channelGroup = Number(line.split(" ")[1])
  else if (line.startsWith("mtu ")) port.mtu = Number(line.slice(4))
  else if (line.startsWith("switchport access vlan ")) port.accessVlan = Number(line.slice(23))
  else if (line.startsWith("switchport trunk allowed vlan ")) port.trunkVlans = line.slice(30)
  else if (line.startsWith("ip address dhcp")) port.dhcp = true
  else if (line.startsWith("ip address virtual ")) port.virtual = true
  else if (line.startsWith("ip address ")) port.addresses.push(line.slice(11).split("/", 1)[0] ?? "")
  else if (line.startsWith("ipv6 address ")) port.addresses.push(line.slice(13).split("/", 1)[0] ?? "")
}

// How a switch stores secrets: a user's clear secret becomes a hash with a new salt, a clear or obfuscated key becomes type 7 with
// another salt, so that no two loads of one line look alike. The obfuscation is the lab's own; a given hash is kept.

const USER = /^(\s*(?:username \S+ .*?\bsecret|enable (?:secret|password)) )(?:0 )?(\S+)$/
const KEY =
  /^(\s*(?:(?:radius|tacacs)-server .*?\bkey|ntp authentication-key \d+ (?:md5|sha\d*)|neighbor \S+ password|key) )(?:(0|7) )?(\S+)$/

const SALTS = 256
const digits = (value: string, by: number) =>
  value.replaceAll(/[\da-f]/gi, (digit) => ((Number.parseInt(digit, 16) + by) & 15).toString(16).toUpperCase())

const obfuscated = (body: string): string => {
  const salt = randomInt(SALTS)
  return `${salt.toString(16).padStart(2, "0").toUpperCase()}${digits(body, salt)}`
}

/** The clear text behind a value of type 7: hexadecimal, the same for each of its forms. */
export const clearOf = (value: string): string => digits(value.slice(2), -Number.parseInt(value.slice(0, 2), 16))

const hashed = (password: string, salt: string) => `$6$${salt}$${hash("sha512", `${salt}:${password}`, "base64url")}`

/** Whether the hash is that of the password. Only for hashes that the lab has made. */
export const isHashOf = (shown: string, password: string): boolean => {
  const [, kind, salt = ""] = shown.split("$")
  return kind === "6" && shown === hashed(password, salt)
}

const keyLine = (before: string, kind: string | undefined, value: string): string | undefined => {
  if (kind !== "7") return `${before}7 ${obfuscated(Buffer.from(value).toString("hex"))}`
  return /^[\da-f]{4,}$/i.test(value) ? `${before}7 ${obfuscated(clearOf(value))}` : undefined
}

/** A typed line as the switch keeps it; a line without such a secret is unchanged. */
export const salted = (line: string): string => {
  const [, user, password] = USER.exec(line) ?? []
  if (user !== undefined && password !== undefined) {
    return `${user}sha512 ${hashed(password, randomBytes(6).toString("base64url"))}`
  }
  const [, key, kind, value] = KEY.exec(line) ?? []
  return key === undefined || value === undefined ? line : (keyLine(key, kind, value) ?? line)
}

/** The same for each line of a text. */
export const saltedText = (text: string): string => text.split("\n").map(salted).join("\n")

// Aliases: words of a site that stand for commands, one (`alias <name> <command>`) or a section of numbered ones.

const ALIAS = /^alias (\S+) (.+)$/

/** Commands by alias, from a printed configuration. */
const aliases = (text: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  if (!/^alias /m.test(text)) return found
  const lines = text.split("\n")
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("alias ")) continue
    const single = ALIAS.exec(line)
    if (single !== null) found.set(single[1] ?? "", [single[2] ?? ""])
    else {
      const end = lines.findIndex((other, at) => at > index && !other.startsWith(" "))
      found.set(line.slice("alias ".length), numbered(lines.slice(index + 1, end < 0 ? undefined : end)))
    }
  }
  return found
}

const numbered = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => /^\s*\d+ (.+)$/.exec(line)?.[1] ?? [])

/** The commands of an alias in a configuration that is being edited. */
export const aliasIn = (tree: Entry | undefined, name: string): ReadonlyArray<string> | undefined => {
  const entry = tree?.children?.get(`alias ${name}`)
  if (entry === undefined) return undefined
  const single = ALIAS.exec(entry.text)
  return single === null ? numbered([...(entry.children?.values() ?? [])].map(({ text }) => text)) : [single[2] ?? ""]
}
