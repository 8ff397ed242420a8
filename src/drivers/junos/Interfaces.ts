/** The states of a device's ports, and its transceivers with their light. */
import { Effect, Option } from "effect"
import type { PortErrors } from "../../domain/DeviceReadings.ts"
import { macWithColons } from "../../domain/Network.ts"
import { compareNames } from "../../domain/platforms/Platforms.ts"
import type { InterfaceState, InterfaceStates, Optics } from "../Driver.ts"
import { child, type Element, findAll, textOf } from "../netconf/Xml.ts"
import {
  firstText,
  type Junos,
  numberIn,
  partsOf,
  secondsOf,
  show,
  showIfKnown,
  textAt,
  unexpected
} from "./Answers.ts"
import { nowSeconds } from "./Facts.ts"

/** The ports of an answer with their names, in natural order; null if it has no list. */
export const portsIn = (answer: Element): ReadonlyArray<readonly [name: string, port: Element]> | null => {
  const lists = partsOf(answer, "interface-information")
  if (lists.length === 0) return null
  return lists
    .flatMap(({ element }) => findAll(element, "physical-interface"))
    .flatMap((port) => {
      const name = textAt(port, "name")
      return name === null ? [] : [[name, port] as const]
    })
    .toSorted(([one], [other]) => compareNames(one, other))
}

const FACTORS: Readonly<Record<string, number>> = { k: 0.001, m: 1, g: 1000, t: 1_000_000 }

/** Mbit/s; null for `Auto` and for what has no speed. */
export const speedOf = (text: string | null): number | null => {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([kmgt])(?:bps|b)?$/i.exec(text ?? "") ?? []
  const factor = FACTORS[unit?.toLowerCase() ?? ""]
  return number === undefined || factor === undefined ? null : Number(number) * factor
}

/** Whether a word says up; null for a word that says neither. */
const isUp = (text: string | null): boolean | null => {
  if (text === null) return null
  const word = text.toLowerCase()
  return word === "up" || word === "enabled" ? true : word === "down" || word === "disabled" ? false : null
}

/** Epoch seconds of the last change, −1 where there was none or the release does not say when. */
const flappedAt = (port: Element, now: number): number => {
  const flapped = child(port, "interface-flapped")
  const ago = secondsOf(flapped)
  return ago === null || /never/i.test(flapped?.text ?? "") ? -1 : Math.round(now - ago)
}

const addressOf = (port: Element): string =>
  Option.getOrElse(
    macWithColons(firstText(port, "current-physical-address", "hardware-physical-address") ?? ""),
    () => ""
  )

/** The counts of errors of a port; null where it counts none. */
export const errorsIn = (port: Element): { readonly [Count in keyof PortErrors]: number | null } | null => {
  const [input, output] = [child(port, "input-error-list"), child(port, "output-error-list")]
  const counts = {
    in: numberIn(textAt(input, "input-errors") ?? textAt(port, "input-error-count")),
    out: numberIn(textAt(output, "output-errors") ?? textAt(port, "output-error-count")),
    in_discards: numberIn(firstText(input, "input-drops", "input-discards")),
    out_discards: numberIn(textAt(output, "output-drops"))
  }
  return counts.in === null && counts.out === null ? null : counts
}

const stateOf = (port: Element, now: number): InterfaceState => {
  const up = isUp(textAt(port, "oper-status"))
  const counts = errorsIn(port)
  const errors =
    counts === null
      ? {}
      : {
          errors: {
            in: counts.in ?? 0,
            out: counts.out ?? 0,
            in_discards: counts.in_discards ?? 0,
            out_discards: counts.out_discards ?? 0
          }
        }
  return {
    is_up: up,
    is_enabled: isUp(textAt(port, "admin-status")) ?? (up === true ? true : null),
    description: textAt(port, "description") ?? "",
    last_flapped: flappedAt(port, now),
    mtu: numberIn(textAt(port, "mtu")),
    speed: speedOf(textAt(port, "speed")),
    mac_address: addressOf(port),
    ...errors
  }
}

/** Interfaces in natural order, without their units; null if the answer has no list. `now` in epoch seconds. */
export const interfacesOf = (answer: Element, now: number): InterfaceStates | null => {
  const ports = portsIn(answer)
  return ports === null ? null : Object.fromEntries(ports.map(([name, port]) => [name, stateOf(port, now)]))
}

