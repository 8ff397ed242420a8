/**
 * The checks of number ranges written as text: VLANs of an interface and the site's VNI range
 * (docs/settings-repository.md#how-values-are-checked).
 */

const MAX_VLAN = 4094
const MAX_VNI = 16_777_215

const INTEGER = /^\s*[+-]?[0-9]+(_[0-9]+)*\s*$/

const parseInteger = (text: string): number | undefined =>
  INTEGER.test(text) ? Number(text.replaceAll("_", "")) : undefined

const notANumber = (text: string) =>
  `Value error, invalid literal for int() with base 10: '${text.slice(0, 100).replaceAll("'", "\\'")}'`

/** Both ends of `low-high` as numbers, or the message that says what is wrong with the text. */
const parseEnds = (value: string): readonly [number, number] | string => {
  const parts = value.split("-")
  if (parts.length > 2) return "Value error, too many values to unpack (expected 2)"
  const [low = "", high = ""] = parts
  const first = parseInteger(low)
  const last = parseInteger(high)
  if (first === undefined) return notANumber(low)
  return last === undefined ? notANumber(high) : [first, last]
}

const rangeFault = (value: string, highest: number, kind: string): string | undefined => {
  const ends = parseEnds(value)
  if (typeof ends === "string") return ends
  const [low, high] = ends
  if (low >= high) return "Assertion failed, Start of range must be less than end of range"
  return low < 1 || high > highest ? `Assertion failed, ${kind} IDs in range must be between 1-${highest}` : undefined
}

/** Nothing when the text is one VLAN id or a range `n-m` within 1–4094, else the message. */
export const vlanRangeFault = (value: string): string | undefined => {
  if (value.includes("-")) return rangeFault(value, MAX_VLAN, "VLAN")
  const id = parseInteger(value)
  if (id === undefined) return notANumber(value)
  return id < 1 || id > MAX_VLAN ? `Assertion failed, VLAN IDs in range must be between 1-${MAX_VLAN}` : undefined
}

/** Nothing when the text is a range `low-high` of VNIs, else the message. */
export const vniRangeFault = (value: string): string | undefined =>
  value.includes("-")
    ? rangeFault(value, MAX_VNI, "VNI")
    : "Assertion failed, Range must be specified, ex '10000-99999'"

/** The two ends of a VNI range that has passed the check. */
export const vniRangeEnds = (value: string): readonly [number, number] => {
  const ends = parseEnds(value)
  return typeof ends === "string" ? [1, MAX_VNI] : ends
}
