/**
 * How values print: Python's `str` and `repr`, and the type names that error messages use.
 */
import { fail } from "../Failure.ts"
import { allocate, checkTime, GrowingText, reserveText, spend } from "../Meter.ts"
import { Dict } from "./Dict.ts"
import { floatRepr } from "./FloatText.ts"
import { Float, Markup, Native, Tuple, Undefined } from "./Value.ts"
import type { Value } from "./Value.ts"

/** Python's name of the type of a value, such as `NoneType`. */
export const typeName = (value: Value): string => {
  if (value === null) return "NoneType"
  if (typeof value === "string") return "str"
  if (typeof value === "boolean") return "bool"
  if (typeof value === "number" || typeof value === "bigint") return "int"
  if (value instanceof Float) return "float"
  if (Array.isArray(value)) return "list"
  if (value instanceof Dict) return "dict"
  if (value instanceof Tuple) return "tuple"
  if (value instanceof Native) return value.typeName
  return value instanceof Undefined ? "Undefined" : "Markup"
}

/** What `{{ value }}` prints. */
export const str = (value: Value): string => {
  if (typeof value === "string") return value
  if (typeof value === "number") return `${value}`
  if (value instanceof Undefined) return ""
  if (value instanceof Markup) return value.text
  if (value instanceof Native) return value.str()
  return repr(value)
}

// Python refuses to print integers of more than 4300 digits.
const longestInteger = 4300

const bigRepr = (value: bigint): string => {
  checkTime()
  const text = value.toString()
  return text.length - (value < 0n ? 1 : 0) <= longestInteger
    ? text
    : fail("ValueError", `Exceeds the limit (${longestInteger} digits) for integer string conversion`)
}

/** Python's `repr`: how a value prints inside a container. */
export const repr = (value: Value): string => {
  if (value === null) return "None"
  if (typeof value === "string") return textRepr(value)
  if (typeof value === "number") return `${value}`
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value === "bigint") return bigRepr(value)
  if (value instanceof Float) return floatRepr(value.value)
  if (value instanceof Undefined) return "Undefined"
  if (value instanceof Markup) return `Markup(${textRepr(value.text)})`
  if (value instanceof Native) return value.repr()
  const text = new GrowingText()
  writeContainer(value, text, [])
  return text.toString()
}

type Container = Array<Value> | Tuple | Dict

const writeInto = (value: Value, text: GrowingText, open: Array<Container>): void => {
  if (Array.isArray(value) || value instanceof Tuple || value instanceof Dict) writeContainer(value, text, open)
  else text.add(repr(value))
}

// `open` holds the containers around this one: one that contains itself prints as dots.
const writeContainer = (value: Container, text: GrowingText, open: Array<Container>): void => {
  spend(4 + open.length / 8)
  const [left, right] = Array.isArray(value) ? ["[", "]"] : value instanceof Dict ? ["{", "}"] : ["(", ")"]
  if (open.includes(value)) {
    text.add(`${left}...${right}`)
    return
  }
  open.push(value)
  text.add(left)
  if (value instanceof Dict) writePairs(value, text, open)
  else {
    const items = Array.isArray(value) ? value : value.items
    for (let i = 0; i < items.length; i++) {
      if (i > 0) text.add(", ")
      writeInto(items[i] ?? null, text, open)
    }
    if (value instanceof Tuple && items.length === 1) text.add(",")
  }
  text.add(right)
  open.pop()
}

const writePairs = (value: Dict, text: GrowingText, open: Array<Container>): void => {
  let first = true
  for (const entry of value.items()) {
    if (!first) text.add(", ")
    first = false
    writeInto(entry.key, text, open)
    text.add(": ")
    writeInto(entry.value, text, open)
  }
}

const shortEscapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" }

// Characters that Python's repr escapes: other than letters, marks, numbers, punctuation, symbols and the plain space.
const unprintable = /[^\x20\p{L}\p{M}\p{N}\p{P}\p{S}]/gu

const escapeCharacter = (character: string): string => {
  allocate(2)
  const known = shortEscapes[character]
  if (known !== undefined) return known
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`
}

/** A text in quotes as Python writes it: single quotes unless it holds only those. */
const textRepr = (text: string): string => {
  reserveText(text.length)
  if (/^[ !#-&(-[\]-~]*$/.test(text)) return `'${text}'`
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replaceAll("\\", "\\\\").replace(unprintable, escapeCharacter)
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote
}
