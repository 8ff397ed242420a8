/**
 * Lists whose lines have sequence numbers: access lists, prefix lists, peer filters, roles, lists of patterns. The switch numbers a line
 * that is typed without a number (10, 20, … behind the highest), and prints the lines by number.
 */
import type { Entry } from "./ConfigTree.ts"
import { remembered } from "./Words.ts"

interface SequenceList {
  readonly section: RegExp
  /** Lines that get a number. Without it: only those that were typed with one have one. */
  readonly rule: RegExp | undefined
  /** What stands before the number. */
  readonly before: "" | "seq "
  /** A number that is taken is an error; else the new line replaces the old one. */
  readonly refusesTaken: boolean
}

const LISTS: ReadonlyArray<SequenceList> = [
  {
    section: /^(?:ip|ipv6|mac) access-list (?:standard )?\S+$/,
    rule: /^(?:permit (?!response traffic )|deny |remark )/,
    before: "",
    refusesTaken: true
  },
  { section: /^(?:ip|ipv6) prefix-list \S+$/, rule: /^(?:permit|deny) /, before: "seq ", refusesTaken: false },
  { section: /^peer-filter \S+$/, rule: /^match /, before: "", refusesTaken: false },
  { section: /^role \S+$/, rule: /^(?:permit|deny) /, before: "", refusesTaken: false },
  { section: /^match-list input string \S+$/, rule: /^match /, before: "", refusesTaken: false },
  { section: /^(?:alias \S+|class-map .+|policy-map .+)$/, rule: undefined, before: "", refusesTaken: true }
]

/** The list that this section is. */
export const sequenceOf: (section: string) => SequenceList | undefined = remembered((section) =>
  LISTS.find((list) => list.section.test(section))
)

const NUMBERED = /^(?:seq )?(\d+) (.*)$/

const STEP = 10
const HIGHEST = 4_294_967_295

/** The number of a line; undefined if it has none. */
const numberOf = (text: string): number | undefined => {
  const number = NUMBERED.exec(text)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** The line without its number. */
const ruleOf = (text: string): string => NUMBERED.exec(text)?.[2] ?? text

const withRule = (lines: Iterable<Entry>, rule: string): Entry | undefined => {
  for (const line of lines) if (ruleOf(line.text) === rule) return line
  return undefined
}

const next = (lines: Iterable<Entry>): number => {
  let highest = 0
  for (const { text } of lines) highest = Math.max(highest, numberOf(text) ?? 0)
  return Math.min(highest + STEP, HIGHEST)
}

/** The typed line as the list has it: with the number that the same rule has, else with the next one. */
export const numbered = (list: SequenceList, lines: ReadonlyMap<string, Entry>, text: string): string =>
  list.rule?.test(text) === true
    ? (withRule(lines.values(), text)?.text ?? `${list.before}${next(lines.values())} ${text}`)
    : text

/** Takes the lines with this number or this rule out of the list. */
export const takeOut = (list: SequenceList, lines: Map<string, Entry>, positive: string): boolean => {
  const [, number] = /^(?:seq )?(\d+)(?: |$)/.exec(positive) ?? []
  if (number !== undefined) return lines.delete(`${list.before}${number}`)
  const found = withRule(lines.values(), positive)
  if (found === undefined) return lines.delete(positive)
  for (const [key, line] of lines) if (line === found) return lines.delete(key)
  return false
}

const RESEQUENCE = /^resequence(?: (\d+))?(?: (\d+))?$/

/** Numbers the lines anew if the command says so (`resequence [start [step]]`); false for another command. */
export const resequence = (list: SequenceList, lines: Map<string, Entry>, command: string): boolean => {
  const match = RESEQUENCE.exec(command)
  if (match === null) return false
  const [start, step] = [Number(match[1] ?? STEP), Number(match[2] ?? STEP)]
  const sorted = inOrder(list, lines.values())
  lines.clear()
  let number = start
  for (const line of sorted) {
    if (numberOf(line.text) === undefined) lines.set(line.text, line)
    else {
      line.text = `${list.before}${number} ${ruleOf(line.text)}`
      lines.set(`${list.before}${number}`, line)
      number += step
    }
  }
  return true
}

/** The lines as the switch prints them: settings of the list, then by number, then what follows all numbers. */
export const inOrder = (list: SequenceList, lines: Iterable<Entry>): ReadonlyArray<Entry> =>
  [...lines].toSorted((a, b) => {
    const [first, second] = [placeOf(list, a.text), placeOf(list, b.text)]
    return first === second ? 0 : first - second
  })

const placeOf = (list: SequenceList, text: string): number =>
  numberOf(text) ?? (list.rule !== undefined && text.startsWith("permit ") ? Infinity : -1)

/** A prefix list of one line (`ip prefix-list NAME seq 10 permit …`) is a section with that line. */
export const oneLine = (positive: string): { readonly section: string; readonly rule: string } | undefined => {
  if (!positive.startsWith("ip")) return undefined
  const [, section, rule] = /^((?:ip|ipv6) prefix-list \S+) ((?:seq \d+|permit |deny ).*)$/.exec(positive) ?? []
  return section === undefined || rule === undefined ? undefined : { section, rule }
}

/** A route map's line with what it means when words are left out: `permit`, and number 10. */
export const routeMap = (text: string): string => {
  const [, name, action = "permit", number = "10"] = /^route-map (\S+)(?: (permit|deny))?(?: (\d+))?$/.exec(text) ?? []
  return name === undefined ? text : `route-map ${name} ${action} ${number}`
}
