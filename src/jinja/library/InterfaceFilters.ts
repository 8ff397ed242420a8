/**
 * Filters on names of interfaces, as the Python package netutils has them.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, spend } from "../Meter.ts"
import { argument, softText } from "../values/Arguments.ts"
import { library } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { elements } from "../values/Iteration.ts"
import { str } from "../values/Printing.ts"
import { pieces } from "../values/TextSplitting.ts"
import { Tuple } from "../values/Value.ts"
import type { Implementation } from "../values/Value.ts"

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
