/**
 * Python's operators and loops on any value: equality, order, iteration, length, truth, membership and slices. Values of unlike
 * types are unequal but have no order: comparing them is a TypeError.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, spend } from "../Meter.ts"
import {
  type Cursor,
  Dict,
  elementsOf,
  Float,
  isInteger,
  isText,
  Markup,
  Native,
  textOf,
  Tuple,
  Undefined,
  type Value
} from "./Value.ts"
import { typeName } from "./Printing.ts"

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

// Iteration: cursors, lengths, truth and membership.

const surrogate = /[\ud800-\udfff]/

/** Does this text hold characters beyond U+FFFF, so that units and code points differ? */
export const isAstral = (text: string): boolean => surrogate.test(text)

/** The code points of a text, each as a text. */
export const codePoints = (text: string): ReadonlyArray<string> => {
  allocate(isAstral(text) ? text.length * 3 : text.length)
  return Array.from(text)
}

/** Number of code points. */
export const textLength = (text: string): number => {
  spend(text.length / 64)
  return isAstral(text) ? countCodePoints(text) : text.length
}

const countCodePoints = (text: string): number => {
  spend(text.length)
  let count = 0
  for (let i = 0; i < text.length; i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1) count++
  return count
}

/** A cursor over an array; live, so that elements appended meanwhile are met. */
export const cursorOver = (items: ReadonlyArray<Value>): Cursor => {
  let index = 0
  return {
    next: () => {
      spend(1)
      return index < items.length ? items[index++] : undefined
    }
  }
}

/** A cursor over the pairs of a dict as `pick` sees them. A change of its size meanwhile is an error, as in Python. */
export const cursorOverDict = (dict: Dict, pick: (key: Value, value: Value) => Value): Cursor => {
  const entries = dict.items()
  const size = dict.size
  return {
    next: () => {
      spend(1)
      if (dict.size !== size) fail("RuntimeError", "dictionary changed size during iteration")
      const step = entries.next()
      return step.done === true ? undefined : pick(step.value.key, step.value.value)
    }
  }
}

const none: Cursor = { next: () => undefined }

const keyOnly = (key: Value): Value => key

const notIterable = (value: Value): never => fail("TypeError", `'${typeName(value)}' object is not iterable`)

/** A cursor over the elements, characters or keys of a value; undefined if it cannot be iterated. */
export const tryCursor = (value: Value): Cursor | undefined => {
  const elements = elementsOf(value)
  if (elements !== undefined) return cursorOver(elements)
  if (value instanceof Dict) return cursorOverDict(value, keyOnly)
  if (isText(value)) return cursorOver(codePoints(textOf(value)))
  if (value instanceof Undefined) return none
  return value instanceof Native ? value.cursor() : undefined
}

/** A cursor over a value. Fails with TypeError if it cannot be iterated. */
export const cursorOf = (value: Value): Cursor => tryCursor(value) ?? notIterable(value)

/** The elements of a value as an array that must not be changed. Fails with TypeError if it cannot be iterated. */
export const elements = (value: Value): ReadonlyArray<Value> => {
  const known = elementsOf(value)
  if (known !== undefined) {
    spend(known.length)
    return known
  }
  return drain(cursorOf(value))
}

/** The remaining elements of a cursor. */
export const drain = (cursor: Cursor): Array<Value> => {
  const items: Array<Value> = []
  for (let item = cursor.next(); item !== undefined; item = cursor.next()) {
    allocate(1)
    items.push(item)
  }
  return items
}

/** The elements of a value as a new array. */
export const toArray = (value: Value): Array<Value> => {
  const known = elementsOf(value)
  if (known === undefined) return drain(cursorOf(value))
  allocate(known.length)
  return known.slice()
}

/** Python's `len`; undefined where it does not apply. */
export const tryLength = (value: Value): number | undefined => {
  const items = elementsOf(value)
  if (items !== undefined) return items.length
  if (value instanceof Dict) return value.size
  if (isText(value)) return textLength(textOf(value))
  if (value instanceof Undefined) return 0
  return value instanceof Native ? value.length() : undefined
}

/** Python's `len`. Fails with TypeError where it does not apply. */
export const lengthOf = (value: Value): number =>
  tryLength(value) ?? fail("TypeError", `object of type '${typeName(value)}' has no len()`)

