/**
 * Filters that take any value: defaults and attributes, numbers, `tojson` and `pprint`.
 */
import { attributeOf, ownAttributeOf } from "../values/Access.ts"
import {
  argument,
  integerArgument,
  library,
  type Library,
  numberArgument,
  softText,
  withAliases
} from "../values/Builtin.ts"
import { compare, lengthOf, numberOf, sorted, truthy } from "../values/Protocols.ts"
import {
  Dict,
  elementsOf,
  Float,
  fromBigInt,
  type Implementation,
  isInteger,
  isText,
  Markup,
  textOf,
  Tuple,
  Undefined,
  type Value
} from "../values/Value.ts"
import { fail, Fault } from "../Failure.ts"
import { arithmetic, repeatText, signed } from "../values/Arithmetic.ts"
import { fixed, floatRepr, parseFloatText, parseInteger, repr, roundFloat, str, typeName } from "../values/Printing.ts"
import { truncated } from "../values/PercentFormat.ts"
import { allocate, borrow, GrowingText, spend } from "../Meter.ts"

const fallback: Implementation = (args) => {
  const value = argument(args, 0)
  return value instanceof Undefined || (truthy(argument(args, 2)) && !truthy(value)) ? argument(args, 1) : value
}

const attr: Implementation = (args) => {
  const value = argument(args, 0)
  const name = softText(args, 1)
  const own = value instanceof Undefined ? attributeOf(value, name) : ownAttributeOf(value, name)
  return own === undefined ? new Undefined(`no attribute '${name}'`) : own
}

/** `default` and `attr`. */
export const commonFilters: Library = withAliases(
  library({
    "default(value, default_value='', boolean=false)": fallback,
    "attr(obj, name)": attr
  }),
  { d: "default" }
)

// Filters on numbers, and the conversions to numbers.

const tryFloat = (value: Value): number | undefined => {
  if (value instanceof Undefined) return fail("UndefinedError", value.message)
  if (isText(value)) return parseFloatText(textOf(value))
  const number = numberOf(value)
  return number === undefined ? undefined : Number(number)
}

const toInteger = (number: number): Value | undefined =>
  Number.isFinite(number) ? fromBigInt(truncated(number)) : undefined

const int: Implementation = (args) => {
  const value = argument(args, 0)
  const fallback = argument(args, 1)
  const base = integerArgument(args, 2)
  if (isInteger(value)) return value
  if (typeof value === "boolean") return Number(value)
  if (value instanceof Float && Math.abs(value.value) === Infinity) {
    return fail("OverflowError", "cannot convert float infinity to integer")
  }
  if (isText(value)) {
    const integer = parseInteger(textOf(value), base)
    if (integer !== undefined) return integer
  }
  const number = tryFloat(value)
  return (number === undefined ? undefined : toInteger(number)) ?? fallback
}

const float: Implementation = (args) => {
  const number = tryFloat(argument(args, 0))
  return number === undefined ? argument(args, 1) : new Float(number)
}

const roundInteger = (value: number | bigint, digits: number): Value => {
  if (digits >= 0) return value
  const unit = 10n ** BigInt(Math.min(-digits, 4000))
  const integer = BigInt(value)
  const magnitude = integer < 0n ? -integer : integer
  const twice = (magnitude % unit) * 2n
  const quotient = magnitude / unit
  const up = twice > unit || (twice === unit && quotient % 2n === 1n)
  const rounded = (up ? quotient + 1n : quotient) * unit
  return fromBigInt(integer < 0n ? -rounded : rounded)
}

const round: Implementation = (args) => {
  const value = argument(args, 0)
  const digits = integerArgument(args, 1)
  const method = argument(args, 2)
  if (method === "common") {
    if (isInteger(value)) return roundInteger(value, digits)
    if (typeof value === "boolean") return roundInteger(Number(value), digits)
    if (value instanceof Float) return new Float(roundFloat(value.value, digits))
    return fail("TypeError", `type ${typeName(value)} doesn't define __round__ method`)
  }
  if (method !== "ceil" && method !== "floor") {
    return fail("FilterArgumentError", "method must be common, ceil or floor")
  }
  const unit = arithmetic("**", 10, digits)
  const raised = numberArgument([arithmetic("*", value, unit)], 0)
  const rounded = fromBigInt(truncated(method === "ceil" ? Math.ceil(raised) : Math.floor(raised)))
  return arithmetic("/", rounded, unit)
}

const abs: Implementation = (args) => {
  const value = argument(args, 0)
  if (numberOf(value) === undefined) return fail("TypeError", `bad operand type for abs(): '${typeName(value)}'`)
  if (value instanceof Float) return new Float(Math.abs(value.value))
  return signed(compare("<", value, 0) ? "-" : "+", value)
}

