/**
 * Values as text: Python's `str` and `repr`, the type names in error messages, and numbers written and read.
 */
import { fail } from "../Failure.ts"
import { allocate, checkTime, GrowingText, reserveText, spend } from "../Meter.ts"
import { Dict, Float, fromBigInt, Markup, Native, Tuple, Undefined, type Value } from "./Value.ts"

// Floats as text, the way Python writes them: the shortest digits that read back (`repr`), and the rounded forms of
// `%f`, `%e` and `%g`. Rounding is done on the exact binary value, ties to even.

/** The `repr` of a float, such as `1.0`, `1e-05` or `inf`. */
export const floatRepr = (value: number): string => {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf"
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0"
  const [digits = "", power = "0"] = value.toExponential().split("e")
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 16) return `${digits}e${signedExponent(exponent)}`
  const text = exponent < 0 ? plainSmall(digits, exponent) : value.toString()
  return text.includes(".") ? text : `${text}.0`
}

// JavaScript changes to exponents at 1e-7, Python at 1e-5.
const plainSmall = (digits: string, exponent: number): string => {
  const sign = digits.startsWith("-") ? "-" : ""
  return `${sign}0.${"0".repeat(-exponent - 1)}${digits.replace("-", "").replace(".", "")}`
}

const signedExponent = (exponent: number): string =>
  `${exponent < 0 ? "-" : "+"}${Math.abs(exponent).toString().padStart(2, "0")}`

const bits = new DataView(new ArrayBuffer(8))

// A finite float as mantissa × 2^exponent, both integers.
const decompose = (value: number): readonly [bigint, number] => {
  bits.setFloat64(0, value)
  const raw = bits.getBigUint64(0)
  const field = Number((raw >> 52n) & 0x7ffn)
  const fraction = raw & 0xfffffffffffffn
  return field === 0 ? [fraction, -1074] : [fraction | 0x10000000000000n, field - 1075]
}

// |value| × 10^scale as integer, ties to even.
const scaled = (value: number, scale: number): bigint => {
  const [mantissa, exponent] = decompose(Math.abs(value))
  let numerator = mantissa
  let denominator = 1n
  if (scale >= 0) numerator *= 10n ** BigInt(scale)
  else denominator *= 10n ** BigInt(-scale)
  if (exponent >= 0) numerator <<= BigInt(exponent)
  else denominator <<= BigInt(-exponent)
  const quotient = numerator / denominator
  const twice = (numerator % denominator) * 2n
  return twice > denominator || (twice === denominator && quotient % 2n === 1n) ? quotient + 1n : quotient
}

