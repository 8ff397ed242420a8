/** Facts of a switch, the states of its ports and its transceivers (docs/switch-dialogues.md#eos-reading, docs/switch-dialogues.md#facts). */
import { Clock, Effect, Option } from "effect"
import { eos } from "../../domain/platforms/eos/Platform.ts"
import { compareNames, isSubinterface } from "../../domain/platforms/Platforms.ts"
import type { ShownIdentity } from "../../domain/DeviceIdentity.ts"
import type { DriverTarget, InterfaceState, Optics } from "../Driver.ts"
import type { Cli } from "../ssh/Cli.ts"
import {
  AnyObject,
  isObject,
  type Json,
  Missing,
  type Names,
  numberIn,
  objectIn,
  readJson,
  remarked,
  textIn,
  unexpected
} from "./Answers.ts"
import type { Facts } from "../../domain/DeviceReadings.ts"
import { macWithColons } from "../../domain/Network.ts"

/** The fields that are read, each with all its known names. */
const fields = {
  model: ["modelName"],
  serial: ["serialNumber", "serialNum"],
  /** With the build; releases without it have `version` alone. */
  version: ["internalVersion", "version"],
  uptime: ["uptime"],
  bootTime: ["bootupTimestamp", "bootupTimeStamp"],
  hostname: ["hostname"],
  fqdn: ["fqdn"],
  interfaces: ["interfaces"]
} as const

/** The answers that facts are made of. */
interface Answers {
  readonly version: Json
  readonly name: Json
  readonly interfaces: Json
}

/** The questions at the login. */
export const questionsOf = ({ identify }: DriverTarget): ReadonlyArray<string> => {
  if (identify === undefined) return []
  return identify === "serial" ? ["show version | json"] : ["show version | json", "show hostname | json"]
}

/** The texts of an answer, line by line: one that lacks a line is still understood. */
const textsOf = (answer = ""): Json =>
  Object.fromEntries(
    [...answer.matchAll(/"(\w+)":\s*("(?:[^"\\\n]|\\.)*")/g)].map(([, name = "", text = ""]) => [
      name,
      JSON.parse(text)
    ])
  )

/** The identity in the answers to these questions. */
export const shownIn = ([version, name]: ReadonlyArray<string>): ShownIdentity => ({
  serial: textIn(textsOf(version), fields.serial),
  model: textIn(textsOf(version), fields.model),
  hostname: textIn(textsOf(name), fields.hostname)
})

/** The version without what engineering builds say behind it. */
const versionIn = (version: Json): string | null => textIn(version, fields.version)?.split(" ", 1)[0] ?? null

/** Seconds since the start, or null; `now` in epoch seconds, for releases that give the boot time only. */
export const uptimeOf = (version: Json, now: number): number | null => {
  const started = numberIn(version, fields.bootTime)
  return numberIn(version, fields.uptime) ?? (started === null ? null : now - started)
}

const portsOf = (shown: Json | null): ReadonlyArray<string> | null =>
  shown === null
    ? null
    : Object.keys(shown)
        .filter((name) => !isSubinterface(name))
        .toSorted(compareNames)

/** The record from the three answers; `now` in epoch seconds. */
export const factsOf = ({ interfaces, name, version }: Answers, now: number): Facts => {
  const ofVersion = new Missing("show version")
  const ofName = new Missing("show hostname")
  const ofInterfaces = new Missing("show interfaces")
  const facts: Facts = {
    hostname: ofName.seen(textIn(name, fields.hostname), fields.hostname),
    fqdn: ofName.seen(textIn(name, fields.fqdn), fields.fqdn),
    vendor: eos.vendor,
    model: ofVersion.seen(textIn(version, fields.model), fields.model),
    serial_number: ofVersion.seen(textIn(version, fields.serial), fields.serial),
    os_version: ofVersion.seen(versionIn(version), ["version"]),
    uptime: ofVersion.seen(uptimeOf(version, now), fields.uptime),
    interface_list: ofInterfaces.seen(portsOf(objectIn(interfaces, fields.interfaces)), fields.interfaces)
  }
  const remarks = [ofVersion, ofName, ofInterfaces].flatMap((missing) => missing.remarks)
  return remarks.length === 0 ? facts : { ...facts, remarks }
}

const nowSeconds = Effect.map(Clock.currentTimeMillis, (millis) => millis / 1000)

/** See `DriverSession.facts`. */
export const facts = Effect.fnUntraced(function* (cli: Cli) {
  const version = yield* readJson(cli, "show version", AnyObject)
  // an object without any of these is an error in another form
  if (textIn(version, fields.model) === null && versionIn(version) === null) {
    const message = 'the answer to "show version" is not understood: it gives neither modelName nor version'
    return yield* unexpected(cli, "show version", message)
  }
  const name = yield* readJson(cli, "show hostname", AnyObject)
  const interfaces = yield* readJson(cli, "show interfaces", AnyObject)
  const read = factsOf({ version, name, interfaces }, yield* nowSeconds)
  yield* remarked(cli, read.remarks ?? [])
  return read
})

// The states of a switch's ports (docs/switch-dialogues.md#eos-reading).

/** The fields that are read, each with all its known names. */
const interfaceFields = {
  description: ["description"],
  status: ["interfaceStatus", "linkStatus"],
  protocol: ["lineProtocolStatus"],
  bandwidth: ["bandwidth"],
  mtu: ["mtu"],
  address: ["physicalAddress", "burnedInAddress"],
  flapped: ["lastStatusChangeTimestamp"],
  counters: ["interfaceCounters"],
  inErrors: ["totalInErrors", "inErrors"],
  outErrors: ["totalOutErrors", "outErrors"],
  inDiscards: ["inDiscards"],
  outDiscards: ["outDiscards"]
} as const satisfies Record<string, Names>

