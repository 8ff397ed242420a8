/**
 * Python's `'{} {0} {name.attribute[key]!r:>8}'.format(...)`, with its format specifications.
 */
import { fail } from "../Failure.ts"
import { allocate, checkTime, GrowingText, reserveText, spend } from "../Meter.ts"
import { type Dict, Float, isInteger, isText, textOf, type Value } from "./Value.ts"
import { ascii, floatDigits } from "./PercentFormat.ts"
import { floatRepr, general, repr, str, typeName } from "./Printing.ts"
import { codePoints, textLength, toFloat } from "./Protocols.ts"

// Python's format specifications, the part after the colon in `'{:>8.2f}'.format(x)`.

interface Spec {
  readonly fill: string
  readonly align: string
  readonly sign: string
  /** Is a negative zero written as zero? */
  readonly noNegativeZero: boolean
  readonly alternate: boolean
  readonly width: number
  readonly grouping: string
  readonly precision: number | undefined
  readonly type: string
}

const pattern = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su

// Digits can be grouped in decimal numbers, with an underline also in those of other bases.
const checkGrouping = (grouping: string, type: string): void => {
  const grouped = grouping === "_" ? "bdeEfFgGoxX%" : "deEfFgG%"
  if (grouping !== "" && !grouped.includes(type)) fail("ValueError", `Cannot specify '${grouping}' with '${type}'.`)
}

const parse = (text: string, value: Value): Spec => {
  const match = pattern.exec(text)
  if (match === null)
    return fail("ValueError", `Invalid format specifier '${text}' for object of type '${typeName(value)}'`)
  checkGrouping(match[8] ?? "", match[10] ?? (isText(value) ? "s" : ""))
  const [, fill, align, sign = "", coerce, alternate, zero, width, grouping = "", precision, type = ""] = match
  return {
    fill: fill ?? (zero === undefined ? " " : "0"),
    align: align ?? (zero === undefined || isText(value) ? "" : "="),
    sign,
    noNegativeZero: coerce !== undefined,
    alternate: alternate !== undefined,
    width: Number(width ?? 0),
    grouping,
    precision: precision === undefined ? undefined : Number(precision),
    type
  }
}

/** `format(value, spec)`. Fails with ValueError or TypeError as Python does. */
const formatValue = (value: Value, specification: string): string => {
  if (specification === "") return str(value)
  if (isText(value)) return formatText(textOf(value), parse(specification, value))
  if (isInteger(value) || typeof value === "boolean") return formatInteger(value, parse(specification, value))
  if (value instanceof Float) return formatFloat(value.value, parse(specification, value), value)
  return fail("TypeError", `unsupported format string passed to ${typeName(value)}.__format__`)
}

const unknownCode = (type: string, value: Value): never =>
  fail("ValueError", `Unknown format code '${type}' for object of type '${typeName(value)}'`)

const aligned = (spec: Spec, prefix: string, body: string, usual: string): string => {
  const missing = reserveText(spec.width) - textLength(prefix) - textLength(body)
  if (missing <= 0) return prefix + body
  const align = spec.align === "" ? usual : spec.align
  if (align === "=") return prefix + spec.fill.repeat(missing) + body
  const left = align === "<" ? 0 : align === ">" ? missing : Math.floor(missing / 2)
  return spec.fill.repeat(left) + prefix + body + spec.fill.repeat(missing - left)
}

const refuse = (what: string): never => fail("ValueError", `${what} not allowed in string format specifier`)

const formatText = (text: string, spec: Spec): string => {
  if (spec.type !== "" && spec.type !== "s") return unknownCode(spec.type, text)
  if (spec.sign !== "") return refuse(spec.sign === " " ? "Space" : "Sign")
  if (spec.noNegativeZero) return refuse("Negative zero coercion (z)")
  if (spec.alternate) return refuse("Alternate form (#)")
  if (spec.align === "=") return fail("ValueError", "'=' alignment not allowed in string format specifier")
  const cut = spec.precision === undefined ? text : codePoints(text).slice(0, spec.precision).join("")
  return aligned(spec, "", cut, "<")
}

