/** The ports of a switch as its front has them, and what each shows in a layer. Pure. */
import { speed } from "../../../../src/domain/words/Units.ts"
import { inSentence, textOf } from "../../../../src/domain/words/Word.ts"
import { configTypeWords } from "../../../../src/domain/words/DeviceWords.ts"
import type { Data } from "../../../../src/api/Calls.ts"
import { isEditable, isEnabled, type StoredPort, vlanOf } from "./edits.ts"

export type Readings = Data<"GET /device/:hostname/port_readings">
export type PortReading = Readings["ports"][string]

export const LAYERS = ["vlan", "speed", "errors"] as const
export type Layer = (typeof LAYERS)[number]

/** What a port shows: an entry of the key with its colour, a variable without its prefix, and how the cell is filled. */
export interface Shown {
  /** The entry of the key. */
  readonly entry: string
  readonly colour: string
  readonly fill: "filled" | "hollow" | "striped"
  readonly mark: "off" | "errors" | null
}

const UP = "filled"
const QUIET = "fill-quiet"
/** Colours of VLANs in the order of the settings; further ones are grey. */
const VLAN_COLOURS = ["vlan-1", "vlan-2", "vlan-3", "vlan-4", "vlan-5", "vlan-6"] as const

export const errorsOf = (reading: PortReading | undefined): number =>
  (reading?.errors?.in ?? 0) + (reading?.errors?.out ?? 0)

/** In words: `Up, 1 Gb/s`. */
export const stateOf = (port: StoredPort, reading: PortReading | undefined): string => {
  if (reading === undefined) return isEnabled(port) ? "Not read" : "Off"
  if (reading.is_enabled === false) return "Off"
  if (reading.is_up === null) return "Not known"
  return reading.is_up ? "Up" : "Nothing connected"
}

export const useOf = (port: StoredPort): string => vlanOf(port) || textOf(configTypeWords, port.configtype)

const vlanShown = (port: StoredPort, vlans: ReadonlyArray<string>): Pick<Shown, "colour" | "entry"> => {
  const use = useOf(port)
  if (!isEditable(port)) return { entry: inSentence(use), colour: "text2" }
  if (vlanOf(port) === "") return { entry: inSentence(use), colour: QUIET }
  return { entry: use, colour: VLAN_COLOURS[vlans.indexOf(use)] ?? QUIET }
}

const speedColour = (megabits: number): string => {
  if (megabits >= 10_000) return "vlan-4"
  if (megabits >= 2500) return "vlan-5"
  if (megabits >= 1000) return "fill-good"
  return megabits >= 100 ? "fill-warn" : "fill-bad"
}

/** What a port shows in a layer. `vlans`: their names in the order of the settings. */
export const shownOf = (
  layer: Layer,
  port: StoredPort,
  reading: PortReading | undefined,
  vlans: ReadonlyArray<string>
): Shown => {
  const isOff = reading === undefined ? !isEnabled(port) : reading.is_enabled === false
  const mark = isOff ? "off" : errorsOf(reading) > 0 ? "errors" : null
  if (isOff) return { entry: "off", colour: QUIET, fill: "striped", mark }
  if (layer === "vlan") {
    const shown = vlanShown(port, vlans)
    return { ...shown, fill: reading === undefined || reading.is_up === true ? UP : "hollow", mark }
  }
  if (reading === undefined) return { entry: "not read", colour: QUIET, fill: "hollow", mark }
  if (reading.is_up !== true) return { entry: "nothing connected", colour: QUIET, fill: "hollow", mark }
  if (layer === "speed") {
    if (reading.speed === null || reading.speed === 0) return { entry: "not known", colour: QUIET, fill: UP, mark }
    return { entry: speed(reading.speed), colour: speedColour(reading.speed), fill: UP, mark }
  }
  if (reading.errors === undefined) return { entry: "not read", colour: QUIET, fill: UP, mark }
  return errorsOf(reading) > 0
    ? { entry: "errors", colour: "fill-warn", fill: UP, mark }
    : { entry: "no errors", colour: "fill-good", fill: UP, mark }
}

/** Layers that the readings have values for. */
export const layersIn = (readings: Readings["ports"] | undefined): ReadonlyArray<Layer> => {
  const all = Object.values(readings ?? {})
  return LAYERS.filter(
    (layer) =>
      layer === "vlan" ||
      (layer === "speed" ? all.some(({ speed }) => speed !== null) : all.some(({ errors }) => errors !== undefined))
  )
}

/** `Ethernet12` → `12`, `Ethernet1/3` → `1/3`. */
export const shortName = (name: string): string => name.replace(/^[A-Za-z-]+/, "") || name

/** The name with the number as a word of its own, as the button shows it: who commands the page by voice says what is seen. */
export const spokenName = (name: string): string => name.replace(/^([A-Za-z-]+)(?=.)/, "$1 ")

const PER_BLOCK = 12

/** Everything before the last number of a name: ports of one module or member stand together. */
const moduleOf = (name: string): string => name.replace(/\d+$/, "")

/** The ports in blocks of twelve; those between switches at the end of the front stand apart. */
export const blocksOf = (ports: ReadonlyArray<StoredPort>): ReadonlyArray<ReadonlyArray<StoredPort>> =>
  [...Map.groupBy(ports, ({ name }) => moduleOf(name)).values()].flatMap((module) => {
    const last = module.findLastIndex((port) => isEditable(port)) + 1
    const parts = [module.slice(0, last), module.slice(last)]
    return parts.flatMap((part) =>
      Array.from({ length: Math.ceil(part.length / PER_BLOCK) }, (_, block) =>
        part.slice(block * PER_BLOCK, (block + 1) * PER_BLOCK)
      )
    )
  })

/** The port that a key leads to: columns left and right, and the other port of a column up and down. Undefined where the front ends. */
export const neighbourOf = (
  blocks: ReadonlyArray<ReadonlyArray<StoredPort>>,
  name: string,
  key: string
): string | undefined => {
  const columns = blocks.flatMap((block) =>
    Array.from({ length: Math.ceil(block.length / 2) }, (_, column) => block.slice(column * 2, column * 2 + 2))
  )
  const at = columns.findIndex((column) => column.some((port) => port.name === name))
  const row = columns[at]?.findIndex((port) => port.name === name) ?? -1
  if (at < 0) return undefined
  const to = (column: ReadonlyArray<StoredPort> | undefined, wanted: number) => (column?.[wanted] ?? column?.[0])?.name
  switch (key) {
    case "ArrowLeft":
      return at === 0 ? undefined : to(columns[at - 1], row)
    case "ArrowRight":
      return to(columns[at + 1], row)
    case "ArrowUp":
      return to(columns[at], 0)
    case "ArrowDown":
      return to(columns[at], 1)
    case "Home":
      return to(columns[0], 0)
    case "End":
      return to(columns.at(-1), 1)
    default:
      return undefined
  }
}

/** Entries of the key with the number of their ports, in the order of the ports. */
export const keyOf = (shown: ReadonlyArray<Shown>): ReadonlyArray<Shown & { readonly count: number }> =>
  [...Map.groupBy(shown, ({ entry }) => entry).values()].flatMap((all) =>
    all[0] === undefined ? [] : [{ ...all[0], fill: all[0].mark === "off" ? "striped" : UP, count: all.length }]
  )
