/** Models of Junos switches, their ports by member, and what depends on the release. */
import { createHash } from "node:crypto"
import type { Hardware } from "../eos/Hardware.ts"

interface Model {
  readonly access: number
  /** Name of the access ports. */
  readonly kind: "ge" | "mge" | "xe" | "et"
  readonly uplinks: number
  readonly uplinkKind: "xe" | "et"
  readonly uplinkPic: number
  readonly megabits: number
  readonly poe: boolean
  readonly management: string
}

const access = (ports: number, poe: boolean): Model => ({
  access: ports,
  kind: "ge",
  uplinks: 4,
  uplinkKind: "xe",
  uplinkPic: 1,
  megabits: 1000,
  poe,
  management: "me0"
})

const MODELS: Readonly<Record<string, Model>> = {
  "EX2300-C-12P": { ...access(12, true), uplinks: 2 },
  "EX2300-48T": access(48, false),
  "EX2300-48P": access(48, true),
  "EX3400-48P": { ...access(48, true), uplinkPic: 2 },
  "EX4200-48T": access(48, false),
  "EX4300-48P": { ...access(48, true), uplinkKind: "et" },
  "EX4400-48P": { ...access(48, true), uplinkPic: 2 },
  "EX4600-40F": {
    ...access(24, false),
    kind: "xe",
    uplinkKind: "et",
    uplinkPic: 2,
    megabits: 10_000,
    management: "em0"
  },
  EX9208: { ...access(40, false), uplinks: 0, management: "fxp0" },
  EX9214: { ...access(20, false), uplinks: 10, management: "fxp0", uplinkPic: 0 },
  "QFX5100-48S": {
    ...access(48, false),
    kind: "xe",
    uplinks: 6,
    uplinkKind: "et",
    uplinkPic: 0,
    megabits: 10_000,
    management: "em0"
  },
  "QFX5120-48Y": {
    ...access(48, false),
    kind: "xe",
    uplinks: 8,
    uplinkKind: "et",
    uplinkPic: 0,
    megabits: 10_000,
    management: "em0"
  }
}

/** What a node without a model is. */
export const DEFAULT_MODEL = "EX3400-48P"

/** The release of a node without one. */
export const DEFAULT_VERSION = "21.4R3-S5.4"

const portsOf = (model: Model, members: number): ReadonlyArray<string> => [
  ...Array.from({ length: Math.max(1, members) }, (_, member) => [
    ...Array.from({ length: model.access }, (_port, index) => `${model.kind}-${member}/0/${index}`),
    ...Array.from({ length: model.uplinks }, (_port, index) =>
      model.uplinkPic === 0
        ? `${model.uplinkKind}-${member}/0/${model.access + index}`
        : `${model.uplinkKind}-${member}/${model.uplinkPic}/${index}`
    )
  ]).flat(),
  model.management
]

const MACS_PER_BOX = 256

/** The hardware of one node, as `../eos/Hardware.ts` makes it for another platform. */
export const make = (options: {
  readonly name: string
  readonly index: number
  readonly model?: string | undefined
  readonly mac?: string | undefined
  readonly serial?: string | undefined
  readonly ports?: number | undefined
  readonly members: number
  readonly linked: ReadonlyArray<string>
}): Hardware => {
  const name = options.model ?? DEFAULT_MODEL
  const known = MODELS[name] ?? access(48, false)
  const model = options.ports === undefined ? known : { ...known, access: options.ports }
  const digest = createHash("sha256").update(options.name).digest("hex")
  const tail = (options.index * MACS_PER_BOX).toString(16).padStart(6, "0")
  const standard = portsOf(model, options.members)
  return {
    model: name,
    description: `Juniper ${name}`,
    mac: options.mac?.toLowerCase() ?? `f4:cc:55:${tail.slice(0, 2)}:${tail.slice(2, 4)}:${tail.slice(4, 6)}`,
    serial: options.serial ?? `NV${digest.slice(0, 10).toUpperCase()}`,
    poe: model.poe,
    megabits: model.megabits,
    ports: [...standard, ...options.linked.filter((port) => !standard.includes(port))]
  }
}

/** Serial number of a member of the virtual chassis. */
export const serialOf = ({ serial }: Hardware, member: number): string =>
  member === 0 ? serial : `${serial.slice(0, -2)}${String(member).padStart(2, "0")}`

/** The way topologies write a port: `eth1` is the first port of the first card, `ge-0/0/0`. */
export const portName = (name: string): string => {
  const [, number] = /^eth(\d+)$/.exec(name) ?? []
  return number === undefined ? name : `ge-0/0/${Number(number) - 1}`
}

/** True for a port of the management network. */
export const isManagement = (port: string): boolean => /^(?:me|em|fxp|vme)\d*(?:\.\d+)?$/.test(port)

/** True for a port that a cable or an optic goes into. */
export const isPhysical = (port: string): boolean => /^(?:ge|mge|xe|et)-\d+\/\d+\/\d+$/.test(port)

/** Name of the image of a release, as its package names it. */
export const imageOf = (version: string): string => `junos-arm-32-${version}.tgz`

/** The release that an image has in its name. */
export const versionOf = (image: string): string | undefined =>
  /-(\d+\.\d+[A-Z]\d+(?:-[SD]\d+)?(?:\.\d+)?)\.tgz$/.exec(image)?.[1]

/** The system description over LLDP. */
export const systemDescription = (model: string, version: string): string =>
  `Juniper Networks, Inc. ${model.toLowerCase()} Ethernet Switch, kernel JUNOS ${version}, Build date: 2022-11-23 21:06:06 UTC Copyright (c) 1996-2022 Juniper Networks, Inc.`