const group = (digits: string, spec: Spec, size: number): string => {
  if (spec.grouping === "") return digits
  allocate(digits.length)
  const groups: Array<string> = []
  for (let end = digits.length; end > 0; end -= size) groups.push(digits.slice(Math.max(0, end - size), end))
  return groups.toReversed().join(spec.grouping)
}

const signOf = (spec: Spec, negative: boolean): string => (negative ? "-" : spec.sign === "-" ? "" : spec.sign)

// With zeros for padding and a grouping character, the zeros are grouped as well.
const zeroFilled = (digits: string, spec: Spec, prefix: string, size: number): string => {
  if (spec.grouping === "" || spec.fill !== "0" || spec.align !== "=") return group(digits, spec, size)
  const room = reserveText(Math.max(0, spec.width)) - prefix.length
  const grouped = (count: number): number => (count === 0 ? 0 : count + Math.floor((count - 1) / size))
  let count = Math.max(digits.length, Math.floor((room * size) / (size + 1)))
  while (grouped(count) < room) count++
  return group(digits.padStart(count, "0"), spec, size)
}

const bases: Readonly<Record<string, readonly [number, string]>> = {
  "": [10, ""],
  d: [10, ""],
  n: [10, ""],
  b: [2, "0b"],
  o: [8, "0o"],
  x: [16, "0x"],
  X: [16, "0X"]
}

const formatInteger = (value: number | bigint | boolean, spec: Spec): string => {
  const integer = BigInt(value)
  if ("eEfFgG%".includes(spec.type) && spec.type !== "") return formatFloat(toFloat(integer), spec, value)
  if (spec.type === "c") return aligned(spec, "", String.fromCodePoint(Number(integer)), "<")
  const base = bases[spec.type]
  if (base === undefined) return unknownCode(spec.type, value)
  if (spec.precision !== undefined) return fail("ValueError", "Precision not allowed in integer format specifier")
  if (spec.noNegativeZero) {
    return fail("ValueError", "Negative zero coercion (z) not allowed in integer format specifier")
  }
  const [radix, mark] = base
  checkTime()
  const plain = (integer < 0n ? -integer : integer).toString(radix)
  const digits = spec.type === "X" ? plain.toUpperCase() : plain
  const prefix = signOf(spec, integer < 0n) + (spec.alternate ? mark : "")
  return aligned(spec, prefix, zeroFilled(digits, spec, prefix, radix === 10 ? 3 : 4), ">")
}

// Without a type a float is written as `repr` does it, or with a precision like `g` but always with a fraction.
const shortest = (value: number, spec: Spec): string => {
  const { precision, alternate } = spec
  if (precision === undefined || !Number.isFinite(value)) {
    const text = floatRepr(Math.abs(value))
    return alternate && /^\de/.test(text) ? text.replace("e", ".e") : text
  }
  const text = general(value, precision, alternate, Math.max(precision, 1) - 1)
  if (/^\d+$/.test(text)) return `${text}.0`
  return alternate && /^\de/.test(text) ? text.replace("e", ".e") : text
}

const formatFloat = (value: number, spec: Spec, original: Value): string => {
  const { precision = 6 } = spec
  if (precision > 1000) return fail("ValueError", "precision too big")
  const form = spec.type.toLowerCase()
  if (!["", "e", "f", "g", "n", "%"].includes(form)) return unknownCode(spec.type, original)
  const digits =
    form === ""
      ? shortest(value, spec)
      : form === "%"
        ? `${floatDigits("f", value * 100, precision, spec.alternate)}%`
        : floatDigits(form === "n" ? "g" : form, value, precision, spec.alternate)
  const cased = spec.type !== form ? digits.toUpperCase() : digits
  const [, whole = "", rest = ""] = /^(\d*)(.*)$/s.exec(cased) ?? []
  const negative = value < 0 || Object.is(value, -0)
  const prefix = signOf(spec, negative && !(spec.noNegativeZero && /^[0.e+%-]*$/.test(digits)))
  const filled = zeroFilled(whole, { ...spec, width: spec.width - rest.length }, prefix, 3)
  return aligned(spec, prefix, filled + rest, ">")
}

