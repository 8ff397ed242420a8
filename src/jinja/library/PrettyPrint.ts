/**
 * The filter `pprint`: Python's pformat, with keys in order and containers broken over lines at 80 columns.
 */
import { allocate, GrowingText } from "../Meter.ts"
import { Dict } from "../values/Dict.ts"
import { compare, sorted } from "../values/Equality.ts"
import { lengthOf } from "../values/Iteration.ts"
import { repeatText } from "../values/Arithmetic.ts"
import { repr } from "../values/Printing.ts"
import { Fault } from "../Failure.ts"
import { Tuple } from "../values/Value.ts"
import type { Value } from "../values/Value.ts"

const lineWidth = 80

// Keys that have no order among each other are ordered by type and text, as Python does.
const sortedKeys = (dict: Dict): ReadonlyArray<Value> => {
  const keys = dict.keys()
  try {
    compareAll(keys)
    return sorted(keys, (key) => key, false)
  } catch (cause) {
    if (cause instanceof Fault && cause.kind === "TypeError") return sorted(keys, repr, false)
    throw cause
  }
}

const compareAll = (keys: ReadonlyArray<Value>): void => {
  const [first] = keys
  for (const key of keys) if (first !== undefined) compare("<", key, first)
}

const sortDeep = (value: Value): Value => {
  allocate(4)
  if (Array.isArray(value) || value instanceof Tuple) allocate(lengthOf(value))
  if (Array.isArray(value)) return value.map(sortDeep)
  if (value instanceof Tuple) return new Tuple(value.items.map(sortDeep))
  if (!(value instanceof Dict)) return value
  return Dict.of(sortedKeys(value).map((key) => [key, sortDeep(value.get(key) ?? null)] as const))
}

/** The text of a value over as many lines as it needs. */
export const prettyPrint = (value: Value): string => format(sortDeep(value), 0, 0)

// `allowance` is the number of closing brackets that must fit behind the value.
const format = (value: Value, indent: number, allowance: number): string => {
  const plain = repr(value)
  if (plain.length <= lineWidth - indent - allowance) return plain
  if (value instanceof Dict && value.size > 0) return formatDict(value, indent, allowance)
  if (Array.isArray(value)) return `[${formatItems(value, indent + 1, allowance + 1)}]`
  if (!(value instanceof Tuple)) return plain
  const end = value.items.length === 1 ? ",)" : ")"
  return `(${formatItems(value.items, indent + 1, allowance + end.length)}${end}`
}

const joined = (parts: ReadonlyArray<string>, indent: number): string => {
  const text = new GrowingText()
  const margin = `,\n${repeatText(" ", indent)}`
  parts.forEach((part, index) => text.add(index > 0 ? margin + part : part))
  return text.toString()
}

const formatItems = (items: ReadonlyArray<Value>, indent: number, allowance: number): string =>
  joined(
    items.map((item, index) => format(item, indent, index === items.length - 1 ? allowance : 1)),
    indent
  )

const formatDict = (dict: Dict, indent: number, allowance: number): string => {
  const entries = [...dict.items()].map(({ key, value }, index) => {
    const name = repr(key)
    const last = index === dict.size - 1
    return `${name}: ${format(value, indent + name.length + 3, last ? allowance + 1 : 1)}`
  })
  return `{${joined(entries, indent + 1)}}`
}