/** `%.<digits>f` of the absolute value of a finite float. */
export const fixed = (value: number, digits: number): string => {
  const text = scaled(value, digits)
    .toString()
    .padStart(digits + 1, "0")
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

// The decimal exponent after rounding to this many digits, and those digits.
const significant = (value: number, count: number): readonly [string, number] => {
  if (value === 0) return ["0".repeat(count), 0]
  const exponent = Number(value.toExponential().split("e")[1])
  const digits = scaled(value, count - 1 - exponent).toString()
  return digits.length > count ? [digits.slice(0, count), exponent + 1] : [digits, exponent]
}

/** `%.<digits>e` of the absolute value of a finite float. */
export const exponential = (value: number, digits: number): string => {
  const [text, exponent] = significant(value, digits + 1)
  return `${text.slice(0, 1)}${digits > 0 ? `.${text.slice(1)}` : ""}e${signedExponent(exponent)}`
}

/**
 * `%.<digits>g` of the absolute value of a finite float; `keepZeros` is the flag `#`. An exponent is written from the
 * power of ten `most` upwards, which usually is the number of digits.
 */
export const general = (value: number, digits: number, keepZeros: boolean, most = Math.max(digits, 1)): string => {
  const count = Math.max(digits, 1)
  const [, exponent] = significant(value, count)
  const strip = (text: string): string =>
    keepZeros || !text.includes(".") ? text : text.replace(/0+$/, "").replace(/\.$/, "")
  if (exponent >= -4 && exponent < most) return strip(fixed(value, count - 1 - exponent))
  const [mantissa = "", power = ""] = exponential(value, count - 1).split("e")
  return `${strip(mantissa)}e${power}`
}

/** Python's `round(value, digits)`. */
export const roundFloat = (value: number, digits: number): number => {
  if (!Number.isFinite(value) || digits > 323) return value
  if (digits < -308) return value < 0 ? -0 : 0
  const sign = value < 0 || Object.is(value, -0) ? -1 : 1
  if (digits >= 0) return sign * Number(fixed(value, digits))
  return sign * Number(scaled(value, digits) * 10n ** BigInt(-digits))
}

// Values as text.

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

/** The text that `{{ value }}` prints. */
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

// Numbers read from text the way Python's `int` and `float` do it: digits of all scripts, white space around, underscores
// between digits.

const decimal = /^\p{Nd}$/u

/** The value of a decimal digit of any script: digits stand in Unicode in runs of ten, from zero to nine. */
const digitValue = (code: number): number => {
  let first = code
  while (decimal.test(String.fromCodePoint(first - 1))) first--
  return (code - first) % 10
}

/**
 * The text in ASCII as CPython makes it before it reads a number: digits and white space of other scripts become those of ASCII,
 * any other non-ASCII character becomes one that no number has.
 */
const inAscii = (text: string): string =>
  text.replaceAll(/[^\0-\x7f]/gu, (character) => {
    if (/[\s\x85]/u.test(character) && character !== "\ufeff") return " "
    return decimal.test(character) ? String(digitValue(character.codePointAt(0) ?? 0)) : "?"
  })

const isBlankAscii = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

/** Sign and the rest in lower case, without the white space of ASCII around. */
const signed = (text: string): readonly [sign: -1 | 1, body: string] => {
  const ascii = inAscii(text)
  let start = 0
  let end = ascii.length
  while (start < end && isBlankAscii(ascii.charCodeAt(start))) start++
  while (end > start && isBlankAscii(ascii.charCodeAt(end - 1))) end--
  const sign = ascii[start]
  const body = ascii.slice(sign === "-" || sign === "+" ? start + 1 : start, end).toLowerCase()
  return [sign === "-" ? -1 : 1, body]
}

const digitsOf = (base: number): string => "0123456789abcdefghijklmnopqrstuvwxyz".slice(0, base)

const prefixOf: Readonly<Record<number, string>> = { 2: "0b", 8: "0o", 16: "0x" }

/** Bits of a digit in the bases that Python converts whatever the length. */
const bitsOf: Readonly<Record<number, number>> = { 2: 1, 4: 2, 8: 3, 16: 4, 32: 5 }
const MAX_DIGITS = 4300

const valueIn = (digits: string, base: number): bigint => {
  const bits = bitsOf[base]
  const alphabet = digitsOf(base)
  if (base === 10) return BigInt(digits)
  if (bits !== undefined) {
    const binary = Array.from(digits, (digit) => alphabet.indexOf(digit).toString(2).padStart(bits, "0"))
    return BigInt(`0b${binary.join("")}`)
  }
  let value = 0n
  for (const digit of digits) value = value * BigInt(base) + BigInt(alphabet.indexOf(digit))
  return value
}

/** Python's `int(text, base)`; undefined where that fails. */
export const parseInteger = (text: string, base: number): number | bigint | undefined => {
  const [sign, digits] = signed(text)
  let radix = base
  let body = digits
  if (base === 0) {
    radix = [2, 8, 16].find((candidate) => digits.startsWith(prefixOf[candidate] ?? "")) ?? 10
    if (radix === 10 && /^0[0_]*[1-9]/.test(digits)) return undefined
  }
  const prefix = prefixOf[radix]
  if (prefix !== undefined && body.startsWith(prefix)) body = body.slice(2).replace(/^_/, "")
  if (radix < 2 || radix > 36) return undefined
  if (!/^[0-9a-z]+(?:_[0-9a-z]+)*$/.test(body)) return undefined
  const plain = body.replaceAll("_", "")
  if (bitsOf[radix] === undefined && plain.length > MAX_DIGITS) return undefined
  const alphabet = digitsOf(radix)
  if (![...plain].every((digit) => alphabet.includes(digit))) return undefined
  const value = valueIn(plain, radix)
  return fromBigInt(sign === -1 ? -value : value)
}

const special: Readonly<Record<string, number>> = { inf: Infinity, infinity: Infinity, nan: NaN }

/** Python's `float(text)`; undefined where that fails. */
export const parseFloatText = (text: string): number | undefined => {
  const [sign, body] = signed(text)
  const named = Object.hasOwn(special, body) ? special[body] : undefined
  if (named !== undefined) return sign * named
  if (!/^(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[-+]?\d+(?:_\d+)*)?$/.test(body)) return undefined
  return sign * Number(body.replaceAll("_", ""))
}
