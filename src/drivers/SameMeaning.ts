/**
 * Whether a switch shows a line in another spelling or with another meaning (docs/changes.md#spellings). A spelling has the same
 * numbers, addresses and names in the same order and behind the same keywords, the same `no`, and a secret if and only if the line
 * has one. Every keyword of the line is in it, whole or completed; keywords that negate are not added. Pure.
 */
import type { Platform } from "../domain/platforms/Platform.ts"
import { addresses, numbersOf, withoutPosition, withoutSecrets } from "./MissingLines.ts"

// What stands for what. A word behind one of NAMES is a name, whatever it looks like.

const NAMES = new Set(
  "access-class access-group access-list alias as-path class class-map community community-list domain domain-name group host-name hostname instance keychain name policy policy-map prefix-list profile role route-map source-interface user username vrf".split(
    " "
  )
)

/** Words whose presence turns a line into its opposite or takes something away. */
const NEGATING = new Set(
  "clear deny disable disabled discard drop except never no none nopassword not off permit reject remove shutdown".split(
    " "
  )
)

const OPERATORS = new Set(["eq", "gt", "lt", "neq", "range"])

/** Names of ports behind an operator of an access list (IANA). */
const PORTS: ReadonlyMap<string, number> = new Map([
  ["ftp-data", 20],
  ["ftp", 21],
  ["ssh", 22],
  ["telnet", 23],
  ["smtp", 25],
  ["tacacs", 49],
  ["domain", 53],
  ["bootps", 67],
  ["bootpc", 68],
  ["tftp", 69],
  ["www", 80],
  ["http", 80],
  ["pop3", 110],
  ["sunrpc", 111],
  ["nntp", 119],
  ["ntp", 123],
  ["netbios-ns", 137],
  ["netbios-dgm", 138],
  ["netbios-ssn", 139],
  ["snmp", 161],
  ["snmptrap", 162],
  ["bgp", 179],
  ["ldap", 389],
  ["https", 443],
  ["isakmp", 500],
  ["syslog", 514],
  ["lpd", 515],
  ["rip", 520],
  ["ldaps", 636],
  ["radius", 1812],
  ["radius-acct", 1813],
  ["bfd", 3784]
])

/** Names of protocols behind `permit` and `deny` (IANA). */
const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ["icmp", 1],
  ["igmp", 2],
  ["tcp", 6],
  ["udp", 17],
  ["rsvp", 46],
  ["gre", 47],
  ["esp", 50],
  ["ahp", 51],
  ["icmpv6", 58],
  ["ospf", 89],
  ["pim", 103],
  ["vrrp", 112]
])

/** Classes of DSCP (RFC 2474, 2597, 3246). */
const CLASSES: ReadonlyMap<string, number> = new Map([
  ["ef", 46],
  ...Array.from({ length: 8 }, (_, at) => [`cs${at}`, at * 8] as const),
  ...[1, 2, 3, 4].flatMap((row) => [1, 2, 3].map((drop) => [`af${row}${drop}`, row * 8 + drop * 2] as const))
])

/** A line as its values with the keywords before each, and the keywords behind the last one as well. */
interface Meaning {
  readonly hasSecret: boolean
  /** `last`: the keyword directly before the value, if no other value is there. */
  readonly values: ReadonlyArray<{
    readonly value: string
    readonly last: string | undefined
    readonly before: ReadonlyArray<string>
  }>
  readonly keywords: ReadonlyArray<string>
}

const SECRET = "********"

const keyword = /^[a-z][a-z-]*$/
const numeric = /^\d+(?:[,-]\d+)*$/
const address = /^(?:\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])(?:\/\d+)?$/i
const interfaceName = /^([a-z-]{2,})(\d[\d/.:]*)$/i

/** An address alone is the same as one with all bits in its prefix; all zeros are any address, also with the mask of an access list. */
const addressValue = (word: string): string => {
  if (word === "0.0.0.0/0" || word === "0.0.0.0/32" || word === "[::]/0") return "any"
  return word.replace(/(?<=^\d+\.\d+\.\d+\.\d+)\/32$|(?<=^\[.*\])\/128$/, "")
}

const longName = ({ interfaces }: Platform, word: string): string => {
  const [, letters = "", numbers] = interfaceName.exec(word) ?? []
  if (numbers === undefined) return word
  const known = interfaces.short.find(([, long]) => long.toLowerCase().startsWith(letters.toLowerCase()))
  return known === undefined ? word : `${known[1]}${numbers}`
}

/** The numbers of a list in order and once each; a list that is too long stays a word. */
const listed = (word: string): ReadonlyArray<string> => {
  const numbers = [...new Set(numbersOf(word))].toSorted((a, b) => a - b)
  return numbers.length === 0 ? [word] : numbers.map(String)
}