const megabit = 1_000_000

const noAddress = "00:00:00:00:00:00"

/** Upper case with colons, or empty. */
const addressIn = (found: Json): string => {
  const address = Option.getOrElse(macWithColons(textIn(found, interfaceFields.address) ?? ""), () => "")
  return address === noAddress ? "" : address
}

/** Whether the port is up, by the first of the two states that is present; null without either. */
const isUp = (protocol: string | null, status: string | null): boolean | null => {
  if (protocol !== null) return protocol === "up"
  return status === null ? null : status === "connected"
}

/** Nothing for a port that counts no errors, such as a loopback. */
const errorsIn = (found: Json): Pick<InterfaceState, "errors"> => {
  const counters = objectIn(found, interfaceFields.counters) ?? {}
  const [inward, outward] = [
    numberIn(counters, interfaceFields.inErrors),
    numberIn(counters, interfaceFields.outErrors)
  ]
  if (inward === null && outward === null) return {}
  const discards = {
    in_discards: numberIn(counters, interfaceFields.inDiscards) ?? 0,
    out_discards: numberIn(counters, interfaceFields.outDiscards) ?? 0
  }
  return { errors: { in: inward ?? 0, out: outward ?? 0, ...discards } }
}

const interfaceState = (found: Json): InterfaceState => {
  const status = textIn(found, interfaceFields.status)
  const up = isUp(textIn(found, interfaceFields.protocol), status)
  const bandwidth = numberIn(found, interfaceFields.bandwidth)
  return {
    is_up: up,
    is_enabled: up === true ? true : status === null ? null : status !== "disabled",
    description: textIn(found, interfaceFields.description) ?? "",
    last_flapped: numberIn(found, interfaceFields.flapped) ?? -1,
    mtu: numberIn(found, interfaceFields.mtu),
    speed: bandwidth === null ? null : bandwidth / megabit,
    mac_address: addressIn(found),
    ...errorsIn(found)
  }
}

/** Records missing fields of physical ports only: many other ports have no address or bandwidth. */
const missedAt = (missing: Missing, name: string, state: InterfaceState): void => {
  if (eos.interfaces.physical?.test(name) !== true) return
  missing.seen(state.is_up, interfaceFields.protocol, name)
  missing.seen(state.is_enabled, interfaceFields.status, name)
  missing.seen(state.mtu, interfaceFields.mtu, name)
  missing.seen(state.speed, interfaceFields.bandwidth, name)
  missing.seen(state.mac_address === "" ? null : state.mac_address, interfaceFields.address, name)
}

/** Interfaces in natural order, subinterfaces left out, and what their states lack. */
export const interfacesOf = (shown: Json) => {
  const missing = new Missing("show interfaces")
  const states = Object.entries(shown)
    .filter(([name]) => !isSubinterface(name))
    .toSorted(([a], [b]) => compareNames(a, b))
    .map(([name, found]) => [name, interfaceState(isObject(found) ? found : {})] as const)
  for (const [name, state] of states) missedAt(missing, name, state)
  const interfaces: Readonly<Record<string, InterfaceState>> = Object.fromEntries(states)
  return { interfaces, remarks: missing.remarks }
}

/** See `DriverSession.interfaces`. */
export const interfaces = Effect.fnUntraced(function* (cli: Cli) {
  const command = "show interfaces"
  const shown = objectIn(yield* readJson(cli, command, AnyObject), ["interfaces"])
  if (shown === null) {
    return yield* unexpected(cli, command, `the answer to "${command}" is not understood: it gives no interfaces`)
  }
  const read = interfacesOf(shown)
  yield* remarked(cli, read.remarks)
  return read.interfaces
})

// Light levels of transceivers (docs/switch-dialogues.md#eos-reading).

const opticsFields = {
  media: ["mediaType"],
  serial: ["vendorSn"],
  rx: ["rxPower"],
  tx: ["txPower"],
  bias: ["txBias"],
  temperature: ["temperature"]
} as const satisfies Record<string, Names>

/** By port in natural order; empty cages, and copper that shows nothing of itself, are left out. */
export const opticsOf = (shown: Json): Optics =>
  Object.fromEntries(
    Object.entries(shown)
      .toSorted(([one], [other]) => compareNames(one, other))
      .flatMap(([port, found]) => {
        if (!isObject(found) || Object.keys(found).length === 0) return []
        const optics = {
          media: textIn(found, opticsFields.media) ?? "",
          serial: textIn(found, opticsFields.serial) ?? "",
          rx_power: numberIn(found, opticsFields.rx),
          tx_power: numberIn(found, opticsFields.tx),
          bias: numberIn(found, opticsFields.bias),
          temperature: numberIn(found, opticsFields.temperature)
        }
        return [[port, optics] as const]
      })
  )

/** See `DriverSession.optics`. */
export const optics = Effect.fnUntraced(function* (cli: Cli) {
  const command = "show interfaces transceiver"
  const shown = objectIn(yield* readJson(cli, command, AnyObject), ["interfaces"])
  if (shown === null) {
    return yield* unexpected(cli, command, `the answer to "${command}" is not understood: it gives no interfaces`)
  }
  return opticsOf(shown)
})
