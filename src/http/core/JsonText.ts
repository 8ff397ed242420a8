/**
 * Texts that are taken as a JSON body (docs/api.md#requests and docs/api.md#errors): an empty text is an object without keys.
 */
import { isAcceptable, isObject, type JsonObject } from "../../domain/fields/Values.ts"

/** A text of JSON for what was sent. */
export const jsonOf = (text: string): string => (text.trim() === "" ? "{}" : text)

/** The object that the text stands for; undefined when it is none that is taken. */
export const parseJsonObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(jsonOf(text))
    return isObject(value) && isAcceptable(value) ? value : undefined
  } catch {
    return undefined
  }
}
