/**
 * What clients may write about the ports of an access switch (docs/api.md#changing-ports): each port and each key on its own,
 * null removes a key, keys that nobody knows are ignored. Which VLANs and VXLANs a device has is asked in `PortChange.ts`.
 */
import { Result, Schema } from "effect"
import * as Body from "./fields/Body.ts"
import { optional, otherwise, required, type Rule } from "./fields/Field.ts"
import * as Rules from "./fields/Rules.ts"
import { isFalsy, isObject, type JsonObject, lengthOf, own, shown } from "./fields/Values.ts"
import { isHostname } from "./Hostname.ts"
import { faultText, valueFaults } from "./Text.ts"
import { ConfigType, configTypes } from "./Interface.ts"

const MAX_DESCRIPTION = 64
const MAX_TEXT = 65_536
/** The longest list. */
export const MAX_ELEMENTS = 4096

const className = (value: unknown): string => {
  if (typeof value === "string") return "<class 'str'>"
  if (typeof value === "boolean") return "<class 'bool'>"
  if (typeof value === "number") return Number.isInteger(value) ? "<class 'int'>" : "<class 'float'>"
  return "<class 'dict'>"
}

const nullable = <S extends Schema.Top>(value: S, rule: Rule<S["Type"]>, wire: Schema.Top = value) =>
  optional<Schema.NullOr<S>>(Schema.NullOr(value), Rules.orNull(rule), Schema.NullOr(wire))

/** Asked with the device's settings, so that any value passes here. */
const asked = (wire: Schema.Top) => nullable(Schema.Unknown, (sent) => Result.succeed(sent), wire)

const Vlan = Schema.Union([Schema.String, Schema.Int])

const integer = (name: (value: string) => string) =>
  nullable(
    Schema.Int,
    Rules.accept(
      (sent): sent is number => Number.isSafeInteger(sent),
      ({ sent }) => name(shown(sent))
    )
  )

const flag = (name: string) =>
  nullable(
    Schema.Boolean,
    Rules.flag(({ sent }) => `${name} must be a bool, true or false, got: ${shown(sent)}`)
  )

/** Texts further within the elements are those of one line too, whatever the keys are that they stand behind. */
const withoutLines =
  (rule: Rule<ReadonlyArray<unknown>>): Rule<ReadonlyArray<unknown>> =>
  (sent, place) => {
    const faults = Array.isArray(sent) ? valueFaults(sent, "line", () => "line") : []
    const fault = faults.find(({ path }) => path.length > 1)
    return fault === undefined
      ? rule(sent, place)
      : Result.fail(faultText({ ...fault, path: [place.key, ...fault.path] }))
  }

const list = (max: number, wire: Schema.Top) =>
  nullable(
    Schema.Array(Schema.Unknown),
    withoutLines(
      Rules.accept(
        (sent): sent is ReadonlyArray<unknown> => Array.isArray(sent) && sent.length <= max,
        ({ key, sent }) => `${key} should be of type list, found ${className(sent)}`
      )
    ),
    Schema.Array(wire)
  )

const text = (isShort: (sent: string) => boolean, rule: string) =>
  Rules.accept(
    (sent): sent is string => typeof sent === "string" && isShort(sent),
    ({ sent }) => `${rule}, got: ${shown(sent)}`
  )

/** The data of a port. Null says that a key goes. */
export const PortData = Body.make({
  untagged_vlan: asked(Vlan),
  tagged_vlan_list: list(Number.POSITIVE_INFINITY, Vlan),
  vxlan: asked(Schema.String),
  neighbor: nullable(
    Schema.String,
    Rules.accept(isHostname, ({ sent }) => `Neighbor must be valid hostname, got: ${shown(sent)}`)
  ),
  neighbor_id: integer((value) => `Neighbor_id must be valid integer, got: ${value}`),
  // empty text says the same as no description
  description: optional(
    Schema.NullOr(Schema.String),
    Rules.emptyAsNull(
      text(
        (sent) => lengthOf(sent) <= MAX_DESCRIPTION,
        `Description must be a string of 0-${MAX_DESCRIPTION} characters`
      )
    )
  ),
  enabled: flag("Enabled"),
  aggregate_id: integer((value) => `Aggregate ID must be an integer: ${value}`),
  bpdu_filter: flag("bpdu_filter"),
  redundant_link: flag("redundant_link"),
  tags: list(MAX_ELEMENTS, Schema.String),
  cli_append_str: nullable(
    Schema.String,
    text((sent) => sent.length <= MAX_TEXT, "cli_append_str must be a string")
  )
})
export type PortData = typeof PortData.part.Type

/** What is said of a port, or of its data, that is no object. */
export const NO_OBJECT = "Each interface must have a dict with data to update"

const isNothing = (sent: unknown): boolean => isFalsy(sent) || (isObject(sent) && Object.keys(sent).length === 0)

/** Null and `{}` both say that all data goes. */
const data: Rule<PortData | null> = (sent) => {
  if (isNothing(sent)) return Result.succeed(null)
  return isObject(sent) ? Result.succeed(PortData.check(sent)) : Result.fail(NO_OBJECT)
}

const configtype: Rule<ConfigType> = (sent) => {
  if (typeof sent !== "string") return Result.fail("configtype is not a string")
  const name = sent.toUpperCase()
  const known = configTypes.find((type) => type === name)
  return known === undefined ? Result.fail(`Invalid configtype received: ${name}`) : Result.succeed(known)
}

/** One port. Without a configtype (null) and without data it says nothing. */
export const SentPort = Body.make({
  configtype: otherwise(Schema.NullOr(ConfigType), null, Rules.falsyAsNull(configtype)),
  data: optional(Schema.NullOr(PortData.part), data, Schema.NullOr(PortData.wire))
})
export type SentPort = typeof SentPort.part.Type

const MAX_SHOWN = 64
const abbreviated = (key: string): string => (key.length > MAX_SHOWN ? `${key.slice(0, MAX_SHOWN)}…` : key)

const isDataKey = (key: string): boolean => Object.hasOwn(PortData.wire.fields, key)

/** The keys of an entry that says nothing but unknown ones; empty when it says anything that can be understood. */
const unknownKeys = (sent: JsonObject): ReadonlyArray<string> => {
  const sentData = own(sent, "data")
  const inData = isObject(sentData) ? Object.keys(sentData) : []
  const isSaid = !isFalsy(own(sent, "configtype") ?? null) || (Object.hasOwn(sent, "data") && inData.length === 0)
  if (isSaid || inData.some(isDataKey)) return []
  const beside = Object.keys(sent).filter((key) => key !== "configtype" && key !== "data")
  return [...inData.map((key) => `data.${key}`), ...beside].map(abbreviated)
}

const portOf = (name: string, sent: JsonObject): SentPort => {
  const unknown = unknownKeys(sent)
  if (unknown.length === 0) return SentPort.check(sent)
  const sentence = `Interface ${name} is unchanged, because these keys are unknown: ${unknown.join(", ")}`
  return SentPort.check({}).refuse("", sentence)
}

/** The body of PUT interfaces: ports by name, each with what is wrong with it; null for one that is no object. */
export const PortChanges = Body.make({
  interfaces: required(
    Schema.Record(Schema.String, Schema.NullOr(SentPort.part)),
    () => "interfaces must be an object",
    (sent) =>
      isObject(sent)
        ? Result.succeed(
            Object.fromEntries(
              Object.entries(sent).map(([name, port]) => [name, isObject(port) ? portOf(name, port) : null])
            )
          )
        : Result.fail("interfaces must be an object"),
    Schema.Record(Schema.String, SentPort.wire)
  )
})
