/** The hardware and the release of a simulated switch: models with their ports, the numbers printed on the box, and EOS images. */
import { createHash } from "node:crypto"
import { compareInterfaces } from "./Words.ts"
import type { Switch } from "../Switch.ts"

interface Model {
  readonly copper: number
  /** Ports that print as `EthernetN/1`, after the plain ones. */
  readonly quad: number
  readonly poe: boolean
  readonly megabits: number
  readonly description: string
}

/** Ports and power of the models that the lab knows; others follow the `default` line. */
const MODELS: Readonly<Record<string, Model>> = {
  "CCS-720XP-24ZY4-F": {
    copper: 28,
    quad: 0,
    poe: true,
    megabits: 2500,
    description: "24x2.5G PoE & 4x25G SFP28 Switch"
  },
  "CCS-720XP-48ZC2-F": { copper: 48, quad: 2, poe: true, megabits: 2500, description: "48 PoE, 4x25G & 2x100G Switch" },
  "CCS-720XP-48Y6-F": { copper: 54, quad: 0, poe: true, megabits: 1000, description: "48x1G PoE & 6x25G SFP28 Switch" },
  "DCS-7050SX3-48YC8-F": {
    copper: 48,
    quad: 8,
    poe: false,
    megabits: 25_000,
    description: "48x25GbE SFP+ & 8x100GbE QSFP Switch"
  },
  "DCS-7050CX3-32S-F": {
    copper: 0,
    quad: 32,
    poe: false,
    megabits: 100_000,
    description: "32x100GbE QSFP & 2xSFP+ Switch"
  },
  cEOSLab: { copper: 64, quad: 0, poe: false, megabits: 1000, description: "cEOSLab" }
}

/** The model of a node that names none. */
const DEFAULT_MODEL = "CCS-720XP-48Y6-F"
const DEFAULT: Model = { copper: 54, quad: 0, poe: true, megabits: 1000, description: "Switch" }

export interface Hardware {
  readonly model: string
  readonly description: string
  /** `94:8e:d3:…` */
  readonly mac: string
  readonly serial: string
  readonly poe: boolean
  readonly megabits: number
  /** Physical port names in natural order. */
  readonly ports: ReadonlyArray<string>
}

const portsOf = (model: Model, count: number | undefined): ReadonlyArray<string> => {
  const plain = count ?? model.copper
  const quad = count === undefined ? model.quad : 0
  return [
    ...Array.from({ length: plain }, (_, index) => `Ethernet${index + 1}`),
    ...Array.from({ length: quad }, (_, index) => `Ethernet${plain + index + 1}/1`),
    "Management1"
  ]
}

const MACS_PER_BOX = 256

const portLists = new Map<string, ReadonlyArray<string>>()

/**
 * The hardware of one node. `linked` are ports that the topology uses; they exist whatever the model says. Without
 * `mac` and `serial` both follow from `name`, so a lab looks the same at every start.
 */
export const make = (options: {
  readonly name: string
  /** Number of the box in its lab: keeps generated MAC addresses apart. */
  readonly index: number
  readonly model?: string | undefined
  readonly mac?: string | undefined
  readonly serial?: string | undefined
  readonly ports?: number | undefined
  readonly linked: ReadonlyArray<string>
}): Hardware => {
  const name = options.model ?? DEFAULT_MODEL
  const model = MODELS[name] ?? DEFAULT
  const digest = createHash("sha256").update(options.name).digest("hex")
  const key = `${name}/${options.ports ?? ""}`
  const standard = portLists.get(key) ?? portsOf(model, options.ports)
  portLists.set(key, standard)
  const extra = options.linked.filter((port) => !standard.includes(port))
  return {
    model: name,
    description: model.description,
    mac: options.mac?.toLowerCase() ?? generatedMac(options.index),
    serial: options.serial ?? `LAB${digest.slice(0, 8).toUpperCase()}`,
    poe: model.poe,
    megabits: model.megabits,
    ports: extra.length === 0 ? standard : [...standard, ...extra].toSorted(compareInterfaces)
  }
}

const generatedMac = (index: number) => {
  const tail = (index * MACS_PER_BOX).toString(16).padStart(6, "0")
  return `94:8e:d3:${tail.slice(0, 2)}:${tail.slice(2, 4)}:${tail.slice(4, 6)}`
}

/** MAC address of the n-th port (0 = system address), `94:8e:d3:…`. */
export const portMac = (hardware: Hardware, index: number): string => {
  const value = (BigInt(`0x${hardware.mac.replaceAll(/[^\da-fA-F]/g, "")}`) + BigInt(index)) & 0xffff_ffff_ffffn
  return (value.toString(16).padStart(12, "0").match(/../g) ?? []).join(":")
}

/** True when the switch has the port, or a breakout of it, or the interface is not a physical one. */
export const hasInterface = (hardware: Hardware, name: string): boolean => {
  const physical = /^(Ethernet|Management)(\d+)/.exec(name)
  if (physical === null) return /^(?:Port-Channel|Recirc-Channel|Vlan|Loopback|Vxlan|Tunnel|Dps)\d+/.test(name)
  const base = `${physical[1]}${physical[2]}`
  return hardware.ports.some((port) => port === name || port === base || port.startsWith(`${base}/`))
}

// EOS releases: in names of images, in the system description, and in behaviour that changed with a release.

/** The image file of a version: `4.32.2F` → `EOS-4.32.2F.swi`. */
export const imageOf = (version: string): string => `EOS-${version}.swi`

/** The version that an image file name carries: `EOS-4.32.2F.swi` → `4.32.2F`. */
export const versionOf = (image: string): string | undefined => /EOS(?:64)?-(\d+(?:\.\d+)+[A-Z]*)/.exec(image)?.[1]

/** The system description of a switch over LLDP. */
export const systemDescription = ({ hardware, version }: Switch): string =>
  `Arista Networks EOS version ${version} running on an Arista Networks ${hardware.model}`

/** True when the switch runs this release or a later one. */
export const isAtLeast = (device: Switch, major: number, minor: number): boolean => {
  const [first = 0, second = 0] = device.version.split(".").map(Number)
  return first > major || (first === major && second >= minor)
}
