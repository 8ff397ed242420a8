/**
 * Values of the engine from values of JavaScript, such as a YAML reader makes them. Maps keep their order and their keys
 * of any type. A number without fraction is an integer; wrap it in `Float` where the source said otherwise.
 */
import { attempt, fail, Position } from "./Failure.ts"
import type { Result } from "./Failure.ts"
import { Dict } from "./values/Dict.ts"
import { Float, fromBigInt, Markup, Native, Tuple, Undefined } from "./values/Value.ts"
import type { Value } from "./values/Value.ts"

const deepest = 200

const fromDate = (date: Date): string => {
  const [day = "", time = ""] = date.toISOString().split("T")
  return time.startsWith("00:00:00.000") ? day : `${day} ${time.slice(0, 8)}`
}

const fromNumber = (value: number): Value => {
  if (Number.isSafeInteger(value)) return value + 0
  return new Float(value)
}

const fromObject = (value: object, depth: number): Value => {
  if (depth > deepest) return fail("ValueError", `variables are nested deeper than ${deepest}`)
  if (Array.isArray(value)) return value.map((item: unknown) => convert(item, depth + 1))
  if (Object.getPrototypeOf(value) === Object.prototype) return fromRecord(value, depth)
  if (value instanceof Map) return fromPairs(value, depth)
  if (value instanceof Set) return Array.from<unknown, Value>(value, (item) => convert(item, depth + 1))
  if (value instanceof Date) return fromDate(value)
  if (value instanceof Dict || value instanceof Float || value instanceof Tuple || value instanceof Markup) return value
  if (value instanceof Native || value instanceof Undefined) return value
  if (Object.getPrototypeOf(value) === null) return fromRecord(value, depth)
  return fail("TypeError", "variables may hold plain data only")
}

const fromRecord = (record: object, depth: number): Dict => {
  const dict = new Dict()
  for (const [key, value] of Object.entries(record)) {
    if (value !== undefined) dict.set(key, convert(value, depth + 1))
  }
  return dict
}

const fromPairs = (pairs: Iterable<readonly [unknown, unknown]>, depth: number): Dict => {
  const dict = new Dict()
  for (const [key, value] of pairs) {
    if (value !== undefined) dict.set(keyOf(convert(key, depth + 1)), convert(value, depth + 1))
  }
  return dict
}

// A list as key, which YAML allows, becomes a tuple.
const keyOf = (key: Value): Value => (Array.isArray(key) ? new Tuple(key) : key)

const convert = (value: unknown, depth: number): Value => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return fromNumber(value)
    case "bigint":
      return fromBigInt(value)
    case "undefined":
      return null
    case "object":
      return value === null ? null : fromObject(value, depth)
    default:
      return fail("TypeError", `variables may not hold a ${typeof value}`)
  }
}

/** Converts a value, throwing `Fault` where that is impossible. For use inside the engine. */
export const convertValue = (value: unknown): Value => convert(value, 0)

/** Converts a value of JavaScript. Fails with TypeError for functions and the like, with ValueError for endless nesting. */
export const toValue = (value: unknown): Result<Value> =>
  attempt(
    () => convert(value, 0),
    () => new Position("variables", 1, 1)
  )
