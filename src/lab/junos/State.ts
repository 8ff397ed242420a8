/** The state of a switch as its show commands and its answers in XML tell it: interfaces with their units, members, addresses. */
import * as Faults from "../Faults.ts"
import type { Station, Switch } from "../Switch.ts"
import { portMac } from "../eos/Hardware.ts"
import * as Config from "./Config.ts"
import type { Entry } from "./Config.ts"
import * as Facts from "./Facts.ts"
import * as Hardware from "./Hardware.ts"

/** One address family of a unit. */
export interface Family {
  readonly name: string
  /** `10.9.1.1/24` */
  readonly addresses: ReadonlyArray<string>
}

export interface Unit {
  /** `ge-0/0/1.0` */
  readonly name: string
  readonly description: string
  readonly isDown: boolean
  readonly families: ReadonlyArray<Family>
}

export interface Port {
  readonly name: string
  readonly description: string
  readonly admin: "up" | "down"
  readonly oper: "up" | "down"
  readonly mtu: number
  readonly megabits: number
  readonly mac: string
  /** Packets with errors that came in. */
  readonly errors: number
  /** Milliseconds since 1970. */
  readonly changedAt: number
  readonly index: number
  /** `ae1`, of which it is a member. */
  readonly bundle: string | undefined
  readonly units: ReadonlyArray<Unit>
}

const FIRST_INDEX = 140
const MTU = 1514
const FAMILIES = ["inet", "inet6", "ethernet-switching", "iso", "mpls"] as const

const familiesOf = (unit: Entry): ReadonlyArray<Family> =>
  FAMILIES.flatMap((name) => {
    const family = Config.at(unit, "family", name)
    if (family === undefined) return []
    const word = name === "ethernet-switching" ? "eth-switch" : name
    return [{ name: word, addresses: Config.entriesOf(family, "address").map(({ key }) => key ?? "") }]
  })

const withLease = (device: Switch, unit: Entry, families: ReadonlyArray<Family>): ReadonlyArray<Family> => {
  const asks = ["dhcp", "dhcp-client"].some((word) => Config.at(unit, "family", "inet", word) !== undefined)
  if (!asks || device.lease === undefined) return families
  return families.map((family) => (family.name === "inet" ? { ...family, addresses: [`${device.lease}/24`] } : family))
}

const unitOf = (device: Switch, port: string, unit: Entry): Unit => ({
  name: `${port}.${unit.key}`,
  description: Config.value(unit, "description") ?? "",
  isDown: Config.at(unit, "disable") !== undefined,
  families: withLease(device, unit, familiesOf(unit))
})

const isPort = (name: string) => Hardware.isPhysical(name)

const membersOf = (device: Switch, bundle: string): ReadonlyArray<string> =>
  device.software
    .ports(device.running)
    .filter((port) => port.channelGroup !== undefined && `ae${port.channelGroup}` === bundle)
    .map(({ name }) => name)

const isUp = (device: Switch, name: string): boolean =>
  isPort(name)
    ? device.world.linkUp(device, name)
    : /^ae\d/.test(name)
      ? membersOf(device, name).some((member) => device.world.linkUp(device, member))
      : true

const speedOf = ({ hardware }: Switch, name: string): number =>
  name.startsWith("et-") ? 40_000 : name.startsWith("xe-") ? 10_000 : name.startsWith("ae") ? hardware.megabits : 1000

const errorsOf = (device: Switch, port: string): number => {
  const grown =
    device.faults.length === 0 ? undefined : Faults.take(device.faults, "errorsGrow", (one) => one.port === port)
  if (grown !== undefined) device.portErrors.set(port, (device.portErrors.get(port) ?? 0) + grown.by)
  return device.portErrors.get(port) ?? 0
}

/** A card without an optic in it has no port: it is there when a cable is plugged, or the configuration names it. */
const isThere = (device: Switch, name: string, configured: ReadonlySet<string>): boolean =>
  !isPort(name) || configured.has(name) || !/^(?:xe|et)-\d+\/[1-9]/.test(name) || device.world.linkUp(device, name)

/** All interfaces: the ports of the hardware, then those that the configuration makes. */
export const ports = (device: Switch): ReadonlyArray<Port> => {
  const root = Facts.effective(device.running)
  const configured = Config.entriesOf(Config.at(root, "interfaces"), "")
  const names = new Set(configured.map(({ key }) => key ?? ""))
  const hardware = device.hardware.ports.filter((name) => isThere(device, name, names))
  const made = [...names].filter((name) => !device.hardware.ports.includes(name) && !isPort(name))
  return [...hardware, ...made].map((name, index): Port => {
    const entry = configured.find(({ key }) => key === name)
    const isDown = Config.at(entry, "disable") !== undefined
    const mtu = Number(Config.value(entry, "mtu"))
    return {
      name,
      description: Config.value(entry, "description") ?? "",
      admin: isDown ? "down" : "up",
      oper: !isDown && isUp(device, name) ? "up" : "down",
      mtu: Number.isInteger(mtu) ? mtu : MTU,
      megabits: speedOf(device, name),
      mac: portMac(device.hardware, index + 1),
      errors: errorsOf(device, name),
      changedAt: device.linkFlappedAt.get(name) ?? device.bootedAt,
      index: FIRST_INDEX + index,
      bundle: ["ether-options", "gigether-options"].flatMap((word) => Config.value(entry, word, "802.3ad") ?? [])[0],
      units: Config.entriesOf(entry, "unit").map((unit) => unitOf(device, name, unit))
    }
  })
}

/** The members of the switch: one, or those of its virtual chassis. */
export const members = ({ behaviour: { junos }, hardware }: Switch) =>
  Array.from({ length: Math.max(1, junos.members) }, (_, id) => ({
    id,
    serial: Hardware.serialOf(hardware, id),
    role: id === 0 ? "Master*" : id === 1 ? "Backup" : "Linecard"
  }))

/** Name of a VLAN by its number. */
export const vlanName = (device: Switch, id: number): string =>
  [...Facts.vlanIds(Facts.effective(device.running))].find(
    ([name, number]) => number === id && name !== "default"
  )?.[0] ?? "default"

/** The stations that the switch has learnt, by number of their VLAN. */
export const stations = (device: Switch): ReadonlyArray<Station> =>
  device.world.stations(device).toSorted((a, b) => a.vlan - b.vlan)

/** What follows the port of a station in tables: its unit. */
export const logical = (port: string): string => (port.includes(".") ? port : `${port}.0`)

/** Optics of ports whose link is up: light in milliwatts. */
export const optics = (device: Switch): ReadonlyArray<{ readonly name: string; readonly hasLight: boolean }> =>
  ports(device)
    .filter(({ name }) => /^(?:xe|et)-/.test(name))
    .map(({ name, oper }) => ({ name, hasLight: oper === "up" }))

const major = (version: string) => Number.parseFloat(version)

/** Releases before 13 do not name themselves in one place. */
export const isOldRelease = ({ version }: Switch): boolean => major(version) < 13

/** The neighbour's port, as the device shows what it was told. */
export const neighbours = (device: Switch) => device.world.neighbours(device)
