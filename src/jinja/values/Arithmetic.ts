/**
 * Python's operators on values: integers of any size apart from floats, floor division and remainder with the sign of
 * the divisor, joining and repeating of texts and lists. Anything else fails with Python's words.
 */
import { fail } from "../Failure.ts"
import { allocate, checkTime, reserveText } from "../Meter.ts"
import { numberOf, toFloat } from "./Protocols.ts"
import { escapeHtml } from "./Text.ts"
import { formatPercent } from "./PercentFormat.ts"
import { typeName } from "./Printing.ts"
import { elementsOf, Float, fromBigInt, isInteger, isText, Markup, Tuple, Undefined, type Value } from "./Value.ts"

/** The binary arithmetic operators. */
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**"

// Integers may have this many bits; far more than any address or key needs, and quick to work with.
const maxBits = 1 << 18

const unsupported = (operator: ArithmeticOperator, a: Value, b: Value): never => {
  if (a instanceof Undefined) return fail("UndefinedError", a.message)
  if (b instanceof Undefined) return fail("UndefinedError", b.message)
  const name = operator === "**" ? "** or pow()" : operator
  return fail("TypeError", `unsupported operand type(s) for ${name}: '${typeName(a)}' and '${typeName(b)}'`)
}

// The integer that a value counts as; booleans count.
const integerOf = (value: Value): number | bigint | undefined =>
  isInteger(value) ? value : typeof value === "boolean" ? Number(value) : undefined

const boundedInteger = (value: bigint): number | bigint => {
  const bits = value.toString(16).length * 4
  if (bits > maxBits) fail("LimitExceeded", `integer of more than ${maxBits} bits`)
  // How long large numbers take is unknown before.
  checkTime()
  if (bits > 1024) allocate(bits / 64)
  return fromBigInt(value)
}

