/**
 * Texts that are taken as a JSON body (docs/api.md#requests and docs/api.md#errors): an empty text is an object without keys.
 */
import { isAcceptable, isObject, type JsonObject } from "../../domain/fields/Values.ts"
import { faultText, valueFaults } from "../../domain/Text.ts"

/** A text of JSON for what was sent. */
export const jsonOf = (text: string): string => (text.trim() === "" ? "{}" : text)

/** The JSON text may hold what no text may: written as an escape, as it is, or one that is too long. */
const DOUBTFUL = /\\[bfnrtu]|[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]|"[^"]{8192}/

/** Every text of a body that may not travel (docs/security.md#text); none for a text that is no JSON, which is refused as such. */
export const faultsOfBody = (text: string): ReadonlyArray<string> => {
  if (!DOUBTFUL.test(text)) return []
  const body = parseJsonObject(text)
  return body === undefined ? [] : valueFaults(body, "line").map(faultText)
}

/** The object that the text stands for; undefined when it is none that is taken. */
export const parseJsonObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(jsonOf(text))
    return isObject(value) && isAcceptable(value) ? value : undefined
  } catch {
    return undefined
  }
}