const prefixes = ["k", "M", "G", "T", "P", "E", "Z", "Y"]

const fileSize: Implementation = (args) => {
  const value = argument(args, 0)
  const bytes = tryFloat(value)
  if (bytes === undefined) {
    return isText(value)
      ? fail("ValueError", `could not convert string to float: '${textOf(value)}'`)
      : fail("TypeError", `float() argument must be a string or a real number, not '${typeName(value)}'`)
  }
  const binary = truthy(argument(args, 1))
  const base = binary ? 1024 : 1000
  if (bytes === 1) return "1 Byte"
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`
  const step = Math.max(
    0,
    prefixes.findIndex((_prefix, index) => bytes < base ** (index + 2))
  )
  const at = bytes < base ** (prefixes.length + 1) ? step : prefixes.length - 1
  const prefix = prefixes[at] ?? ""
  return `${fixed((base * bytes) / base ** (at + 2), 1)} ${binary ? `${prefix.toUpperCase()}i` : prefix}B`
}

/** Filters on numbers. */
export const numberFilters: Library = library({
  "int(value, default=0, base=10)": int,
  "float(value, default=0.0)": float,
  "round(value, precision=0, method='common')": round,
  "abs(x)": abs,
  "filesizeformat(value, binary=false)": fileSize
})

// The filter `tojson`: JSON with sorted keys, safe inside HTML, written as Python's json module writes it.

const unicode = (unit: number): string => {
  allocate(2)
  spend(8)
  return `\\u${unit.toString(16).padStart(4, "0")}`
}

const quoted = (text: string): string => {
  borrow(text.length / 4)
  return JSON.stringify(text).replace(/[\x7f-\uffff<>&']/g, (character) =>
    character === "\x7f" ? character : unicode(character.charCodeAt(0))
  )
}

const floatJson = (value: number): string => {
  if (Number.isFinite(value)) return floatRepr(value)
  return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity"
}

const keyText = (key: Value): string => {
  if (isText(key)) return textOf(key)
  if (key === null || typeof key === "boolean" || isInteger(key) || key instanceof Float) return scalar(key)
  return fail("TypeError", `keys must be str, int, float, bool or None, not ${typeName(key)}`)
}

const scalar = (value: Value): string => {
  if (value === null) return "null"
  if (typeof value === "boolean") return value ? "true" : "false"
  if (isInteger(value)) return repr(value)
  if (value instanceof Float) return floatJson(value.value)
  if (isText(value)) return quoted(textOf(value))
  return fail("TypeError", `Object of type ${typeName(value)} is not JSON serializable`)
}

class Writer {
  private readonly indent: string | undefined
  private readonly open: Array<Value> = []
  private readonly text = new GrowingText()

  constructor(indent: string | undefined) {
    this.indent = indent
  }

  write(value: Value): string {
    this.value(value)
    return this.text.toString()
  }

  private add(text: string): void {
    this.text.add(text)
  }

  private value(value: Value): void {
    const items = elementsOf(value)
    if (items !== undefined) this.container(value, "[", "]", items, (item) => this.value(item))
    else if (value instanceof Dict) {
      this.container(
        value,
        "{",
        "}",
        sorted(value.keys(), (key) => key, false),
        (key) => {
          this.add(`${quoted(keyText(key))}: `)
          const item = value.get(key)
          this.value(item === undefined ? null : item)
        }
      )
    } else this.add(scalar(value))
  }

  private container(
    value: Value,
    left: string,
    right: string,
    parts: ReadonlyArray<Value>,
    one: (part: Value) => void
  ): void {
    spend(4 + this.open.length / 8)
    if (this.open.includes(value)) fail("ValueError", "Circular reference detected")
    this.add(left)
    this.open.push(value)
    parts.forEach((part, index) => {
      if (index > 0) this.add(this.indent === undefined ? ", " : ",")
      this.newLine()
      one(part)
    })
    this.open.pop()
    if (parts.length > 0) this.newLine()
    this.add(right)
  }

  private newLine(): void {
    if (this.indent !== undefined) this.add(`\n${repeatText(this.indent, this.open.length)}`)
  }
}

const indentOf = (value: Value): string | undefined => {
  if (value === null) return undefined
  if (isText(value)) return textOf(value)
  return typeof value === "number"
    ? repeatText(" ", value)
    : fail("TypeError", `indent must be an integer, not ${str(value)}`)
}

/** The filter `tojson`. */
export const jsonFilters: Library = library({
  "tojson(value, indent=none)": (args) => new Markup(new Writer(indentOf(argument(args, 1))).write(argument(args, 0)))
})

// The filter `pprint`: Python's pformat, with keys in order and containers broken over lines at 80 columns.

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
