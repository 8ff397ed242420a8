/** What the switch reads in its configuration: name, addresses, users, ports. Groups are expanded and inactive statements ignored. */
import type { ConfigFacts, InterfaceFacts } from "../eos/ConfigFacts.ts"
import * as Braces from "./Braces.ts"
import * as Config from "./Config.ts"
import type { Entry } from "./Config.ts"
import { isManagement, isPhysical } from "./Hardware.ts"
import * as Inheritance from "./Inheritance.ts"

/** Name of a switch whose configuration has none. */
const DEFAULT_HOSTNAME = "Amnesiac"

const cache = new Map<string, Entry>()
const CACHED = 1024

/** The effective configuration of a printed text; must not be changed. */
export const effective = (text: string): Entry => {
  const known = cache.get(text)
  if (known !== undefined) return known
  const made = Inheritance.effective(Braces.parse(text))
  if (cache.size >= CACHED) cache.delete([...cache.keys()][0] ?? "")
  cache.set(text, made)
  return made
}

const families = (unit: Entry): ReadonlyArray<Entry | undefined> => [
  Config.at(unit, "family", "inet"),
  Config.at(unit, "family", "inet6")
]

const addressesOf = (unit: Entry): ReadonlyArray<string> =>
  families(unit).flatMap((family) =>
    Config.entriesOf(family, "address").flatMap(({ key }) => key?.split("/", 1)[0] ?? [])
  )

const wantsDhcp = (unit: Entry): boolean =>
  ["dhcp", "dhcp-client"].some((word) => Config.at(unit, "family", "inet", word) !== undefined)

/** Numbers of VLANs by name. */
export const vlanIds = (root: Entry): ReadonlyMap<string, number> =>
  new Map([
    ["default", 1],
    ...Config.entriesOf(Config.at(root, "vlans"), "").flatMap((vlan): ReadonlyArray<readonly [string, number]> => {
      const id = Number(Config.value(vlan, "vlan-id"))
      return Number.isInteger(id) ? [[vlan.key ?? "", id]] : []
    })
  ])

/** The bundle of which a port is a member: `ae3`. */
const bundleOf = (port: Entry): string | undefined =>
  ["ether-options", "gigether-options"].flatMap((word) => Config.value(port, word, "802.3ad") ?? [])[0]

const readPort = (port: Entry, unit: Entry | undefined, vlans: ReadonlyMap<string, number>): InterfaceFacts => {
  const switching = Config.at(unit, "family", "ethernet-switching")
  const members = Config.at(switching, "vlan", "members")?.values ?? []
  const mode = Config.value(switching, "interface-mode") ?? Config.value(switching, "port-mode") ?? "access"
  const [first = "default"] = members
  const bundle = bundleOf(port)
  const isLogical = unit !== undefined && !isPhysical(port.key ?? "") && !/^ae\d/.test(port.key ?? "")
  const mtu = Number(Config.value(port, "mtu"))
  return {
    name: isLogical ? `${port.key}.${unit.key}` : (port.key ?? ""),
    description: Config.value(port, "description") ?? Config.value(unit, "description") ?? "",
    shutdown: Config.at(port, "disable") !== undefined || (isLogical && Config.at(unit, "disable") !== undefined),
    dhcp: unit !== undefined && wantsDhcp(unit),
    addresses: unit === undefined ? [] : [...addressesOf(unit)],
    virtual: false,
    mtu: Number.isInteger(mtu) ? mtu : undefined,
    mode: switching === undefined && bundle === undefined ? "routed" : mode === "trunk" ? "trunk" : "access",
    accessVlan: /^\d+$/.test(first) ? Number(first) : (vlans.get(first) ?? 1),
    trunkVlans: mode === "trunk" ? members.join(",") : undefined,
    poeDisabled: false,
    channelGroup: bundle === undefined ? undefined : Number(bundle.slice("ae".length))
  }
}

