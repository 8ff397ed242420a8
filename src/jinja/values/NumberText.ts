/**
 * Numbers read from text the way Python's `int` and `float` do it: digits of all scripts, white space around, underscores
 * between digits.
 */
import { fromBigInt } from "./Value.ts"

const decimal = /^\p{Nd}$/u

/** The value of a decimal digit of any script: digits stand in Unicode in runs of ten, from zero to nine. */
const digitValue = (code: number): number => {
  let first = code
  while (decimal.test(String.fromCodePoint(first - 1))) first--
  return (code - first) % 10
}

/**
 * The text in ASCII as CPython makes it before it reads a number: digits and white space of other scripts become those of
 * ASCII, all else that ASCII does not have becomes what no number has.
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