/** Does the value count as true? */
export const truthy = (value: Value): boolean => {
  if (typeof value === "boolean") return value
  if (value === null) return false
  if (typeof value === "string") return value !== ""
  if (typeof value === "number") return value !== 0
  if (typeof value === "bigint") return true
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Dict) return value.size > 0
  if (value instanceof Undefined) return false
  if (value instanceof Native) return value.truth()
  if (value instanceof Float) return value.value !== 0
  return value instanceof Tuple ? value.items.length > 0 : value.text !== ""
}

/** Python's `needle in haystack`. Fails with TypeError where it does not apply. */
export const contains = (haystack: Value, needle: Value): boolean => {
  if (isText(haystack)) {
    if (!isText(needle)) {
      return fail("TypeError", `'in <string>' requires string as left operand, not ${typeName(needle)}`)
    }
    const text = textOf(haystack)
    spend(text.length / 64)
    return text.includes(textOf(needle))
  }
  if (haystack instanceof Dict) return haystack.has(needle)
  const cursor = tryCursor(haystack) ?? fail("TypeError", `argument of type '${typeName(haystack)}' is not iterable`)
  for (let item = cursor.next(); item !== undefined; item = cursor.next()) if (equals(item, needle)) return true
  return false
}

// Indexes and slices of sequences as Python reads them: negative ones count from the end, a step may go backwards.

/** Which elements a slice takes: `count` of them, beginning at `start`. */
interface Selection {
  readonly start: number
  /** Where it ends, as `slice.indices` gives it. */
  readonly stop: number
  readonly step: number
  readonly count: number
}

const bound = (value: Value): number | undefined => {
  if (value === null) return undefined
  if (typeof value === "boolean") return value ? 1 : 0
  if (isInteger(value)) return Number(value)
  return fail("TypeError", sliceMessage)
}

const sliceMessage = "slice indices must be integers or None or have an __index__ method"

const clamp = (index: number, length: number, low: number, high: number): number =>
  Math.min(Math.max(index < 0 ? index + length : index, low), high)

/** Reads `[start:stop:step]` for a sequence of this length. Fails with TypeError or ValueError as Python does. */
export const select = (start: Value, stop: Value, step: Value, length: number): Selection => {
  const stride = bound(step) ?? 1
  if (stride === 0) return fail("ValueError", "slice step cannot be zero")
  const [low, high] = stride > 0 ? [0, length] : [-1, length - 1]
  const from = bound(start)
  const to = bound(stop)
  const first = from === undefined ? (stride > 0 ? 0 : length - 1) : clamp(from, length, low, high)
  const end = to === undefined ? (stride > 0 ? length : -1) : clamp(to, length, low, high)
  return { start: first, stop: end, step: stride, count: Math.max(0, Math.ceil((end - first) / stride)) }
}

const pick = <A>(items: ReadonlyArray<A>, selection: Selection): Array<A> => {
  const { start, step, count } = selection
  allocate(count)
  if (step === 1) return items.slice(start, start + count)
  const result: Array<A> = []
  for (let i = 0; i < count; i++) {
    const item = items[start + i * step]
    if (item !== undefined) result.push(item)
  }
  return result
}

/** A slice of a text by code points. */
export const sliceText = (text: string, start: Value, stop: Value, step: Value): string => {
  if (isAstral(text)) {
    const points = codePoints(text)
    return pick(points, select(start, stop, step, points.length)).join("")
  }
  const selection = select(start, stop, step, text.length)
  if (selection.step === 1) return text.slice(selection.start, selection.start + selection.count)
  return pick(codePoints(text), selection).join("")
}

/** The character at an index; undefined if there is none. */
export const characterAt = (text: string, index: number): string | undefined => {
  if (isAstral(text)) return codePoints(text).at(index)
  const position = index < 0 ? index + text.length : index
  return position >= 0 && position < text.length ? text.charAt(position) : undefined
}

/** A slice of a text, list or tuple; undefined for values that have none. */
export const sliceValue = (value: Value, start: Value, stop: Value, step: Value): Value | undefined => {
  if (typeof value === "string") return sliceText(value, start, stop, step)
  if (value instanceof Markup) return new Markup(sliceText(value.text, start, stop, step))
  if (Array.isArray(value)) return pick(value, select(start, stop, step, value.length))
  if (value instanceof Tuple) return new Tuple(pick(value.items, select(start, stop, step, value.items.length)))
  return undefined
}

/** The error for a slice of a value that has none. */
export const notSliceable = (value: Value): never => {
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  if (value instanceof Dict) return fail("TypeError", "unhashable type: 'slice'")
  return fail("TypeError", `'${typeName(value)}' object is not subscriptable`)
}
