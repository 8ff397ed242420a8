/**
 * Python's `==`, `<` and sorting. Unlike types are unequal but have no order: comparing them is a TypeError.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, spend } from "../Meter.ts"
import { Dict } from "./Dict.ts"
import { typeName } from "./Printing.ts"
import { Float, isText, Native, textOf, Tuple, Undefined } from "./Value.ts"
import type { Value } from "./Value.ts"

/** The number that a value counts as in comparisons; undefined for all that are not numbers or booleans. */
export const numberOf = (value: Value): number | bigint | undefined => {
  if (typeof value === "number" || typeof value === "bigint") return value
  if (typeof value === "boolean") return value ? 1 : 0
  return value instanceof Float ? value.value : undefined
}

/** The float nearest to a number. Fails with OverflowError for integers that are too large. */
export const toFloat = (value: number | bigint): number => {
  const float = Number(value)
  return typeof value === "number" || Number.isFinite(float)
    ? float
    : fail("OverflowError", "int too large to convert to float")
}

const sameElements = (a: ReadonlyArray<Value>, b: ReadonlyArray<Value>): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!equals(a[i] ?? null, b[i] ?? null)) return false
  return true
}

const samePairs = (a: Dict, b: Dict): boolean => {
  if (a.size !== b.size) return false
  for (const { key, value } of a.items()) {
    const other = b.get(key)
    if (other === undefined || !equals(value, other)) return false
  }
  return true
}

/** Python's `==`. */
export const equals = (a: Value, b: Value): boolean => {
  if (a === b) return !(a instanceof Float) || !Number.isNaN(a.value)
  if (typeof a === "string" && typeof b === "string") return false
  spend(1)
  const left = numberOf(a)
  if (left !== undefined) {
    const right = numberOf(b)
    // Loose on purpose: it compares a bigint with a number by value.
    return right !== undefined && (typeof left === typeof right ? left === right : left == right)
  }
  if (isText(a)) return isText(b) && textOf(a) === textOf(b)
  if (Array.isArray(a)) return Array.isArray(b) && sameElements(a, b)
  if (a instanceof Tuple) return b instanceof Tuple && sameElements(a.items, b.items)
  if (a instanceof Dict) return b instanceof Dict && samePairs(a, b)
  if (a instanceof Undefined) return b instanceof Undefined
  return a instanceof Native && b instanceof Native && a.equals(b)
}

/** The four orderings. */
export type Ordering = "<" | "<=" | ">" | ">="

const decide = (ordering: Ordering, sign: number): boolean =>
  ordering === "<" ? sign < 0 : ordering === "<=" ? sign <= 0 : ordering === ">" ? sign > 0 : sign >= 0

/** Compares texts by code points; negative, zero or positive. */
const compareText = (a: string, b: string): number => {
  if (a === b) return 0
  spend(Math.min(a.length, b.length) / 64)
  const length = Math.min(a.length, b.length)
  let i = 0
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++
  const left = a.charCodeAt(i)
  const right = b.charCodeAt(i)
  if (i === length) return a.length - b.length
  // Halves of a surrogate pair stand for code points above all others of 16 bits.
  return rank(left) - rank(right)
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

const compareElements = (ordering: Ordering, a: ReadonlyArray<Value>, b: ReadonlyArray<Value>): boolean => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a[i] ?? null
    const right = b[i] ?? null
    if (!equals(left, right)) return compare(ordering, left, right)
  }
  return decide(ordering, a.length - b.length)
}

const incomparable = (ordering: Ordering, a: Value, b: Value): never =>
  fail("TypeError", `'${ordering}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)

/** Python's `<`, `<=`, `>` or `>=`. Fails with TypeError for values that have no order. */
export const compare = (ordering: Ordering, a: Value, b: Value): boolean => {
  if (typeof a === "string" && typeof b === "string") return decide(ordering, compareText(a, b))
  const left = numberOf(a)
  const right = numberOf(b)
  if (left !== undefined && right !== undefined) {
    return ordering === "<"
      ? left < right
      : ordering === "<="
        ? left <= right
        : ordering === ">"
          ? left > right
          : left >= right
  }
  if (a instanceof Undefined) return fail("UndefinedError", a.message)
  if (b instanceof Undefined) return fail("UndefinedError", b.message)
  if (isText(a) && isText(b)) return decide(ordering, compareText(textOf(a), textOf(b)))
  if (Array.isArray(a) && Array.isArray(b)) return compareElements(ordering, a, b)
  if (a instanceof Tuple && b instanceof Tuple) return compareElements(ordering, a.items, b.items)
  return incomparable(ordering, a, b)
}

interface Keyed {
  readonly key: Value
  readonly item: Value
}

/** Python's `sorted`: stable, also in reverse. Fails with TypeError when two keys have no order. */
export const sorted = (items: ReadonlyArray<Value>, keyOf: (item: Value) => Value, reverse: boolean): Array<Value> => {
  borrow(items.length * 12)
  const keyed: Array<Keyed> = items.map((item) => ({ key: keyOf(item), item }))
  if (reverse) keyed.reverse()
  keyed.sort((a, b) => {
    spend(4)
    return compare("<", a.key, b.key) ? -1 : compare("<", b.key, a.key) ? 1 : 0
  })
  if (reverse) keyed.reverse()
  allocate(items.length)
  return keyed.map((entry) => entry.item)
}
