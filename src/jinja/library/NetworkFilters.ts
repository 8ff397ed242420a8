/**
 * Filters on names of interfaces, VLAN lists, AS numbers, bandwidths and MAC addresses, as the Python package netutils has them.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, GrowingText, spend } from "../Meter.ts"
import { argument, integerArgument, library, type Library, softText } from "../values/Builtin.ts"
import { elements } from "../values/Protocols.ts"
import { fixed, parseInteger, str } from "../values/Printing.ts"
import { pieces } from "../values/Text.ts"
import { type Implementation, isText, textOf, Tuple, type Value } from "../values/Value.ts"

const mostNames = 10_000

// The values of a range inside brackets, such as `1,3-5` or `a-c`.
const alternatives = (inner: string): ReadonlyArray<string> =>
  pieces(inner, ",").flatMap((part) => {
    const [low = "", high] = part.trim().split("-")
    if (high === undefined) return [low]
    const letters = /^[a-z]$/i.test(low) && /^[a-z]$/i.test(high)
    const [from, to] = letters ? [low.charCodeAt(0), high.charCodeAt(0)] : [Number(low), Number(high)]
    if (!(letters || (/^\d+$/.test(low) && /^\d+$/.test(high))) || from > to || to - from > mostNames) {
      return fail("ValueError", `'${part}' is not a range`)
    }
    allocate((to - from + 1) * 4)
    return Array.from({ length: to - from + 1 }, (_, index) =>
      letters ? String.fromCharCode(from + index) : `${from + index}`
    )
  })

const expandRange: Implementation = (args) => {
  let names = [""]
  for (const [, text = "", inner] of softText(args, 0).matchAll(/([^[\]]+)|\[([^[\]]*)\]/g)) {
    const choices = inner === undefined ? [text] : alternatives(inner)
    if (names.length * choices.length > mostNames) fail("LimitExceeded", `more than ${mostNames} names`)
    allocate(names.length * choices.length * 4)
    names = names.flatMap((name) => choices.map((choice) => name + choice))
  }
  return names
}

// How much of a text stands before the characters of a kind at its end. Not by an expression, which would begin anew at each.
const headLength = (text: string, isTail: RegExp): number => {
  let end = text.length
  while (end > 0 && isTail.test(text.charAt(end - 1))) end--
  spend(text.length - end)
  return end
}

const split = (name: string): readonly [string, string] => {
  const head = name.slice(0, headLength(name, /[/\\0-9. ]/))
  return [head, name.slice(head.length).trimStart()]
}

// Numbers in names compare as numbers.
const wordsAndNumbers = (name: string): ReadonlyArray<string | number> =>
  (name.match(/\d+|\D+/g) ?? []).map((part) => (/^\d/.test(part) ? Number(part) : part))

const comparePieces = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : str(a) < str(b) ? -1 : str(a) > str(b) ? 1 : 0

const compareNames = (a: string, b: string): number => {
  borrow((a.length + b.length) * 4)
  const [left, right] = [wordsAndNumbers(a), wordsAndNumbers(b)]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = comparePieces(left[i] ?? "", right[i] ?? "")
    if (order !== 0) return order
  }
  return left.length - right.length
}

const sortNames = (args: Parameters<Implementation>[0]): Array<string> => {
  const names = elements(argument(args, 0))
  allocate(names.length * 2)
  return names.map(str).toSorted(compareNames)
}

const compress: Implementation = (args) => {
  const ranges: Array<{ readonly head: string; readonly first: number; last: number }> = []
  for (const name of sortNames(args)) {
    allocate(8)
    const end = headLength(name, /\d/)
    const [head, number] = [name.slice(0, end), name.slice(end)]
    const last = ranges.at(-1)
    if (number === "") ranges.push({ head: name, first: NaN, last: NaN })
    else if (last !== undefined && last.head === head && last.last + 1 === Number(number)) last.last++
    else ranges.push({ head, first: Number(number), last: Number(number) })
  }
  return ranges.map(({ head, first, last }) => {
    if (Number.isNaN(first)) return head
    return first === last ? `${head}${first}` : `${head}${first}-${last}`
  })
}

const kinds: ReadonlyArray<readonly [short: string, long: string, ...others: ReadonlyArray<string>]> = [
  ["Et", "Ethernet", "Eth"],
  ["Fa", "FastEthernet"],
  ["Gi", "GigabitEthernet", "Gig"],
  ["Te", "TenGigabitEthernet", "Ten", "TenGig"],
  ["Fo", "FortyGigabitEthernet"],
  ["Hu", "HundredGigE", "HundredGigabitEthernet"],
  ["Lo", "Loopback"],
  ["Ma", "Management", "Mgmt"],
  ["Po", "Port-channel", "PortChannel"],
  ["Tu", "Tunnel"],
  ["Vl", "Vlan"]
]

const kindOf = (name: string): (typeof kinds)[number] | undefined =>
  kinds.find((names) => names.some((known) => known.toLowerCase() === name.toLowerCase()))

const renamed =
  (which: 0 | 1): Implementation =>
  (args) => {
    const [head, tail] = split(softText(args, 0))
    return (kindOf(head)?.[which] ?? head) + tail
  }

/** Names of interfaces. */
export const interfaceFilters: Library = library({
  "interface_range_expansion(interface_pattern)": expandRange,
  "interface_range_compress(interface_list)": compress,
  "split_interface(interface)": (args) => new Tuple(split(softText(args, 0))),
  "sort_interface_list(interfaces)": sortNames,
  "abbreviated_interface_name(interface)": renamed(0),
  "canonical_interface_name(interface)": renamed(1)
})

