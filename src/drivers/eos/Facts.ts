/** What a switch is (docs/switch-dialogues.md#eos-reading and docs/switch-dialogues.md#facts). */
import { Clock, Effect, Schema } from "effect"
import { eos } from "../../domain/platforms/Eos.ts"
import { compareNames, isSubinterface } from "../../domain/platforms/InterfaceNames.ts"
import type { Facts } from "../Readings.ts"
import type { Cli } from "../ssh/Cli.ts"
import { readJson } from "./Answers.ts"
import { ShowInterfaces } from "./Interfaces.ts"

export const ShowVersion = Schema.Struct({
  modelName: Schema.String,
  serialNumber: Schema.String,
  version: Schema.String,
  internalVersion: Schema.optionalKey(Schema.String),
  bootupTimestamp: Schema.optionalKey(Schema.Finite),
  uptime: Schema.optionalKey(Schema.Finite)
})
export type ShowVersion = typeof ShowVersion.Type

export const ShowHostname = Schema.Struct({ hostname: Schema.String, fqdn: Schema.String })

/** Seconds since the start; `now` in epoch seconds, for releases that give the boot time only. */
export const uptimeOf = (version: ShowVersion, now: number): number =>
  version.uptime ?? (version.bootupTimestamp === undefined ? 0 : now - version.bootupTimestamp)

/** The record from the three answers; `now` in epoch seconds. */
export const factsOf = (
  version: ShowVersion,
  name: typeof ShowHostname.Type,
  interfaces: ShowInterfaces,
  now: number
): Facts => ({
  hostname: name.hostname,
  fqdn: name.fqdn,
  vendor: eos.vendor,
  model: version.modelName,
  serial_number: version.serialNumber,
  os_version: version.internalVersion ?? version.version,
  uptime: uptimeOf(version, now),
  interface_list: Object.keys(interfaces.interfaces)
    .filter((interfaceName) => !isSubinterface(interfaceName))
    .toSorted(compareNames)
})

const nowSeconds = Effect.map(Clock.currentTimeMillis, (millis) => millis / 1000)

/** See `DriverSession.facts`. */
export const facts = Effect.fnUntraced(function* (cli: Cli) {
  const version = yield* readJson(cli, "show version", ShowVersion)
  const name = yield* readJson(cli, "show hostname", ShowHostname)
  const shown = yield* readJson(cli, "show interfaces", ShowInterfaces)
  return factsOf(version, name, shown, yield* nowSeconds)
})
