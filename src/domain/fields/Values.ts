/** Small conversions and tests of JSON values that the field rules of several routes share. */
import { Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { isHostname } from "../Network.ts"

/** A JSON object as it was sent; its values are unknown. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The largest number that the database's integer columns hold. */
export const MAX_INTEGER = 2 ** 31 - 1

const MAX_DEPTH = 100

/** Why a JSON value is refused: an infinite number, or too deep nesting; undefined for an acceptable value (docs/api.md#errors). */
export const unacceptable = (value: unknown, depth = 0): string | undefined => {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "is a number beyond all numbers"
  if (typeof value !== "object" || value === null) return undefined
  if (depth >= MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`
  for (const element of Array.isArray(value) ? value : Object.values(value)) {
    const why = unacceptable(element, depth + 1)
    if (why !== undefined) return why
  }
  return undefined
}

/** True for an acceptable JSON value. */
export const isAcceptable = (value: unknown): boolean => unacceptable(value) === undefined

/** Characters as the database counts them. */
export const lengthOf = (text: string): number => [...text].length

/** An IPv4 or IPv6 address without prefix length or zone. */
export const isAddress = (value: unknown): value is string =>
  typeof value === "string" && Result.isSuccess(NetAddress.ipFromString(value))

/** Digits with an optional sign, and spaces around them. */
export const isDigits = (text: string): boolean => /^\s*[+-]?\d+\s*$/.test(text)

/** A number, digits in a text or a boolean as the integer that they mean, if a column can store it. */
export const toInteger = (value: unknown): Option.Option<number> => {
  const number =
    typeof value === "string"
      ? isDigits(value)
        ? Number(value)
        : Number.NaN
      : typeof value === "number" || typeof value === "boolean"
        ? Math.trunc(Number(value))
        : Number.NaN
  return Number.isFinite(number) && Math.abs(number) <= MAX_INTEGER ? Option.some(number) : Option.none()
}

/** An id in a path: digits. None for an id outside the range of the column. */
export const toId = (digits: string): Option.Option<number> =>
  /^\d{1,10}$/.test(digits) && Number(digits) <= MAX_INTEGER ? Option.some(Number(digits)) : Option.none()

/** True for a value that is false in the reference's language. */
export const isFalsy = (value: unknown): boolean =>
  value === null || value === "" || value === 0 || value === false || (Array.isArray(value) && value.length === 0)

/** The value as the reference's messages write it. */
export const shown = (value: unknown): string => {
  if (value === null || value === undefined) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** The object's own member. */
export const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)

/** True when the object itself has the key. */
export const has = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key)

/** A JSON object, not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A JSON object that is acceptable as a body. */
export const isBody = (value: unknown): value is JsonObject => isObject(value) && isAcceptable(value)

/** A hostname that selects devices, or the sentence that refuses it. */
export const parseHostname = (value: unknown): Result.Result<string, string> => {
  const hostname = shown(value)
  return isHostname(hostname) ? Result.succeed(hostname) : Result.fail(`Hostname '${hostname}' is not a valid hostname`)
}

// The pair of texts with which several routes report a field: the setting with its value, and the broken rule.

/** `Validation error for setting <key>, bad value: <value>` and `Message: <rule>`. */
export const settingError = (key: string, value: unknown, rule: string): ReadonlyArray<string> => [
  `Validation error for setting ${key}, bad value: ${shown(value)}`,
  `Message: ${rule}`
]
