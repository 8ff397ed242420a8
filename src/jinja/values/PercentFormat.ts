/**
 * Python's `"..." % value`: conversions s r a d i u x X o e E f F g G c %, flags, width, precision, names and `*`.
 */
import { fail } from "../Failure.ts"
import { allocate, checkTime, maxText, reserveText } from "../Meter.ts"
import { Dict, Float, fromBigInt, isInteger, isText, Markup, textOf, Tuple, Undefined, type Value } from "./Value.ts"
import { codePoints, numberOf, textLength, toFloat, tryLength } from "./Protocols.ts"
import { exponential, fixed, general, repr, str, typeName } from "./Printing.ts"
import { escapeHtml } from "./Text.ts"

interface Conversion {
  readonly flags: string
  readonly width: number
  readonly precision: number | undefined
  readonly type: string
}

const pattern = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d*)(?:\.(\*|\d*))?[hlL]?([\s\S])?/gu

// Hands out the values of the right side, one for each conversion.
class Arguments {
  private readonly value: Value
  private readonly items: ReadonlyArray<Value>
  private next = 0

  constructor(value: Value) {
    this.value = value
    this.items = value instanceof Tuple ? value.items : [value]
  }

  take(): Value {
    const item = this.items[this.next++]
    return item === undefined ? fail("TypeError", "not enough arguments for format string") : item
  }

  named(name: string): Value {
    if (!(this.value instanceof Dict)) return fail("TypeError", "format requires a mapping")
    this.next = this.items.length
    return this.value.get(name) ?? fail("KeyError", repr(name))
  }

  takeWidth(): number {
    const width = this.take()
    return typeof width === "number" ? width : fail("TypeError", "* wants int")
  }

  finish(): void {
    const spare = this.next < this.items.length
    // Whatever can be indexed passes, because it might have been meant as a mapping.
    if (spare && (this.value instanceof Tuple || isText(this.value) || tryLength(this.value) === undefined)) {
      fail("TypeError", "not all arguments converted during string formatting")
    }
  }
}

/** `format % value`. Fails with TypeError or ValueError as Python does. */
export const formatPercent = (format: string | Markup, value: Value): string | Markup => {
  const safe = format instanceof Markup
  const source = new Arguments(value)
  let length = 0
  const counted = (piece: string): string => {
    length += piece.length
    if (length > maxText) fail("LimitExceeded", `text of ${length} characters is too long`)
    allocate(4 + piece.length / 8)
    return piece
  }
  const text = textOf(format).replace(
    pattern,
    (
      match,
      name: string | undefined,
      flags: string,
      width: string,
      precision: string | undefined,
      type: string,
      at: number
    ) => {
      if (type === undefined) return fail("ValueError", "incomplete format")
      const wide = width === "*" ? source.takeWidth() : Number(width)
      const conversion: Conversion = {
        flags: wide < 0 ? `${flags}-` : flags,
        width: Math.abs(wide),
        precision: precision === undefined ? undefined : precision === "*" ? source.takeWidth() : Number(precision),
        type
      }
      if (type === "%") return counted("%")
      const item = name === undefined ? source.take() : source.named(name)
      return counted(convert(conversion, item, safe, at + match.length - 1))
    }
  )
  source.finish()
  reserveText(text.length)
  return safe ? new Markup(text) : text
}

const convert = (conversion: Conversion, item: Value, safe: boolean, at: number): string => {
  const { type } = conversion
  if ("sra".includes(type)) {
    const text = type === "s" ? (safe ? escapeHtml(item) : str(item)) : type === "r" ? repr(item) : ascii(repr(item))
    return pad(conversion, "", conversion.precision === undefined ? text : cut(text, conversion.precision), false)
  }
  if (type === "c") return pad(conversion, "", character(item), false)
  if ("diuxXo".includes(type)) return convertInteger(conversion, item)
  if ("eEfFgG".includes(type)) return convertFloat(conversion, item)
  const code = type.codePointAt(0) ?? 0
  return fail("ValueError", `unsupported format character '${type}' (0x${code.toString(16)}) at index ${at}`)
}

const cut = (text: string, length: number): string => codePoints(text).slice(0, length).join("")