/** All interfaces that a printed configuration has; logical ones of irb, loopback and management ports by themselves. */
export const ports = (text: string): ReadonlyArray<InterfaceFacts> => {
  const root = effective(text)
  const vlans = vlanIds(root)
  return Config.entriesOf(Config.at(root, "interfaces"), "").flatMap((port) => {
    const units = Config.entriesOf(port, "unit")
    const name = port.key ?? ""
    if (isPhysical(name) || /^ae\d/.test(name)) return [readPort(port, units[0], vlans)]
    return units.map((unit) => readPort(port, unit, vlans))
  })
}

/** The routed interface of a VLAN. */
export const vlanPort = (text: string, vlan: number): string => {
  const found = Config.entriesOf(Config.at(effective(text), "vlans"), "").find(
    (one) => Number(Config.value(one, "vlan-id")) === vlan
  )
  return Config.value(found, "l3-interface") ?? `irb.${vlan}`
}

const isManaged = ({ name }: InterfaceFacts): boolean => isManagement(name) || /^(?:irb|vlan|lo0)\./.test(name)

const keysOf = (user: Entry): ReadonlySet<string> =>
  new Set(
    ["ssh-rsa", "ssh-ecdsa", "ssh-ed25519"].flatMap((word) =>
      Config.entriesOf(Config.at(user, "authentication"), word).flatMap(
        ({ key }) => key?.split(" ").slice(0, 2).join(" ") ?? []
      )
    )
  )

const users = (root: Entry): ReadonlyArray<readonly [string, Entry]> => {
  const login = Config.entriesOf(Config.at(root, "system", "login"), "user")
  return login.map((user) => [user.key ?? "", user] as const)
}

const isReachable = (root: Entry) => Config.at(root, "system", "services", "ssh") !== undefined

/** The facts of a printed configuration. */
export const read = (text: string): ConfigFacts => {
  const root = effective(text)
  const found = ports(text)
  const managed = found.filter((port) => isManaged(port) && !port.shutdown)
  const rootHash = Config.value(root, "system", "root-authentication", "encrypted-password")
  const lldp = Config.at(root, "protocols", "lldp")
  return {
    hostname: Config.value(root, "system", "host-name") ?? DEFAULT_HOSTNAME,
    domain: Config.value(root, "system", "domain-name"),
    addresses: isReachable(root) ? managed.flatMap((port) => port.addresses) : [],
    wantsDhcp: managed.some((port) => port.dhcp),
    users: new Map([
      ...(rootHash === undefined ? [] : [["root", { privilege: 15, secret: undefined, hash: rootHash }] as const]),
      ...users(root).map(
        ([name, user]) =>
          [
            name,
            {
              privilege: Config.value(user, "class") === "super-user" ? 15 : 1,
              secret: undefined,
              hash: Config.value(user, "authentication", "encrypted-password") ?? "*"
            }
          ] as const
      )
    ]),
    sshKeys: new Map(users(root).map(([name, user]) => [name, keysOf(user)])),
    execAuthorization: true,
    enableSecret: undefined,
    passwordAuthentication: false,
    lldp: lldp !== undefined && Config.at(lldp, "disable") === undefined,
    loginBanner: Config.value(root, "system", "login", "message")?.replaceAll(String.raw`\n`, "\n"),
    motd: Config.value(root, "system", "login", "announcement")?.replaceAll(String.raw`\n`, "\n"),
    shutPorts: new Set(found.filter((port) => port.shutdown).map((port) => port.name)),
    aliases: new Map()
  }
}

/** The class of a user in the configuration. */
export const classOf = (text: string, user: string): string =>
  user === "root"
    ? "super-user"
    : (Config.value(effective(text), "system", "login", `user ${user}`, "class") ?? "super-user")

/** The permissions of a class of the configuration. */
export const permissionsOf = (text: string, name: string): ReadonlyArray<string> =>
  Config.at(effective(text), "system", "login", `class ${name}`, "permissions")?.values ?? []

/** Whether the configuration has NETCONF. */
export const hasNetconf = (text: string): boolean =>
  Config.at(effective(text), "system", "services", "netconf", "ssh") !== undefined

/** Whether a plain commit goes to all routing engines. */
export const synchronizes = (text: string): boolean =>
  Config.at(effective(text), "system", "commit", "synchronize") !== undefined
