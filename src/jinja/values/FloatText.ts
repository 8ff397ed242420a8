/**
 * Floats as text, the way Python writes them: the shortest digits that read back (`repr`), and the rounded forms of
 * `%f`, `%e` and `%g`. Rounding is done on the exact binary value, ties to even.
 */

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