/** Python's `ascii` of a text that `repr` has made: everything beyond ASCII as escapes. */
export const ascii = (text: string): string =>
  text.replace(/[^\0-\x7f]/gu, (character) => {
    allocate(2)
    const code = character.codePointAt(0) ?? 0
    if (code < 0x100) return `\\x${code.toString(16)}`
    return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`
  })

const character = (item: Value): string => {
  if (isText(item)) {
    return textLength(textOf(item)) === 1 ? textOf(item) : fail("TypeError", "%c requires int or char")
  }
  if (!isInteger(item) && typeof item !== "boolean") return fail("TypeError", "%c requires int or char")
  const code = Number(item)
  return code >= 0 && code < 0x110000
    ? String.fromCodePoint(code)
    : fail("OverflowError", "%c arg not in range(0x110000)")
}

const integerFor = (type: string, item: Value): bigint => {
  if (isInteger(item)) return BigInt(item)
  if (typeof item === "boolean") return item ? 1n : 0n
  if (item instanceof Undefined) return fail("UndefinedError", item.message)
  if ("diu".includes(type)) {
    if (item instanceof Float) return truncated(item.value)
    return fail("TypeError", `%${type} format: a real number is required, not ${typeName(item)}`)
  }
  return fail("TypeError", `%${type} format: an integer is required, not ${typeName(item)}`)
}

/** A float without its fraction, as Python's `int` makes it. */
export const truncated = (value: number): bigint => {
  if (Number.isNaN(value)) return fail("ValueError", "cannot convert float NaN to integer")
  return Number.isFinite(value)
    ? BigInt(Math.trunc(value))
    : fail("OverflowError", "cannot convert float infinity to integer")
}

const bases: Readonly<Record<string, readonly [number, string]>> = { x: [16, "0x"], X: [16, "0X"], o: [8, "0o"] }

const convertInteger = (conversion: Conversion, item: Value): string => {
  const value = integerFor(conversion.type, item)
  const [base, prefix] = bases[conversion.type] ?? [10, ""]
  const magnitude = fromBigInt(value < 0n ? -value : value)
  checkTime()
  const plain = base === 10 ? repr(magnitude) : magnitude.toString(base)
  const digits = conversion.type === "X" ? plain.toUpperCase() : plain
  const precise = digits.padStart(reserveText(Math.max(conversion.precision ?? 0, digits.length)), "0")
  return pad(conversion, sign(conversion, value < 0n) + (conversion.flags.includes("#") ? prefix : ""), precise, true)
}

const sign = (conversion: Conversion, negative: boolean): string =>
  negative ? "-" : conversion.flags.includes("+") ? "+" : conversion.flags.includes(" ") ? " " : ""

/** The digits of the absolute value of a float in the forms e, f and g (lower case); `alternate` is the flag `#`. */
export const floatDigits = (form: string, value: number, precision: number, alternate: boolean): string => {
  if (Number.isNaN(value)) return "nan"
  if (!Number.isFinite(value)) return "inf"
  const digits =
    form === "g"
      ? general(value, precision, alternate)
      : form === "f"
        ? fixed(value, precision)
        : exponential(value, precision)
  return alternate && !digits.includes(".") ? digits.replace(/(?=e|$)/, ".") : digits
}

const maxPrecision = 1000

const convertFloat = (conversion: Conversion, item: Value): string => {
  const number = numberOf(item)
  if (number === undefined) {
    if (item instanceof Undefined) return fail("UndefinedError", item.message)
    return fail(
      "TypeError",
      isText(item) ? "must be real number, not str" : `must be real number, not ${typeName(item)}`
    )
  }
  const value = toFloat(number)
  const { flags, precision = 6, type } = conversion
  if (precision > maxPrecision) return fail("ValueError", "precision too big")
  const digits = floatDigits(type.toLowerCase(), value, precision, flags.includes("#"))
  const upper = type === type.toUpperCase() ? digits.toUpperCase() : digits
  return pad(conversion, sign(conversion, value < 0 || Object.is(value, -0)), upper, Number.isFinite(value))
}

const pad = (conversion: Conversion, prefix: string, text: string, numeric: boolean): string => {
  const missing = conversion.width - prefix.length - textLength(text)
  if (missing <= 0) return prefix + text
  reserveText(conversion.width)
  if (conversion.flags.includes("-")) return prefix + text + " ".repeat(missing)
  if (numeric && conversion.flags.includes("0")) return prefix + "0".repeat(missing) + text
  return " ".repeat(missing) + prefix + text
}
