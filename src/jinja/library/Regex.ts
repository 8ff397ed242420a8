/**
 * Regular expressions of template authors. They run on RE2, whose time grows with the length of the text only, so that
 * no expression can hang a rendering; look-around and back references, which RE2 lacks, are refused with a sentence. An expression
 * with too many states is refused before it is compiled.
 */
import { RE2JS } from "re2js"
import { fail } from "../Failure.ts"
import { allocate, checkTime, spend } from "../Meter.ts"

// How many states a regular expression has, by its text alone: `a{1000}` stands for a thousand. Counted before an expression is
// compiled, because compiling takes time and memory for each state. The count may be too high, never too low.

const REPEAT = /^\{(\d+)(?:,(\d*))?\}/
const CODE = /^\\[xpP]\{[^}]*\}/

/** The position after the bracket that ends the character class at `start`. */
const afterClass = (source: string, start: number): number => {
  const first = source[start + 1] === "^" ? start + 2 : start + 1
  for (let position = first; position < source.length; position += 1) {
    if (source[position] === "\\") position += 1
    else if (source[position] === "]" && position > first) return position + 1
  }
  return source.length
}

/** The part of an expression inside one pair of brackets: the states of what is complete, and of the last piece. */
interface Part {
  before: number
  last: number
}

const begin = (part: Part, states: number): void => {
  part.before += part.last
  part.last = states
}

const totalOf = ({ before, last }: Part): number => before + last

/** Counts the piece at `position` into the open parts; answers with its length. */
const count = (source: string, position: number, open: Array<Part>): number => {
  const part = open.at(-1) ?? { before: 0, last: 0 }
  const character = source[position]
  if (character === "\\") {
    begin(part, 1)
    return CODE.exec(source.slice(position, position + 100))?.[0].length ?? 2
  }
  if (character === "[") {
    begin(part, 1)
    return afterClass(source, position) - position
  }
  if (character === "(") {
    open.push({ before: 1, last: 0 })
    return 1
  }
  if (character === ")" && open.length > 1) {
    open.pop()
    begin(open.at(-1) ?? part, totalOf(part) + 1)
    return 1
  }
  const repeat = character === "{" ? REPEAT.exec(source.slice(position, position + 24)) : null
  if (repeat === null) {
    begin(part, 1)
    return 1
  }
  const [text, least, most] = repeat
  part.last *= Math.max(1, Number(least), Number(most ?? 0)) + 1
  return text.length
}

/** States of the expression. */
export const regexSize = (source: string): number => {
  const open: Array<Part> = [{ before: 0, last: 0 }]
  for (let position = 0; position < source.length;) position += count(source, position, open)
  return open.reduce((sum, part) => sum + totalOf(part), 0)
}

/** A match: where it is and its groups, undefined for groups that took no part. Group 0 is the whole match. */
export interface RegexMatch {
  readonly start: number
  readonly end: number
  readonly groups: ReadonlyArray<string | undefined>
}

/** A compiled expression. */
export interface Regex {
  readonly names: ReadonlyMap<string, number>
  /** Matches from left to right that do not overlap, at most so many. */
  readonly matches: (text: string, most: number) => ReadonlyArray<RegexMatch>
}

const longestPattern = 1000

// States, with repetitions multiplied out.
const largestPattern = 10_000

// States times characters of one search: about a second.
const largestSearch = 20_000_000

const compile = (pattern: string): RE2JS => {
  if (pattern.length > longestPattern) {
    return fail("LimitExceeded", `regular expression longer than ${longestPattern} characters`)
  }
  const size = regexSize(pattern)
  if (size > largestPattern) return fail("LimitExceeded", "regular expression repeats too often")
  spend((pattern.length + size) * 64)
  try {
    return RE2JS.compile(pattern)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    return fail("ValueError", `regular expression is wrong or not supported: ${reason}`)
  }
}

/** Compiles an expression. Fails with ValueError. */
export const regex = (pattern: string): Regex => {
  const compiled = compile(pattern)
  const count = compiled.groupCount()
  return {
    names: new Map(Object.entries(compiled.namedGroups()).map(([name, index]) => [name, Number(index)])),
    matches: (text, most) => {
      const work = text.length * compiled.programSize()
      if (work > largestSearch) fail("LimitExceeded", "text is too long for this regular expression")
      spend(work)
      const matcher = compiled.matcher(text)
      const matches: Array<RegexMatch> = []
      while (matches.length < most && matcher.find()) {
        allocate(count * 4 + 16)
        // Each search may have gone through the whole text.
        checkTime()
        const groups = Array.from({ length: count + 1 }, (_, index) => matcher.group(index) ?? undefined)
        matches.push({ start: matcher.start(), end: matcher.end(), groups })
      }
      return matches
    }
  }
}
