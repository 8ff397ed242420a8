/**
 * When two lines of a configuration say the same in other spellings: words that are cut short, lists of numbers, masks and
 * prefix lengths, MAC and IPv6 addresses, secrets that are shown as hashes. Which of them a platform has is in its record.
 */
import { isIPv6 } from "node:net"
import type { Platform } from "../domain/platforms/Platform.ts"
import { platforms } from "../domain/platforms/Platforms.ts"
import { replaceSecrets } from "./SecretMask.ts"

/** A line as it is compared: its words in one spelling, and how many of the first may be cut short. */
export interface Spelling {
  readonly words: ReadonlyArray<string>
  readonly shortWords: number
}

const octet = "(?:255|254|252|248|240|224|192|128|0)"
const maskPattern = new RegExp(String.raw`(\d+\.\d+\.\d+\.\d+) (${octet}\.${octet}\.${octet}\.${octet})(?![\d./])`, "g")
const inversePattern = /(\d+\.\d+\.\d+\.\d+) (0\.(?:0|1|3|7|15|31|63|127|255)\.(?:\d+)\.(?:\d+))(?![\d./])/g
const macPattern = /\b(?:[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4}|[\da-f]{2}(?:[:-][\da-f]{2}){5})\b/gi
const ipv6Pattern = /[\da-f]*:[\da-f:]*:[\da-f:.]*/gi

const bitsOf = (mask: string): string =>
  mask
    .split(".")
    .map((part) => Number(part).toString(2).padStart(8, "0"))
    .join("")

const prefixed = (whole: string, address: string, mask: string): string => {
  const length = /^(1*)0*$/.exec(bitsOf(mask))?.[1]?.length
  return length === undefined ? whole : `${address}/${length}`
}

const inversePrefixed = (whole: string, address: string, mask: string): string => {
  const length = /^(0*)1*$/.exec(bitsOf(mask))?.[1]?.length
  return length === undefined ? whole : `${address}/${length}`
}

const addresses = (line: string): string =>
  line
    .replace(maskPattern, prefixed)
    .replace(inversePattern, inversePrefixed)
    .replace(macPattern, (address) => address.replaceAll(/[.:-]/g, "").toLowerCase())
    .replace(ipv6Pattern, (address) => (isIPv6(address) ? new URL(`http://[${address}]`).hostname : address))

/** The numbers of a list such as `1,3-5`. */
export const numbersOf = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number)
    return last < first || last - first > 5_000 ? [] : Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })

const sortedList = (command: string, list: string): string =>
  `${command} ${[...new Set(numbersOf(list))].toSorted((a, b) => a - b).join(",")}`

const hidden = "********"
const kinds = /\s(?:0|[4-9]|7u?|8a|10|\$\w+\$|sha512|sha256|encrypted|clear|plain-text|ascii-text)(?=\s\*{8})/g

/** Brings lines into one spelling. */
type Speller = (line: string) => Spelling

const makeSpeller = (platform: Platform): Speller => {
  const { shown } = platform
  const withoutSecrets = (line: string) => replaceSecrets(line, () => hidden).replaceAll(kinds, "")
  return (line) => {
    const single = line.replaceAll(/\s+/g, " ")
    const free = shown?.freeText.exec(single)?.[0]
    if (free !== undefined) return { words: single.split(" "), shortWords: free.trim().split(" ").length }
    const listed =
      shown === undefined ? single : single.replace(shown.lists, (_, command, list) => sortedList(command, list))
    const joined = addresses(withoutSecrets(listed)).replace(/^(interface [A-Za-z-]+) (?=\d)/i, "$1")
    const words = joined.split(" ")
    return { words, shortWords: words.length }
  }
}

const spellers: ReadonlyMap<string, Speller> = new Map(
  platforms.map((platform) => [platform.name, makeSpeller(platform)])
)

/** What brings the lines of a platform into one spelling. */
export const spellingOf = (platform: Platform): Speller => spellers.get(platform.name) ?? makeSpeller(platform)

const split = /^([a-z][a-z-]*)([\d/.,:-]*)$/i

/** Whether a word that was given stands for one that is shown: the same, or its beginning; numbers behind it are equal. */
const standsFor = (given: string, shown: string): boolean => {
  if (given === shown) return true
  const [, short, number] = split.exec(given) ?? []
  const [, long, same] = split.exec(shown) ?? []
  if (short === undefined || long === undefined || number !== same) return false
  return long.toLowerCase().startsWith(short.toLowerCase())
}

/** Whether a line that was given is one that is shown. The last word of several is a value, which is never cut short. */
export const isSpelled = (given: Spelling, shown: Spelling): boolean => {
  const { words } = given
  if (words.length !== shown.words.length) return false
  return words.every((word, at) => {
    const other = shown.words[at] ?? ""
    const mayBeShort = at < given.shortWords && (at < words.length - 1 || /\d$/.test(word) || words.length === 1)
    return mayBeShort ? standsFor(word, other) : word === other
  })
}
