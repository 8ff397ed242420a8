/**
 * Texts of JSON bodies (docs/api.md#requests and docs/api.md#errors): an empty text is an object without keys. The thread that checks
 * posted settings uses it too.
 */
import { isAcceptable, isObject, type JsonObject, unacceptable } from "../../domain/fields/Values.ts"
import { faultText, valueFaults, visible } from "../../domain/Text.ts"

/** The JSON text of a body. */
export const jsonOf = (text: string): string => (text.trim() === "" ? "{}" : text)

/** The JSON text may contain a forbidden character, as an escape or raw, or a text that is too long. */
const DOUBTFUL = /\\[bfnrtu]|[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|"[^"]{8192}/

/** Files of a working copy are checked later, with line numbers, so only their names are checked here. */
const withoutFiles = (body: JsonObject): JsonObject =>
  isObject(body["files"]) ? { ...body, files: Object.keys(body["files"]).map((name) => ({ [name]: "" })) } : body

/** Every fault of the texts in a body (docs/security.md#text); empty if the body is not JSON, which is refused elsewhere. */
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

/** The fields of a body, valid or not; empty if it is not a JSON object. */
export const fieldsOfBody = (text: string): JsonObject => parsed(text) ?? {}

/** The field for which a body is refused, and why; undefined if it is not a JSON object or has no such field. */
export const unacceptableField = (text: string): string | undefined => {
  for (const [key, value] of Object.entries(parsed(text) ?? {})) {
    const why = unacceptable(value, 1)
    if (why !== undefined) return `${visible(key)}: ${why}`
  }
  return undefined
}

/** The JSON object; undefined if the text is not an acceptable one. */
export const parseJsonObject = (text: string): JsonObject | undefined => {
  const value = parsed(text)
  return value !== undefined && isAcceptable(value) ? value : undefined
}
