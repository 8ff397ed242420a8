/**
 * Filters on MAC addresses, as the Python package netutils has them. The case of letters is kept.
 */
import { fail } from "../Failure.ts"
import { softText } from "../values/Arguments.ts"
import { library } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"

const shapes = [
  /^[\da-f]{12}$/i,
  /^(?:[\da-f]{2}[:-]){5}[\da-f]{2}$/i,
  /^(?:[\da-f]{2}\.){5}[\da-f]{2}$/i,
  /^[\da-f]{4}([.:-])[\da-f]{4}\1[\da-f]{4}$/i,
  /^[\da-f]{6}[.:-][\da-f]{6}$/i
]

const isMac = (text: string): boolean => shapes.some((shape) => shape.test(text))

const digits = (text: string): string =>
  isMac(text) ? text.replace(/[^\da-f]/gi, "") : fail("AssertionError", `'${text}' is not a MAC address`)

const formats: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["MAC_NO_SPECIAL", [12, ""]],
  ["MAC_COLON_TWO", [2, ":"]],
  ["MAC_COLON_FOUR", [4, ":"]],
  ["MAC_DASH_TWO", [2, "-"]],
  ["MAC_DASH_FOUR", [4, "-"]],
  ["MAC_DOT_TWO", [2, "."]],
  ["MAC_DOT_FOUR", [4, "."]]
])

const toFormat = (text: string, format: string): string => {
  const [size, separator] = formats.get(format) ?? fail("ValueError", `An invalid mac format provided: ${format}`)
  return (
    digits(text)
      .match(new RegExp(`.{${size}}`, "g"))
      ?.join(separator) ?? ""
  )
}

/** MAC addresses. */
export const macFilters: Library = library({
  "mac_to_format(mac, frmt='MAC_NO_SPECIAL')": (args) => toFormat(softText(args, 0), softText(args, 1)),
  "mac_normalize(mac)": (args) => digits(softText(args, 0)),
  "is_valid_mac(mac)": (args) => isMac(softText(args, 0))
})
