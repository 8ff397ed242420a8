/** The states of a switch's ports (docs/switch-dialogues.md#eos-reading). */
import { Effect, Schema } from "effect"
import { compareNames, isSubinterface } from "../../domain/platforms/InterfaceNames.ts"
import type { InterfaceState } from "../Readings.ts"
import type { Cli } from "../ssh/Cli.ts"
import { readJson } from "./Answers.ts"

const Interface = Schema.Struct({
  description: Schema.optionalKey(Schema.String),
  interfaceStatus: Schema.optionalKey(Schema.String),
  lineProtocolStatus: Schema.optionalKey(Schema.String),
  bandwidth: Schema.optionalKey(Schema.Finite),
  mtu: Schema.optionalKey(Schema.Finite),
  physicalAddress: Schema.optionalKey(Schema.String),
  lastStatusChangeTimestamp: Schema.optionalKey(Schema.Finite)
})

export const ShowInterfaces = Schema.Struct({ interfaces: Schema.Record(Schema.String, Interface) })
export type ShowInterfaces = typeof ShowInterfaces.Type

const megabit = 1_000_000

const interfaceState = (found: typeof Interface.Type): InterfaceState => {
  const isUp = found.lineProtocolStatus === "up"
  return {
    is_up: isUp,
    is_enabled: isUp || found.interfaceStatus !== "disabled",
    description: found.description ?? "",
    last_flapped: found.lastStatusChangeTimestamp ?? -1,
    mtu: found.mtu ?? 0,
    speed: (found.bandwidth ?? 0) / megabit,
    mac_address: (found.physicalAddress ?? "").toUpperCase()
  }
}

/** Interfaces in natural order, subinterfaces left out. */
export const interfacesOf = (answer: ShowInterfaces): Readonly<Record<string, InterfaceState>> =>
  Object.fromEntries(
    Object.entries(answer.interfaces)
      .filter(([name]) => !isSubinterface(name))
      .toSorted(([a], [b]) => compareNames(a, b))
      .map(([name, found]) => [name, interfaceState(found)])
  )

/** See `DriverSession.interfaces`. */
export const interfaces = (cli: Cli) => Effect.map(readJson(cli, "show interfaces", ShowInterfaces), interfacesOf)
