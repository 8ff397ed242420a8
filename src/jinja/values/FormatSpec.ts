/**
 * Python's format specifications, the part after the colon in `'{:>8.2f}'.format(x)`.
 */
import { fail } from "../Failure.ts"
import { allocate, checkTime, reserveText } from "../Meter.ts"
import { toFloat } from "./Equality.ts"
import { floatRepr, general } from "./FloatText.ts"
import { codePoints, textLength } from "./Iteration.ts"
import { floatDigits } from "./PercentFormat.ts"
import { str, typeName } from "./Printing.ts"
import { Float, isInteger, isText, textOf } from "./Value.ts"
import type { Value } from "./Value.ts"

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
export const formatValue = (value: Value, specification: string): string => {
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
