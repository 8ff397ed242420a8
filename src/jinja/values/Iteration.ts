/**
 * What Python's iteration asks of values: cursors, lengths, truth and membership.
 */
import { fail } from "../Failure.ts"
import { allocate, spend } from "../Meter.ts"
import { Dict } from "./Dict.ts"
import { equals } from "./Equality.ts"
import { typeName } from "./Printing.ts"
import { elementsOf, Float, isText, Native, textOf, Tuple, Undefined } from "./Value.ts"
import type { Cursor, Value } from "./Value.ts"

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

/** Everything that a cursor still has. */
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