// Filters on VLAN lists, AS numbers and bandwidths, as the Python package netutils has them.

const highestVlan = 4094

const vlanOf = (value: Value): number => {
  const vlan = isText(value) ? parseInteger(textOf(value), 10) : value
  const valid = typeof vlan === "number" && vlan >= 1 && vlan <= highestVlan
  return valid ? vlan : fail("ValueError", `Valid VLAN range is 1-${highestVlan}`)
}

// Runs of consecutive numbers.
const runs = (numbers: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> => {
  const found: Array<[number, number]> = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else found.push([number, number])
  }
  return found
}

const parts = (first: number, last: number, smallest: number): ReadonlyArray<string> =>
  last - first + 1 >= smallest
    ? [`${first}-${last}`]
    : Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`)

// Lines of whole entries; the first may be longer because less stands in front of it.
const lines = (entries: ReadonlyArray<string>, first: number, other: number): Array<string> => {
  const result: Array<string> = []
  for (const entry of entries) {
    const line = result.at(-1)
    const limit = result.length === 1 ? first : other
    if (line !== undefined && line.length + 1 + entry.length <= limit) result[result.length - 1] = `${line},${entry}`
    else result.push(entry)
  }
  return result
}

const toConfig: Implementation = (args) => {
  const given = elements(argument(args, 0))
  borrow(given.length * 8)
  const vlans = [...new Set(given.map(vlanOf))].toSorted((a, b) => a - b)
  const smallest = integerArgument(args, 3)
  const entries = runs(vlans).flatMap(([first, last]) => parts(first, last, smallest))
  return lines(entries, integerArgument(args, 1), integerArgument(args, 2))
}

const listText = (entries: ReadonlyArray<Value>): string => {
  const text = new GrowingText()
  for (const entry of entries) text.add(`${str(entry)},`)
  return text.toString()
}

const toList: Implementation = (args) => {
  const value = argument(args, 0)
  const text = isText(value) ? textOf(value) : listText(elements(value))
  const vlans: Array<Value> = []
  for (const [, low = "", high = low] of text.matchAll(/(\d+)(?:\s*-\s*(\d+))?/g)) {
    for (let vlan = vlanOf(Number(low)); vlan <= vlanOf(Number(high)); vlan++) {
      allocate(2)
      vlans.push(vlan)
    }
  }
  return vlans
}

const asnToInteger: Implementation = (args) => {
  const match = /^(?:(\d+)\.)?(\d+)$/.exec(softText(args, 0))
  if (match === null) return fail("ValueError", `'${softText(args, 0)}' is not an AS number`)
  return Number(match[1] ?? 0) * 65536 + Number(match[2])
}

const integerToDotted: Implementation = (args) => {
  const asn = integerArgument(args, 0)
  if (asn < 1 || asn > 0xffffffff) return fail("ValueError", `${asn} is not an AS number`)
  return asn < 65536 ? `${asn}` : `${Math.floor(asn / 65536)}.${asn % 65536}`
}

const units: ReadonlyArray<readonly [string, number]> = [
  ["T", 1e12],
  ["G", 1e9],
  ["M", 1e6],
  ["K", 1e3],
  ["", 1]
]

const mostDecimals = 1000

const bitsToName: Implementation = (args) => {
  const speed = integerArgument(args, 0)
  const [letter, factor] = units.find(([, size]) => speed >= size) ?? ["", 1]
  const decimals = integerArgument(args, 1)
  if (Math.abs(decimals) > mostDecimals) return fail("ValueError", "precision too big")
  return `${fixed(speed / factor, decimals)}${letter}bps`
}

const nameToBits: Implementation = (args) => {
  const [, number, letter = "", kind] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)([bB])ps$/i.exec(softText(args, 0)) ?? []
  if (number === undefined) return fail("ValueError", `Speed of ${softText(args, 0)} is not a valid speed.`)
  const factor = units.find(([name]) => name === letter.toUpperCase())?.[1] ?? 1
  return Math.round(Number(number) * factor * (kind === "B" ? 8 : 1))
}

/** VLAN lists, AS numbers and bandwidths. */
export const vlanFilters: Library = library({
  "vlanlist_to_config(vlan_list, first_line_len=48, other_line_len=44, min_grouping_size=3)": toConfig,
  "vlanconfig_to_list(vlan_config)": toList,
  "asn_to_int(asplain)": asnToInteger,
  "int_to_asdot(asn_int)": integerToDotted,
  "bits_to_name(speed, nbr_decimal=0)": bitsToName,
  "name_to_bits(speed)": nameToBits
})

// Filters on MAC addresses, as the Python package netutils has them. The case of letters is kept.

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
