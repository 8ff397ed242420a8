/**
 * Numbers read from text the way Python's `int` and `float` do it.
 */
import { fromBigInt } from "./Value.ts"
import { stripText } from "./Text.ts"

const digitsOf = (base: number): string => "0123456789abcdefghijklmnopqrstuvwxyz".slice(0, base)

const prefixOf: Readonly<Record<number, string>> = { 2: "0b", 8: "0o", 16: "0x" }

const valueIn = (digits: string, base: number): bigint => {
  let value = 0n
  const alphabet = digitsOf(base)
  for (const digit of digits) value = value * BigInt(base) + BigInt(alphabet.indexOf(digit))
  return value
}

const native = new Set([2, 8, 10, 16])

/** Python's `int(text, base)`; undefined where that fails. */
export const parseInteger = (text: string, base: number): number | bigint | undefined => {
  const [, sign = "", digits = ""] = /^([-+]?)(.*)$/s.exec(stripText(text, undefined, true, true).toLowerCase()) ?? []
  let radix = base
  let body = digits
  if (base === 0) {
    radix = [2, 8, 16].find((candidate) => digits.startsWith(prefixOf[candidate] ?? "")) ?? 10
    if (radix === 10 && /^0[0_]*[1-9]/.test(digits)) return undefined
  }
  const prefix = prefixOf[radix]
  if (prefix !== undefined && body.startsWith(prefix)) body = body.slice(2).replace(/^_/, "")
  if (radix < 2 || radix > 36 || body.length > 4300) return undefined
  if (!/^[0-9a-z]+(?:_[0-9a-z]+)*$/.test(body)) return undefined
  const plain = body.replaceAll("_", "")
  const alphabet = digitsOf(radix)
  if (![...plain].every((digit) => alphabet.includes(digit))) return undefined
  const value = native.has(radix) ? BigInt((prefixOf[radix] ?? "") + plain) : valueIn(plain, radix)
  return fromBigInt(sign === "-" ? -value : value)
}

const special: Readonly<Record<string, number>> = { inf: Infinity, infinity: Infinity, nan: NaN }

/** Python's `float(text)`; undefined where that fails. */
export const parseFloatText = (text: string): number | undefined => {
  const [, sign = "", body = ""] = /^([-+]?)(.*)$/s.exec(stripText(text, undefined, true, true).toLowerCase()) ?? []
  const factor = sign === "-" ? -1 : 1
  const named = Object.hasOwn(special, body) ? special[body] : undefined
  if (named !== undefined) return factor * named
  if (!/^(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[-+]?\d+(?:_\d+)*)?$/.test(body)) return undefined
  return factor * Number(body.replaceAll("_", ""))
}