/** The number that a word stands for in its place. */
const namedNumber = (words: ReadonlyArray<string>, at: number): number | undefined => {
  const word = words[at] ?? ""
  const previous = words[at - 1] ?? ""
  if (previous === "permit" || previous === "deny") return PROTOCOLS.get(word)
  if (previous === "dscp") return CLASSES.get(word)
  return PORTS.has(word) && words.slice(0, at).some((earlier) => OPERATORS.has(earlier)) ? PORTS.get(word) : undefined
}

/** The values that a word stands for; none for a keyword. */
const valuesOf = (platform: Platform, words: ReadonlyArray<string>, at: number): ReadonlyArray<string> => {
  const word = words[at] ?? ""
  const named = namedNumber(words, at)
  if (named !== undefined) return [String(named)]
  if (NAMES.has(words[at - 1] ?? "") && !NAMES.has(word)) return [word]
  if (address.test(word) || word === "any") return [addressValue(word)]
  if (numeric.test(word)) return listed(word)
  return keyword.test(word) ? [] : [longName(platform, word)]
}

/** `host` only says that the address behind it has no prefix. */
const withoutHost = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.filter((word, at) => word !== "host" || !address.test(words[at + 1] ?? ""))

/** The meaning of lines of one section; a spelling can have several. */
const meaningOf = (platform: Platform, lines: ReadonlyArray<string>): Meaning => {
  const values: Array<Meaning["values"][number]> = []
  const keywords: Array<string> = []
  let hasSecret = false
  for (const line of lines) {
    const plain = addresses(withoutSecrets(line.replace(/^no /, "")))
    const words = withoutHost(
      (platform.shown?.synonyms ?? []).reduce((text, [from, to]) => text.replace(from, to), plain).split(" ")
    )
    let before: Array<string> = []
    let isBehindValue = false
    for (const [at, word] of words.entries()) {
      const found = word === SECRET ? [] : valuesOf(platform, words, at)
      if (word === SECRET) {
        hasSecret = true
        before = []
        isBehindValue = false
      } else if (found.length === 0) {
        const parts = word.split("-").filter((part) => part !== "")
        keywords.push(...parts)
        before.push(...parts)
        isBehindValue = false
      }
      for (const value of found) {
        values.push({ value, last: isBehindValue ? undefined : before.at(-1), before })
        before = []
        isBehindValue = true
      }
    }
  }
  return { hasSecret, values, keywords }
}

const isValueKept = (given: Meaning["values"][number], shown: Meaning["values"][number] | undefined): boolean => {
  const { last, value } = given
  return value === shown?.value && (last === undefined || shown.before.some((word) => word.startsWith(last)))
}

/** The keywords that were added; undefined if one of the given is neither there nor completed. */
const added = (given: ReadonlyArray<string>, shown: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const left = [...shown]
  const take = (at: number) => at >= 0 && left.splice(at, 1).length > 0
  const others = given.filter((word) => !take(left.indexOf(word)))
  const isEachCompleted = others.every((word) => take(left.findIndex((other) => other.startsWith(word))))
  return isEachCompleted ? left : undefined
}

/** A text that is shown unchanged behind its command; undefined for another line. */
const textOf = ({ shown }: Platform, line: string) => {
  const command = shown?.freeText.exec(line)?.[0]
  return command === undefined ? undefined : { command: command.trim().split(" "), text: line.slice(command.length) }
}

const isTextKept = (platform: Platform, line: string, shown: ReadonlyArray<string>): boolean | undefined => {
  const given = textOf(platform, line)
  if (given === undefined) return undefined
  const [only, ...others] = shown.map((other) => textOf(platform, other))
  if (only === undefined || others.length > 0 || only.text !== given.text) return false
  return (
    only.command.length === given.command.length &&
    given.command.every((word, at) => only.command[at]?.startsWith(word) === true)
  )
}

const single = (line: string): string => line.trim().replaceAll(/\s+/g, " ")

/** Whether these lines are a spelling of the line; false for no lines. */
export const keepsMeaning = (platform: Platform, line: string, shown: ReadonlyArray<string>): boolean => {
  if (shown.length === 0) return false
  const given = single(line)
  const lines = shown.map((other) => withoutPosition(platform, given, single(other)))
  const text = isTextKept(platform, given, lines)
  if (text !== undefined) return text
  const isNegated = given.startsWith("no ")
  if (lines.some((other) => other.startsWith("no ") !== isNegated)) return false
  const [before, after] = [meaningOf(platform, [given]), meaningOf(platform, lines)]
  if (before.hasSecret !== after.hasSecret || before.values.length !== after.values.length) return false
  if (!before.values.every((value, at) => isValueKept(value, after.values[at]))) return false
  const more = added(before.keywords, after.keywords)
  return more !== undefined && !more.some((word) => NEGATING.has(word))
}