// The fields of a format, and their paths.

/** How a field such as `{a.b[c]}` continues from a value; undefined if nothing is found. */
interface Steps {
  readonly attribute: (value: Value, name: string) => Value | undefined
  readonly item: (value: Value, key: Value) => Value | undefined
}

interface Source {
  readonly args: ReadonlyArray<Value>
  readonly keywords: Dict
  readonly steps: Steps
  automatic: number
}

/** `format.format(*args, **keywords)`. Fails with Python's errors. */
export const formatBraces = (format: string, args: ReadonlyArray<Value>, keywords: Dict, steps: Steps): string =>
  expand(format, { args, keywords, steps, automatic: 0 }, 2)

const expand = (format: string, source: Source, depth: number): string => {
  if (depth < 0) return fail("ValueError", "Max string recursion exceeded")
  const text = new GrowingText()
  let i = 0
  while (i < format.length) {
    const character = format.charAt(i)
    if ((character === "{" || character === "}") && format.charAt(i + 1) === character) {
      text.add(character)
      i += 2
    } else if (character === "{") {
      const end = closing(format, i)
      text.add(field(format.slice(i + 1, end), source, depth))
      i = end + 1
    } else if (character === "}") return fail("ValueError", "Single '}' encountered in format string")
    else {
      const end = plainEnd(format, i)
      text.add(format.slice(i, end))
      i = end
    }
  }
  return text.toString()
}

const plainEnd = (format: string, start: number): number => {
  let end = start + 1
  while (end < format.length && format.charAt(end) !== "{" && format.charAt(end) !== "}") end++
  spend(end - start)
  return end
}

const closing = (format: string, start: number): number => {
  spend(16)
  let open = 0
  for (let i = start; i < format.length; i++) {
    if (format.charAt(i) === "{") open++
    else if (format.charAt(i) === "}" && --open === 0) return i
    spend(1)
  }
  return fail(
    "ValueError",
    start === format.length - 1 ? "Single '{' encountered in format string" : "expected '}' before end of string"
  )
}

const field = (text: string, source: Source, depth: number): string => {
  const [, path = "", conversion, specification = ""] = /^([^!:]*)(?:!([^:]*))?(?::(.*))?$/s.exec(text) ?? []
  const value = lookUp(path, source)
  const spec = expand(specification, source, depth - 1)
  if (conversion === undefined) return formatValue(value, spec)
  if (conversion === "s") return formatValue(str(value), spec)
  if (conversion === "r") return formatValue(repr(value), spec)
  if (conversion === "a") return formatValue(ascii(repr(value)), spec)
  return fail("ValueError", `Unknown conversion specifier '${conversion}'`)
}

const lookUp = (path: string, source: Source): Value => {
  const [, first = "", rest = ""] = /^([^.[]*)(.*)$/s.exec(path) ?? []
  let value = firstValue(first, source)
  for (const [, attribute, key = ""] of rest.matchAll(/\.([^.[]+)|\[([^\]]*)\]/g)) {
    const next =
      attribute === undefined
        ? source.steps.item(value, /^\d+$/.test(key) ? Number(key) : key)
        : source.steps.attribute(value, attribute)
    value = next ?? noSuch(next, value, attribute, key)
  }
  return value
}

// None is a value, only undefined means that there is nothing.
const noSuch = (found: Value | undefined, value: Value, attribute: string | undefined, key: string): Value => {
  if (found === null) return null
  if (attribute === undefined) return fail("KeyError", repr(key))
  return fail("AttributeError", `'${typeName(value)}' object has no attribute '${attribute}'`)
}

const firstValue = (name: string, source: Source): Value => {
  if (name !== "" && !/^\d+$/.test(name)) {
    const value = source.keywords.getText(name)
    return value === undefined ? fail("KeyError", repr(name)) : value
  }
  const index = name === "" ? source.automatic++ : Number(name)
  const value = source.args[index]
  return value === undefined
    ? fail("IndexError", `Replacement index ${index} out of range for positional args tuple`)
    : value
}
