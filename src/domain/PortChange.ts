/**
 * What a request changes at one port, and which parts of it are refused (docs/api.md#changing-ports). Pure; which VLANs and
 * VXLANs a device has is given.
 */
import { isDeepStrictEqual } from "node:util"
import { refusalText, refusedLines } from "./CandidateGate.ts"
import { sentencesOf } from "./fields/Body.ts"
import { isObject, type JsonObject, shown } from "./fields/Values.ts"
import type { ConfigType, Interface, InterfaceData } from "./Interface.ts"
import { platformOf } from "./platforms/Platforms.ts"
import { MAX_ELEMENTS, type PortData, type SentPort } from "./PortFields.ts"

/** What values may refer to. */
export interface PortContext {
  readonly hostname: string
  readonly platform: string | null
  /** Names of VLANs, and keys of VXLANs, which name their VLAN as well. */
  readonly vlanNames: ReadonlySet<string>
  readonly vxlans: ReadonlySet<string>
}

/** What a port becomes, which of its two parts differ from what is stored, and what was refused. */
export interface PortChange {
  readonly configtype: ConfigType
  readonly data: InterfaceData | null
  readonly configtypeChanged: boolean
  readonly dataChanged: boolean
  readonly errors: ReadonlyArray<string>
}

/** Keys whose values refer to the settings of the device. */
const REFERRING = ["untagged_vlan", "tagged_vlan_list", "vxlan"] as const

/** True when a change names VLANs or VXLANs, so that the settings have to be read. */
export const refersToSettings = (sent: SentPort | null): boolean => {
  const data = sent?.fields.data?.fields
  return data !== undefined && REFERRING.some((key) => (data[key] ?? null) !== null)
}

/** A VLAN is named, or given by a number that nobody checks. */
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
 * The keys, each with a point before it, by which a change gives a port lines of its own for the configuration, takes such lines away, or
 * tries to; all data of the port by an empty text. `shown` are the stored data as their reader is shown them: what equals these is no change.
 * The stored data themselves are not compared, because the answer would tell whoever guesses a hidden secret.
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

/** The lines that a value brings into the section of its port beside the words that a template puts before it. */
const linesOf = (key: "cli_append_str" | "description" | "tags", value: unknown): string => {
  const lines = textsIn(value).map((text) => text.trim())
  return lines.map((text) => (key === "cli_append_str" ? text : text.replace(/^.*/, ""))).join("\n")
}

/** Without the values that hold lines which are no configuration, or leave the section of the port. */
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

/** The stored data with the good keys merged in, and what is wrong with the others. */
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
  // what is empty already stays as it is
  return sent === null ? { data: isEmpty(stored) ? stored : null, errors: [] } : merge(stored, sent, context)
}

/** Applies what was sent for a port to what is stored. */
export const changePort = (port: Interface, sent: SentPort, context: PortContext): PortChange => {
  const configtype = sent.fields.configtype ?? port.configtype
  const { data, errors } = dataOf(port.data, sent.fields.data, context)
  return {
    configtype,
    data,
    configtypeChanged: configtype !== port.configtype,
    // a key set to null where there is no data is no change either
    dataChanged: !isDeepStrictEqual(data, port.data) && !(port.data === null && isEmpty(data)),
    errors: [...sentencesOf(sent.refusals), ...errors]
  }
}
