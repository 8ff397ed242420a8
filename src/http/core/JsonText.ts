/**
 * Texts that are taken as a JSON body (docs/api.md#requests and docs/api.md#errors): an empty text is an object without keys.
 */
import { isAcceptable, isObject, type JsonObject, unacceptable } from "../../domain/fields/Values.ts"
import { faultText, valueFaults, visible } from "../../domain/Text.ts"

/** A text of JSON for what was sent. */
export const jsonOf = (text: string): string => (text.trim() === "" ? "{}" : text)

/** The JSON text may hold what no text may: written as an escape, as it is, or one that is too long. */
const DOUBTFUL = /\\[bfnrtu]|[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|"[^"]{8192}/

/** Files of a working copy are told of with their lines by who checks them, so only their names are looked at here. */
const withoutFiles = (body: JsonObject): JsonObject =>
  isObject(body["files"]) ? { ...body, files: Object.keys(body["files"]).map((name) => ({ [name]: "" })) } : body

/** Every text of a body that may not travel (docs/security.md#text); none for a text that is no JSON, which is refused as such. */
export const faultsOfBody = (text: string): ReadonlyArray<string> => {
  if (!DOUBTFUL.test(text)) return []
  const body = parseJsonObject(text)
  return body === undefined ? [] : valueFaults(withoutFiles(body), "line").map(faultText)
}

const parsed = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(jsonOf(text))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The fields of a body, also of one that is refused for what is in them; none for a text that is no JSON object. */
export const fieldsOfBody = (text: string): JsonObject => parsed(text) ?? {}

/** The field of a body that keeps it from being taken, and why; undefined when it is no JSON object or every field can be taken. */
export const unacceptableField = (text: string): string | undefined => {
  for (const [key, value] of Object.entries(parsed(text) ?? {})) {
    const why = unacceptable(value, 1)
    if (why !== undefined) return `${visible(key)}: ${why}`
  }
  return undefined
}

/** The object that the text stands for; undefined when it is none that is taken. */
export const parseJsonObject = (text: string): JsonObject | undefined => {
  const value = parsed(text)
  return value !== undefined && isAcceptable(value) ? value : undefined
}
