/**
 * A port of an access switch: its record (docs/api.md#ports-of-a-device), what clients may write about it, and the changes that
 * a request makes to one port (docs/api.md#changing-ports). Pure; the caller supplies the VLANs and VXLANs of the device.
 */
import { Result, Schema } from "effect"
import * as Body from "./fields/Body.ts"
import { optional, otherwise, required, type Rule, sentencesOf } from "./fields/Body.ts"
import { noSuchField } from "./fields/KnownNames.ts"
import * as Rules from "./fields/Rules.ts"
import { isFalsy, isObject, type JsonObject, lengthOf, own, shown } from "./fields/Values.ts"
import { isHostname } from "./Network.ts"
import { faultText, valueFaults } from "./Text.ts"
import { isDeepStrictEqual } from "node:util"
import { refusalText, refusedLines } from "./CandidateGate.ts"
import { platformOf } from "./platforms/Platforms.ts"

/** The use of a port. */
export const configTypes = [
  "UNKNOWN",
  "UNMANAGED",
  "CONFIGFILE",
  "CUSTOM",
  "TEMPLATE",
  "ACCESS_AUTO",
  "ACCESS_UNTAGGED",
  "ACCESS_TAGGED",
  "ACCESS_UPLINK",
  "ACCESS_DOWNLINK",
  "MLAG_PEER"
] as const
export const ConfigType = Schema.Literals(configTypes).annotate({ identifier: "ConfigType" })
export type ConfigType = typeof ConfigType.Type

/** Free-form data of a port: VLAN names, description, neighbour and so on; the API decides which keys it accepts. */
export const InterfaceData = Schema.Record(Schema.String, Schema.Unknown)
export type InterfaceData = typeof InterfaceData.Type

/** One port; names are unique per device. */
export const Interface = Schema.Struct({
  device_id: Schema.Int,
  name: Schema.String,
  configtype: ConfigType,
  data: Schema.NullOr(InterfaceData)
})
export type Interface = typeof Interface.Type

const NUMBERED = /^[a-zA-Z-]*([0-9]+\/?)([0-9]+\/?)?([0-9]+\/?)?([0-9]+\/?)?$/

/**
 * The sort number of an interface name: each of its one to four numbers plus one, in base 100, the last the least
 * significant (`Ethernet1` 2, `ge-0/0/23` 10124); 0 for a name without them.
 */
export const indexNumber = (name: string): number => {
  const match = NUMBERED.exec(name)
  if (match === null) return 0
  return match
    .slice(1)
    .filter((part) => part !== undefined)
    .reduce((sum, part) => sum * 100 + Number.parseInt(part, 10) + 1, 0)
}

// The fields that clients may write about the ports of an access switch (docs/api.md#changing-ports): each port and each key is
// judged separately, null removes a key, and an unknown key is refused without the others. The VLANs and VXLANs of the device are checked below.

const MAX_DESCRIPTION = 64
const MAX_TEXT = 65_536
/** The longest list. */
const MAX_ELEMENTS = 4096

const className = (value: unknown): string => {
  if (typeof value === "string") return "<class 'str'>"
  if (typeof value === "boolean") return "<class 'bool'>"
  if (typeof value === "number") return Number.isInteger(value) ? "<class 'int'>" : "<class 'float'>"
  return "<class 'dict'>"
}

const nullable = <S extends Schema.Top>(value: S, rule: Rule<S["Type"]>, wire: Schema.Top = value) =>
  optional<Schema.NullOr<S>>(Schema.NullOr(value), Rules.orNull(rule), Schema.NullOr(wire))

/** Checked against the device's settings later, so any value passes here. */
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

/** Texts deeper within the elements are single lines too, whatever their keys are. */
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

/** The data of a port. Null removes a key. */
export const PortData = Body.make(
  {
    untagged_vlan: asked(Vlan),
    tagged_vlan_list: list(Number.POSITIVE_INFINITY, Vlan),
    vxlan: asked(Schema.String),
    neighbor: nullable(
      Schema.String,
      Rules.accept(isHostname, ({ sent }) => `Neighbor must be valid hostname, got: ${shown(sent)}`)
    ),
    neighbor_id: integer((value) => `Neighbor_id must be valid integer, got: ${value}`),
    // empty text means no description
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
  },
  { identifier: "InterfaceData" }
)
export type PortData = typeof PortData.part.Type

/** The refusal of a port, or of its data, with a type other than an object. */
export const NO_OBJECT = "Each interface must have a dict with data to update"

const isNothing = (sent: unknown): boolean => isFalsy(sent) || (isObject(sent) && Object.keys(sent).length === 0)