const NO_LIST = "it gives no interface-information"

/** See `DriverSession.interfaces`. The extensive form alone counts errors. */
export const interfaces = Effect.fnUntraced(function* (junos: Junos) {
  const question = "get-interface-information"
  const found = interfacesOf(yield* show(junos, question, ["extensive"]), yield* nowSeconds)
  return found === null ? yield* unexpected(junos, question, NO_LIST) : found
})

// Transceivers.

/** The kind and the serial number of a transceiver. */
interface Transceiver {
  readonly media: string
  readonly serial: string
}

const placed = /^(FPC|MIC|PIC|Xcvr) (\d+)$/

/**
 * The transceivers of an inventory by the numbers in the names of their ports, such as `0/1/3`. A module in between, such as a
 * MIC, has no number there.
 */
export const transceiversIn = (inventory: Element): ReadonlyMap<string, Transceiver> => {
  const found = new Map<string, Transceiver>()
  const walk = (module: Element, around: ReadonlyArray<string>): void => {
    const [, kind, number] = placed.exec(textOf(module, "name")) ?? []
    const place = kind === undefined || number === undefined || kind === "MIC" ? around : [...around, number]
    if (kind === "Xcvr") {
      found.set(place.join("/"), {
        media: textOf(module, "description"),
        serial: textAt(module, "serial-number") ?? ""
      })
    }
    for (const inner of module.children) if (/^chassis-(?:sub-)*module$/.test(inner.name)) walk(inner, place)
  }
  for (const { element } of partsOf(inventory, "chassis")) walk(element, [])
  return found
}

/** The numbers in the name of a port: `0/1/3` of `xe-0/1/3` and of its part `xe-0/1/3:2`. */
const placeOf = (port: string): string => /^[a-z]+-([\d/]+)/.exec(port)?.[1] ?? ""

/** The smallest step of a transceiver is 0.1 µW: below it, the device shows the logarithm of nothing. */
const NO_LIGHT = -40

const lightIn = (text: string | null): number | null => {
  if (text !== null && /^-\s*inf/i.test(text)) return NO_LIGHT
  const light = numberIn(text)
  return light === null ? null : Math.max(NO_LIGHT, light)
}

const celsiusOf = (element: Element | undefined): number | null =>
  numberIn(element?.attributes.get("celsius") ?? null) ?? numberIn(element?.text.trim() ?? null)

/** The transceivers with their light by port, in natural order; ports without any are left out. Null if the answer has no list. */
export const opticsOf = (answer: Element, inventory: Element | null): Optics | null => {
  const ports = portsIn(answer)
  const known = inventory === null ? new Map<string, Transceiver>() : transceiversIn(inventory)
  if (ports === null) return null
  return Object.fromEntries(
    ports.flatMap(([name, port]) => {
      const measured = child(port, "optics-diagnostics")
      const { media = "", serial = "" } = known.get(placeOf(name)) ?? {}
      const measures = measured !== undefined && child(measured, "optic-diagnostics-not-available") === undefined
      if (!measures && media === "" && serial === "") return []
      // the lanes of one port are measured apart
      const lane = child(measured, "optics-diagnostics-lane-values")
      const read = (...names: ReadonlyArray<string>) => firstText(measured, ...names) ?? firstText(lane, ...names)
      const optics = {
        media,
        serial,
        rx_power: lightIn(read("laser-rx-optical-power-dbm", "rx-signal-avg-optical-power-dbm")),
        tx_power: lightIn(read("laser-output-power-dbm")),
        bias: numberIn(read("laser-bias-current")),
        temperature: celsiusOf(child(measured, "module-temperature") ?? child(lane, "laser-temperature"))
      }
      return [[name, optics] as const]
    })
  )
}

/** See `DriverSession.optics`. */
export const optics = Effect.fnUntraced(function* (junos: Junos) {
  const question = "get-interface-optics-diagnostics-information"
  const answer = yield* showIfKnown(junos, question)
  // a device without a cage for transceivers does not know the question
  if (answer === null) return {}
  const found = opticsOf(answer, yield* showIfKnown(junos, "get-chassis-inventory"))
  return found === null ? yield* unexpected(junos, question, NO_LIST) : found
})