const floorDivide = (a: bigint, b: bigint): bigint => {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

const bigArithmetic = (operator: ArithmeticOperator, a: bigint, b: bigint): bigint => {
  switch (operator) {
    case "+":
      return a + b
    case "-":
      return a - b
    case "*":
      return a * b
    case "//":
      return floorDivide(a, b)
    default:
      return a - floorDivide(a, b) * b
  }
}

const integerPower = (a: number | bigint, b: number | bigint): Value => {
  if (b < 0) {
    return a == 0
      ? fail("ZeroDivisionError", "0.0 cannot be raised to a negative power")
      : new Float(toFloat(a) ** toFloat(b))
  }
  const bits = BigInt(a).toString(2).length * Number(b)
  if (a != 0 && a != 1 && a != -1 && bits > maxBits) fail("LimitExceeded", `integer of more than ${maxBits} bits`)
  const small = Number(a) ** Number(b)
  if (Number.isSafeInteger(small)) return small
  return boundedInteger(BigInt(a) ** BigInt(b))
}

const divisionByZero = (operator: ArithmeticOperator, float: boolean): never => {
  if (operator === "/") return fail("ZeroDivisionError", float ? "float division by zero" : "division by zero")
  if (float) return fail("ZeroDivisionError", operator === "%" ? "float modulo" : "float floor division by zero")
  return fail("ZeroDivisionError", operator === "%" ? "integer modulo by zero" : "integer division or modulo by zero")
}

const smallArithmetic = (operator: ArithmeticOperator, a: number, b: number): number => {
  switch (operator) {
    case "+":
      return a + b
    case "-":
      return a - b
    case "*":
      return a * b
    case "//":
      return Math.floor(a / b)
    default: {
      const rest = a % b
      return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest + 0
    }
  }
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value)

const bitLength = (value: bigint): number => value.toString(2).length

// The float nearest to the exact quotient: enough bits of it, the last one set if anything is left over.
const trueQuotient = (a: number | bigint, b: number | bigint): number => {
  if (typeof a === "number" && typeof b === "number") return a / b
  checkTime()
  const [numerator, denominator] = [magnitude(BigInt(a)), magnitude(BigInt(b))]
  const shift = Math.max(0, 66 - bitLength(numerator) + bitLength(denominator))
  const scaled = numerator << BigInt(shift)
  const quotient = scaled / denominator
  const exact = scaled % denominator === 0n ? quotient : quotient | 1n
  // In two steps, because a power of two beyond 1023 is no float.
  const result = toFloat(exact) / 2 ** Math.min(shift, 1000) / 2 ** Math.max(0, shift - 1000)
  return a < 0 === b < 0 ? result : -result
}

const integerArithmetic = (operator: ArithmeticOperator, a: number | bigint, b: number | bigint): Value => {
  if (operator === "**") return integerPower(a, b)
  if (b == 0 && (operator === "/" || operator === "//" || operator === "%")) return divisionByZero(operator, false)
  if (operator === "/") return new Float(trueQuotient(a, b))
  if (typeof a === "number" && typeof b === "number") {
    const result = smallArithmetic(operator, a, b)
    // Beyond 2^52 the quotient of two numbers may be rounded across an integer.
    if (Number.isSafeInteger(result) && (operator !== "//" || Math.abs(a) < 4503599627370496)) return result + 0
  }
  return boundedInteger(bigArithmetic(operator, BigInt(a), BigInt(b)))
}

const floatModulo = (a: number, b: number): number => {
  const rest = a % b
  if (rest === 0) return b < 0 ? -0 : 0
  return rest < 0 !== b < 0 ? rest + b : rest
}

const floatFloor = (a: number, b: number): number => {
  const quotient = Math.round((a - floatModulo(a, b)) / b)
  return quotient === 0 ? (a / b < 0 || Object.is(a / b, -0) ? -0 : 0) : quotient
}

const floatPower = (a: number, b: number): Value => {
  if (a === 0 && b < 0) return fail("ZeroDivisionError", "0.0 cannot be raised to a negative power")
  const result = a ** b
  if (Number.isNaN(result) && !Number.isNaN(a) && !Number.isNaN(b)) {
    return fail("ValueError", "complex numbers are not supported")
  }
  if (!Number.isFinite(result) && Number.isFinite(a) && Number.isFinite(b)) {
    return fail("OverflowError", "(34, 'Numerical result out of range')")
  }
  return new Float(a === 1 || b === 0 ? 1 : result)
}

const floatArithmetic = (operator: ArithmeticOperator, a: number, b: number): Value => {
  if (operator === "**") return floatPower(a, b)
  if (b === 0 && (operator === "/" || operator === "//" || operator === "%")) return divisionByZero(operator, true)
  if (operator === "/") return new Float(a / b)
  if (operator === "//") return new Float(floatFloor(a, b))
  return new Float(operator === "%" ? floatModulo(a, b) : smallArithmetic(operator, a, b))
}

/** A text repeated; none for counts below one. */
export const repeatText = (text: string, count: number | bigint): string => {
  if (count <= 0 || text === "") return ""
  reserveText(text.length * Number(count))
  return text.repeat(Number(count))
}

const repeatElements = (items: ReadonlyArray<Value>, count: number | bigint): Array<Value> => {
  if (count <= 0 || items.length === 0) return []
  allocate(items.length * Number(count))
  const result: Array<Value> = []
  for (let i = 0; i < Number(count); i++) for (const item of items) result.push(item)
  return result
}

const repeat = (value: Value, count: number | bigint): Value | undefined => {
  if (typeof value === "string") return repeatText(value, count)
  if (value instanceof Markup) return new Markup(repeatText(value.text, count))
  if (Array.isArray(value)) return repeatElements(value, count)
  return value instanceof Tuple ? new Tuple(repeatElements(value.items, count)) : undefined
}

const multiplySequence = (a: Value, b: Value): Value | undefined => {
  const right = integerOf(b)
  if (right !== undefined) return repeat(a, right)
  const left = integerOf(a)
  return left === undefined ? undefined : repeat(b, left)
}

const multiplicationError = (a: Value, b: Value): never => {
  const sequence = isText(a) || elementsOf(a) !== undefined
  if (b instanceof Undefined || !(sequence || isText(b) || elementsOf(b) !== undefined)) return unsupported("*", a, b)
  return fail("TypeError", `can't multiply sequence by non-int of type '${typeName(sequence ? b : a)}'`)
}

const joinMarkup = (a: Value, b: Value): Value | undefined =>
  isText(a) && isText(b) ? new Markup(escapeHtml(a) + escapeHtml(b)) : undefined

const concatenate = (a: Value, b: Value): Value => {
  if (typeof a === "string" && typeof b === "string") {
    reserveText(a.length + b.length)
    return a + b
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    allocate(a.length + b.length)
    return a.concat(b)
  }
  if (a instanceof Tuple && b instanceof Tuple) {
    allocate(a.items.length + b.items.length + 2)
    return new Tuple(a.items.concat(b.items))
  }
  return joinMarkup(a, b) ?? concatenationError(a, b)
}

const concatenationError = (a: Value, b: Value): never => {
  if (b instanceof Undefined) return fail("UndefinedError", b.message)
  if (isText(a)) return fail("TypeError", `can only concatenate str (not "${typeName(b)}") to str`)
  if (Array.isArray(a)) return fail("TypeError", `can only concatenate list (not "${typeName(b)}") to list`)
  if (a instanceof Tuple) return fail("TypeError", `can only concatenate tuple (not "${typeName(b)}") to tuple`)
  return unsupported("+", a, b)
}

/** `a <operator> b` as Python computes it. */
export const arithmetic = (operator: ArithmeticOperator, a: Value, b: Value): Value => {
  const leftInteger = integerOf(a)
  const rightInteger = integerOf(b)
  if (leftInteger !== undefined && rightInteger !== undefined) {
    return integerArithmetic(operator, leftInteger, rightInteger)
  }
  const left = numberOf(a)
  const right = numberOf(b)
  if (left !== undefined && right !== undefined) return floatArithmetic(operator, toFloat(left), toFloat(right))
  if (a instanceof Undefined) return unsupported(operator, a, b)
  if (operator === "%" && isText(a)) return formatPercent(a, b)
  if (operator === "+") return concatenate(a, b)
  if (operator === "*") return multiplySequence(a, b) ?? multiplicationError(a, b)
  return unsupported(operator, a, b)
}

/** Unary minus or plus. */
export const signed = (operator: "-" | "+", value: Value): Value => {
  const number = numberOf(value)
  if (number === undefined) {
    if (value instanceof Undefined) return fail("UndefinedError", value.message)
    return fail("TypeError", `bad operand type for unary ${operator}: '${typeName(value)}'`)
  }
  if (value instanceof Float) return new Float(operator === "-" ? -value.value : value.value)
  return operator === "-" ? (typeof number === "bigint" ? fromBigInt(-number) : 0 - number) : number
}
