/**
 * Filters on numbers, and the conversions to numbers.
 */
import { fail } from "../Failure.ts"
import { argument, integerArgument, numberArgument } from "../values/Arguments.ts"
import { arithmetic, signed } from "../values/Arithmetic.ts"
import { library } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { compare, numberOf } from "../values/Equality.ts"
import { fixed, roundFloat } from "../values/FloatText.ts"
import { truthy } from "../values/Iteration.ts"
import { parseFloatText, parseInteger } from "../values/NumberText.ts"
import { truncated } from "../values/PercentFormat.ts"
import { typeName } from "../values/Printing.ts"
import { Float, fromBigInt, isInteger, isText, textOf, Undefined } from "../values/Value.ts"
import type { Implementation, Value } from "../values/Value.ts"

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
