/** What a switch is (docs/switch-dialogues.md#eos-reading and docs/switch-dialogues.md#facts). */
import { Clock, Effect } from "effect"
import { eos } from "../../domain/platforms/Eos.ts"
import { compareNames, isSubinterface } from "../../domain/platforms/InterfaceNames.ts"
import type { ShownIdentity } from "../../domain/DeviceIdentity.ts"
import type { DriverTarget } from "../Driver.ts"
import type { Facts } from "../Readings.ts"
import type { Cli } from "../ssh/Cli.ts"
import { readJson, remarked, unexpected } from "./Answers.ts"
import { AnyObject, type Json, Missing, numberIn, objectIn, textIn } from "./Fields.ts"

/** The fields that are read, each by the names that it has had. */
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

/** What is asked at the login. */
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

/** What the answers to these questions say. */
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
