/**
 * Filters on VLAN lists, AS numbers and bandwidths, as the Python package netutils has them.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, GrowingText } from "../Meter.ts"
import { argument, integerArgument, softText } from "../values/Arguments.ts"
import { library } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { fixed } from "../values/FloatText.ts"
import { elements } from "../values/Iteration.ts"
import { parseInteger } from "../values/NumberText.ts"
import { str } from "../values/Printing.ts"
import { isText, textOf } from "../values/Value.ts"
import type { Implementation, Value } from "../values/Value.ts"

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
