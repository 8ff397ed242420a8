/** The states of a switch's ports (docs/switch-dialogues.md#eos-reading). */
import { Effect, Option } from "effect"
import { macWithColons } from "../../domain/Network.ts"
import { eos } from "../../domain/platforms/Eos.ts"
import { compareNames, isSubinterface } from "../../domain/platforms/InterfaceNames.ts"
import type { InterfaceState } from "../Readings.ts"
import type { Cli } from "../ssh/Cli.ts"
import { readJson, remarked, unexpected } from "./Answers.ts"
import { AnyObject, isObject, type Json, Missing, type Names, numberIn, objectIn, textIn } from "./Fields.ts"

/** The fields that are read, each by the names that it has had. */
const fields = {
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
  const address = Option.getOrElse(macWithColons(textIn(found, fields.address) ?? ""), () => "")
  return address === noAddress ? "" : address
}

/** Up as one of the two states says; null when neither does. */
const isUp = (protocol: string | null, status: string | null): boolean | null => {
  if (protocol !== null) return protocol === "up"
  return status === null ? null : status === "connected"
}

/** Nothing for a port that counts no errors, such as a loopback. */
const errorsIn = (found: Json): Pick<InterfaceState, "errors"> => {
  const counters = objectIn(found, fields.counters) ?? {}
  const [inward, outward] = [numberIn(counters, fields.inErrors), numberIn(counters, fields.outErrors)]
  if (inward === null && outward === null) return {}
  const discards = {
    in_discards: numberIn(counters, fields.inDiscards) ?? 0,
    out_discards: numberIn(counters, fields.outDiscards) ?? 0
  }
  return { errors: { in: inward ?? 0, out: outward ?? 0, ...discards } }
}

const interfaceState = (found: Json): InterfaceState => {
  const status = textIn(found, fields.status)
  const up = isUp(textIn(found, fields.protocol), status)
  const bandwidth = numberIn(found, fields.bandwidth)
  return {
    is_up: up,
    is_enabled: up === true ? true : status === null ? null : status !== "disabled",
    description: textIn(found, fields.description) ?? "",
    last_flapped: numberIn(found, fields.flapped) ?? -1,
    mtu: numberIn(found, fields.mtu),
    speed: bandwidth === null ? null : bandwidth / megabit,
    mac_address: addressIn(found),
    ...errorsIn(found)
  }
}

/** What every physical port has; of others many lack an address or a bandwidth, and nobody misses them. */
const missedAt = (missing: Missing, name: string, state: InterfaceState): void => {
  if (eos.interfaces.physical?.test(name) !== true) return
  missing.seen(state.is_up, fields.protocol, name)
  missing.seen(state.is_enabled, fields.status, name)
  missing.seen(state.mtu, fields.mtu, name)
  missing.seen(state.speed, fields.bandwidth, name)
  missing.seen(state.mac_address === "" ? null : state.mac_address, fields.address, name)
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
