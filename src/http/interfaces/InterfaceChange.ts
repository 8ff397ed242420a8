/** What a request changes at one port, and which parts of it are refused (contract api-devices.md §11.2). Pure. */
import { isDeepStrictEqual } from "node:util"
import { type ConfigType, configTypes, type Interface, type InterfaceData } from "../../domain/Interface.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { isFalsy, isObject, own } from "../../domain/fields/Values.ts"
import { isDataKey, mergeData, type PortContext } from "./InterfaceRules.ts"

/** A change of one port: what it becomes, and which of the two parts differ from what is stored. */
export interface PortChange {
  readonly configtype: ConfigType
  readonly data: InterfaceData | null
  readonly configtypeChanged: boolean
  readonly dataChanged: boolean
  readonly errors: ReadonlyArray<string>
}

const NOT_AN_OBJECT = "Each interface must have a dict with data to update"

const configtypeOf = (sent: unknown, stored: ConfigType): { readonly value: ConfigType; readonly error?: string } => {
  if (sent === undefined || isFalsy(sent)) return { value: stored }
  if (typeof sent !== "string") return { value: stored, error: "configtype is not a string" }
  const name = sent.toUpperCase()
  const known = configTypes.find((type) => type === name)
  return known === undefined ? { value: stored, error: `Invalid configtype received: ${name}` } : { value: known }
}

const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

const dataOf = (
  change: JsonObject,
  stored: InterfaceData | null,
  context: PortContext
): { readonly data: InterfaceData | null; readonly errors: ReadonlyArray<string> } => {
  const sent = own(change, "data")
  if (!Object.hasOwn(change, "data")) return { data: stored, errors: [] }
  if (isFalsy(sent) || isEmptyObject(sent)) {
    // null and {} both say "nothing"; what is empty already stays as it is
    return { data: stored !== null && isEmptyObject(stored) ? stored : null, errors: [] }
  }
  return isObject(sent) ? mergeData(stored, sent, context) : { data: stored, errors: [NOT_AN_OBJECT] }
}

const MAX_SHOWN = 64
const abbreviated = (key: string): string => (key.length > MAX_SHOWN ? `${key.slice(0, MAX_SHOWN)}…` : key)

/** The keys of an entry that says nothing but unknown ones; empty when it says anything that can be understood. */
const unknownKeys = (sent: JsonObject): ReadonlyArray<string> => {
  const data = own(sent, "data")
  const inData = isObject(data) ? Object.keys(data) : []
  const isSaid = !isFalsy(own(sent, "configtype") ?? null) || (Object.hasOwn(sent, "data") && inData.length === 0)
  if (isSaid || inData.some(isDataKey)) return []
  const beside = Object.keys(sent).filter((key) => key !== "configtype" && key !== "data")
  return [...inData.map((key) => `data.${key}`), ...beside].map(abbreviated)
}

/** Applies what was sent for a port to what is stored. */
export const changePort = (port: Interface, sent: unknown, context: PortContext): PortChange => {
  if (!isObject(sent)) {
    return { ...port, configtypeChanged: false, dataChanged: false, errors: [NOT_AN_OBJECT] }
  }
  const unknown = unknownKeys(sent)
  if (unknown.length > 0) {
    const error = `Interface ${port.name} is unchanged, because these keys are unknown: ${unknown.join(", ")}`
    return { ...port, configtypeChanged: false, dataChanged: false, errors: [error] }
  }
  const configtype = configtypeOf(own(sent, "configtype"), port.configtype)
  const { data, errors } = dataOf(sent, port.data, context)
  return {
    configtype: configtype.value,
    data,
    configtypeChanged: configtype.value !== port.configtype,
    // a key set to null where there is no data is no change either
    dataChanged: !isDeepStrictEqual(data, port.data) && !(port.data === null && isEmptyObject(data)),
    errors: [...(configtype.error === undefined ? [] : [configtype.error]), ...errors]
  }
}
