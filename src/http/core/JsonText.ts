/**
 * The texts that are taken as a JSON body: an object (an empty text is one without keys) that the database could keep (no NUL
 * characters, no halves of surrogate pairs) and that is not nested beyond reason (contract api-rest.md §1.1, §13).
 */
import { isObject, isStorable, type JsonObject } from "./Values.ts"

const MAX_DEPTH = 100

/** True when every text in the value can be stored and nothing is nested too deep. */
const isAcceptable = (value: unknown, depth = 0): boolean => {
  if (typeof value === "string") return isStorable(value)
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || value === null) return true
  if (depth >= MAX_DEPTH) return false
  return Array.isArray(value)
    ? value.every((element) => isAcceptable(element, depth + 1))
    : Object.entries(value).every(([key, element]) => isStorable(key) && isAcceptable(element, depth + 1))
}

/** The object that the text stands for; undefined when it is none that is taken. */
export const parseJsonObject = (text: string): JsonObject | undefined => {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text)
    return isObject(value) && isAcceptable(value) ? value : undefined
  } catch {
    return undefined
  }
}
