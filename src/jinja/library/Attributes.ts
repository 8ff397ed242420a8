/**
 * The argument `attribute` of filters: a dotted path in which digits are indexes.
 */
import { borrow, spend } from "../Meter.ts"
import { itemOf } from "../values/Access.ts"
import { occurrences } from "../values/Text.ts"
import { isText, textOf, Undefined } from "../values/Value.ts"
import type { Value } from "../values/Value.ts"

// Texts between separators, charged before they are made.
const piecesOf = (text: string, separator: string): ReadonlyArray<string> => {
  borrow(occurrences(text, separator) * 6)
  return text.split(separator)
}

/** How a filter finds the value that counts for an element. */
export type Getter = (item: Value) => Value

const pathOf = (attribute: Value): ReadonlyArray<Value> => {
  if (attribute === null) return []
  if (!isText(attribute)) return [attribute]
  return piecesOf(textOf(attribute), ".").map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** A getter for a path, or for the element itself if there is none; `fallback` replaces what is undefined. */
export const getterFor = (attribute: Value, fallback: Value = null): Getter => {
  const path = pathOf(attribute)
  if (path.length === 0) return (item) => item
  return (item) => {
    spend(path.length)
    let value = item
    for (const part of path) {
      value = itemOf(value, part)
      if (fallback !== null && value instanceof Undefined) value = fallback
    }
    return value
  }
}

/** Getters for several paths with commas between them. */
export const gettersFor = (attribute: Value): ReadonlyArray<Getter> =>
  isText(attribute) ? piecesOf(textOf(attribute), ",").map((part) => getterFor(part)) : [getterFor(attribute)]

/** Texts in lower case, other values as they are: how filters compare unless they are told that case matters. */
const ignoreCase = (value: Value): Value => (isText(value) ? textOf(value).toLowerCase() : value)

/** The getter's value, in lower case unless case matters. */
export const caseAware = (getter: Getter, caseSensitive: boolean): Getter =>
  caseSensitive ? getter : (item) => ignoreCase(getter(item))