/** Null and `{}` both remove all data. */
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

/** One port. Without a configtype (null) and without data it changes nothing. */
const SentPort = Body.make(
  {
    configtype: otherwise(Schema.NullOr(ConfigType), null, Rules.falsyAsNull(configtype)),
    data: optional(Schema.NullOr(PortData.part), data, Schema.NullOr(PortData.wire))
  },
  { identifier: "InterfaceChange" }
)
type SentPort = typeof SentPort.part.Type

const inPort = Object.keys(SentPort.wire.fields)
const inData = Object.keys(PortData.wire.fields)

/** The known keys of an object, and a sentence about each other one. */
const split = (sent: JsonObject, known: ReadonlyArray<string>, where: string) => ({
  known: Object.fromEntries(Object.entries(sent).filter(([key]) => known.includes(key))),
  faults: Object.keys(sent)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}${noSuchField(key, known)}`)
})

/** Each key of a port is judged separately, so unknown ones do not stop the others. */
const portOf = (name: string, sent: JsonObject): SentPort => {
  const port = split(sent, inPort, `Interface ${name}: `)
  const sentData = own(sent, "data")
  const data = isObject(sentData) ? split(sentData, inData, `Interface ${name}: data.`) : undefined
  const faults = [...(data?.faults ?? []), ...port.faults]
  if (faults.length === 0) return SentPort.check(sent)
  const { data: _, ...beside } = port.known
  // an object whose keys are all unknown is not the empty one that removes all data
  const isEmptied = data !== undefined && data.faults.length > 0 && Object.keys(data.known).length === 0
  const known = isEmptied ? beside : data === undefined ? port.known : { ...beside, data: data.known }
  return SentPort.check(known).refuse("", faults)
}

/** The body of PUT interfaces: ports by name, each with its refusals; null for an entry with a type other than an object. */
export const PortChanges = Body.make(
  {
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
  },
  { identifier: "InterfaceChanges" }
)

// The changes that a request makes to one port, and their refused parts (docs/api.md#changing-ports). Pure; the caller supplies
// the VLANs and VXLANs of the device.

/** The names to which values may refer. */
export interface PortContext {
  readonly hostname: string
  readonly platform: string | null
  /** Names of VLANs, and keys of VXLANs, which name their VLAN as well. */
  readonly vlanNames: ReadonlySet<string>
  readonly vxlans: ReadonlySet<string>
}

/** The new state of a port, which of its two parts differ from the stored ones, and the refusals. */
export interface PortChange {
  readonly configtype: ConfigType
  readonly data: InterfaceData | null
  readonly configtypeChanged: boolean
  readonly dataChanged: boolean
  readonly errors: ReadonlyArray<string>
}

/** Keys whose values refer to the settings of the device. */
const REFERRING = ["untagged_vlan", "tagged_vlan_list", "vxlan"] as const

/** True when a change names VLANs or VXLANs, so that the caller must read the settings. */
export const refersToSettings = (sent: SentPort | null): boolean => {
  const data = sent?.fields.data?.fields
  return data !== undefined && REFERRING.some((key) => (data[key] ?? null) !== null)
}

/** A VLAN is named, or given by a number, which is not checked. */
const isVlan = (value: unknown, { vlanNames }: PortContext): boolean =>
  typeof value === "string"
    ? value !== "" && vlanNames.has(value)
    : typeof value === "number" && Number.isSafeInteger(value) && value !== 0

/** Why a value of these keys does not fit the device's settings. */
const problems: Readonly<
  Record<(typeof REFERRING)[number], (value: unknown, context: PortContext) => string | undefined>
> = {
  untagged_vlan: (value, context) =>
    isVlan(value, context) ? undefined : `Specified VLAN name ${shown(value)} is not present in ${context.hostname}`,
  tagged_vlan_list: (value, context) => {
    const names: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
    const absent = names.filter((vlan) => !isVlan(vlan, context))
    return absent.length === 0 && names.length <= MAX_ELEMENTS
      ? undefined
      : `Some VLAN names ${absent.map(shown).join(", ")} are not present in ${context.hostname}`
  },
  vxlan: (value, { hostname, vxlans }) =>
    typeof value === "string" && vxlans.has(value)
      ? undefined
      : `Specified VXLAN ${shown(value)} is not present in ${hostname}`
}

const withSettings = (sent: PortData, context: PortContext): PortData =>
  REFERRING.reduce((checked, key) => {
    const value = sent.fields[key] ?? null
    const problem = value === null ? undefined : problems[key](value, context)
    return problem === undefined ? checked : checked.refuse(key, problem)
  }, sent)

/** Every text within a value, at any depth. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.entries(value).flatMap(([key, part]) => [key, ...textsIn(part)]) : []
}

const hasLines = (key: string, value: unknown): boolean =>
  key === "cli_append_str"
    ? textsIn(value).some((text) => text !== "")
    : textsIn(value).some((text) => /[\r\n\u0085\u2028\u2029]/.test(text.trim()))

const ALL_DATA = ""

/**
 * The keys, each with a point before it, by which a change adds free lines to the configuration of a port, removes them, or
 * tries to; an empty text stands for all data of the port. `shown` are the stored data as the API shows them to their reader:
 * values equal to these are no change. The stored data themselves are not compared, because the answer would reveal a correct
 * guess of a hidden secret.
 */
export const freeFields = ({ fields: { data } }: SentPort, shown: InterfaceData | null): ReadonlyArray<string> => {
  if (data === undefined) return []
  const isStored = (key: string) => hasLines(key, shown?.[key])
  if (data === null) return Object.keys(shown ?? {}).some(isStored) ? [ALL_DATA] : []
  const given: JsonObject = data.fields
  return [...new Set([...Object.keys(given), ...data.refusals.keys()])]
    .filter((key) => {
      if (data.refusals.has(key)) return key === "cli_append_str"
      const isSame = isDeepStrictEqual(shown?.[key] ?? null, given[key] ?? null)
      return !isSame && (hasLines(key, given[key]) || isStored(key))
    })
    .map((key) => `.${key}`)
}

/** The lines that a value adds to the section of its port, in addition to the words that a template puts before it. */
const linesOf = (key: "cli_append_str" | "description" | "tags", value: unknown): string => {
  const lines = textsIn(value).map((text) => text.trim())
  return lines.map((text) => (key === "cli_append_str" ? text : text.replace(/^.*/, ""))).join("\n")
}

/** Removes values with lines that are not configuration, or that leave the section of the port. */
const withoutCommands = (sent: PortData, { platform: name }: PortContext): PortData => {
  const platform = platformOf(name)
  if (platform === undefined) return sent
  return (["cli_append_str", "description", "tags"] as const).reduce((checked, key) => {
    const text = linesOf(key, sent.fields[key])
    const [first] = text === "" ? [] : refusedLines(platform, text, { inPort: true })
    return first === undefined ? checked : checked.refuse(key, `${key}: ${refusalText(first)}`)
  }, sent)
}

interface MergedPort {
  readonly data: InterfaceData | null
  readonly errors: ReadonlyArray<string>
}

/** The stored data with the valid keys merged in, and the refusals of the others. */
const merge = (stored: InterfaceData | null, sent: PortData, context: PortContext): MergedPort => {
  const checked = withoutCommands(withSettings(sent, context), context)
  const data = new Map(Object.entries(stored ?? {}))
  for (const [key, value] of Object.entries(checked.fields)) {
    if (checked.refusals.has(key)) continue
    if (value === null) data.delete(key)
    else data.set(key, value)
  }
  return { data: Object.fromEntries(data), errors: sentencesOf(checked.refusals) }
}

const isEmpty = (data: InterfaceData | null): boolean => isObject(data) && Object.keys(data).length === 0

const dataOf = (stored: InterfaceData | null, sent: PortData | null | undefined, context: PortContext): MergedPort => {
  if (sent === undefined) return { data: stored, errors: [] }
  // an empty value needs no change
  return sent === null ? { data: isEmpty(stored) ? stored : null, errors: [] } : merge(stored, sent, context)
}

/** The refusals of a sent entry by key, `configtype` or a key of the data. */
export const portRefusals = (sent: SentPort, context: PortContext): Body.Refusals => {
  const data = sent.fields.data
  const checked =
    data === undefined || data === null ? undefined : withoutCommands(withSettings(data, context), context)
  return new Map([...sent.refusals, ...(checked?.refusals ?? [])])
}

/** Applies the sent entry of a port to the stored one. */
export const changePort = (port: Interface, sent: SentPort, context: PortContext): PortChange => {
  const configtype = sent.fields.configtype ?? port.configtype
  const { data, errors } = dataOf(port.data, sent.fields.data, context)
  return {
    configtype,
    data,
    configtypeChanged: configtype !== port.configtype,
    // a key set to null that has no data is no change either
    dataChanged: !isDeepStrictEqual(data, port.data) && !(port.data === null && isEmpty(data)),
    errors: [...sentencesOf(sent.refusals), ...errors]
  }
}
