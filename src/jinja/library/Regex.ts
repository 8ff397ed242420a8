/**
 * Regular expressions of template authors. They run on RE2, whose time grows with the length of the text only, so that
 * no expression can hang a rendering; look-around and back references, which RE2 lacks, are refused with a sentence.
 */
import { RE2JS } from "re2js"
import { fail } from "../Failure.ts"
import { allocate, checkTime, spend } from "../Meter.ts"
import { regexSize } from "./RegexSize.ts"

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

// States times characters that one search may look at: about a second.
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
