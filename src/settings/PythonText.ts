/**
 * Values in Python's notation. Validation messages show the invalid value in the form that existing clients have always seen:
 * strings bare at the top, `None`, `True`, and lists and mappings in Python notation (docs/settings-repository.md#messages).
 */
import { Predicate } from "effect"
import { maskSecrets } from "../drivers/SecretMask.ts"

/** A number that was written with a decimal point; a strict integer field distinguishes `1.0` from `1`. */
export class YamlFloat {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

const MAX_TEXT = 2_000
const MAX_DEPTH = 100
const SECRET_KEY = /^(password_hash_.*|auth_string)$/
const HIDDEN = "<hidden>"

const TYPE_NAMES: ReadonlyArray<readonly [(value: unknown) => boolean, string]> = [
  [(value) => value === null || value === undefined, "NoneType"],
  [Predicate.isBoolean, "bool"],
  [(value) => value instanceof YamlFloat || (Predicate.isNumber(value) && !Number.isInteger(value)), "float"],
  [Predicate.isNumber, "int"],
  [Predicate.isString, "str"],
  [Array.isArray, "list"],
  [(value) => value instanceof Date, "date"],
  [() => true, "dict"]
]

/** The name of the Python type that a value would have: `str`, `int`, `dict`, … */
export const pythonTypeName = (value: unknown): string => TYPE_NAMES.find(([test]) => test(value))?.[1] ?? "object"

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const quote = (text: string): string => {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  const body = text.replace(/\\|\p{Cc}/gu, (character) => {
    const known = ESCAPES[character]
    return known ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`
  })
  return mark + (mark === "'" ? body.replaceAll("'", "\\'") : body) + mark
}

const floatText = (value: number): string => {
  if (Number.isNaN(value)) return "nan"
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf"
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? value.toFixed(1) : String(value)
}

const entriesOf = (value: object): Iterable<readonly [unknown, unknown]> =>
  value instanceof Map ? value.entries() : Object.entries(value)

const repr = (value: unknown, depth: number, room: { left: number }): string => {
  if (room.left <= 0 || depth > MAX_DEPTH) return "..."
  const text = Array.isArray(value) ? reprList(value, depth, room) : reprOther(value, depth, room)
  return text
}

const reprList = (value: ReadonlyArray<unknown>, depth: number, room: { left: number }): string => {
  const parts: Array<string> = []
  for (const item of value) {
    if (room.left <= 0) break
    parts.push(repr(item, depth + 1, room))
  }
  return `[${parts.join(", ")}${parts.length < value.length ? ", ..." : ""}]`
}

const reprMapping = (value: object, depth: number, room: { left: number }): string => {
  const parts: Array<string> = []
  for (const [key, item] of entriesOf(value)) {
    if (room.left <= 0) {
      parts.push("...")
      break
    }
    const secret = Predicate.isString(key) && SECRET_KEY.test(key) && item !== null
    parts.push(`${repr(key, depth + 1, room)}: ${secret ? HIDDEN : repr(item, depth + 1, room)}`)
  }
  return `{${parts.join(", ")}}`
}

const scalar = (value: unknown): string | undefined => {
  if (value === null || value === undefined) return "None"
  if (value === true) return "True"
  if (value === false) return "False"
  if (value instanceof YamlFloat) return floatText(value.value)
  if (Predicate.isNumber(value)) return Number.isInteger(value) ? BigInt(value).toString() : floatText(value)
  if (Predicate.isBigInt(value)) return value.toString()
  return undefined
}

const dateText = (value: Date): string =>
  Number.isNaN(value.getTime()) ? "nan" : value.toISOString().replace("T00:00:00.000Z", "").replace("T", " ")

const reprOther = (value: unknown, depth: number, room: { left: number }): string => {
  const text =
    scalar(value) ??
    (Predicate.isString(value) ? quote(maskSecrets(value).slice(0, room.left)) : undefined) ??
    (value instanceof Date ? dateText(value) : undefined)
  if (text !== undefined) {
    room.left -= text.length + 2
    return text
  }
  return Predicate.isObjectOrArray(value) ? reprMapping(value, depth, room) : `<${typeof value}>`
}

/**
 * The value as Python's `str()` would print it, cut after about 2,000 characters. Values of keys that hold
 * credentials are shown as `<hidden>`, other secrets as asterisks (docs/security.md#forms-of-secrets).
 */
export const pythonText = (value: unknown): string => {
  if (Predicate.isString(value)) {
    const shown = maskSecrets(value)
    return shown.length > MAX_TEXT ? `${shown.slice(0, MAX_TEXT)}...` : shown
  }
  return repr(value, 0, { left: MAX_TEXT })
}

/** True for a key whose value must never be shown: password hashes and authentication strings. */
export const isSecretKey = (key: string): boolean => SECRET_KEY.test(key)

/** The text that replaces a secret value. */
export const hiddenText = HIDDEN
