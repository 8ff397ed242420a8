/**
 * Applies a unified diff to a text. With it we know, before a commit, what the switch says it will run afterwards: its old
 * running configuration changed by its own diff. The read-back after the commit is compared with that (promise 2), which
 * needs no knowledge of how a platform normalises what it is given.
 */
import { Option } from "effect"

interface Hunk {
  /** Line of the old text (from 0) at which the switch sees the hunk; its header comments may shift it. */
  readonly at: number
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

/** What a line of a hunk begins with; behind a backslash is a remark. */
const SIGNS = "-+ \\"

const HEADER = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/

const parse = (diff: string): ReadonlyArray<Hunk> | null => {
  const hunks: Array<{ at: number; before: Array<string>; after: Array<string> }> = []
  for (let start = 0, end = 0; start <= diff.length; start = end + 1) {
    const next = diff.indexOf("\n", start)
    end = next < 0 ? diff.length : next
    const sign = end === start ? " " : diff.charAt(start)
    const header = sign === "@" ? HEADER.exec(diff.slice(start, end)) : null
    const hunk = hunks.at(-1)
    if (header !== null) hunks.push({ at: Math.max(0, Number(header[1]) - 1), before: [], after: [] })
    else if (hunk === undefined || !SIGNS.includes(sign)) return null
    else if (sign !== "\\") {
      const line = diff.slice(start + 1, end)
      if (sign !== "+") hunk.before.push(line)
      if (sign !== "-") hunk.after.push(line)
    }
  }
  return hunks
}

const matchesAt = (lines: ReadonlyArray<string>, block: ReadonlyArray<string>, at: number): boolean =>
  block.every((line, index) => lines[at + index] === line)

/** The place of the block that is nearest to `hint`, at or after `from`; −1 when there is none. */
const locate = (lines: ReadonlyArray<string>, block: ReadonlyArray<string>, hint: number, from: number): number => {
  for (let distance = 0; distance <= lines.length; distance++) {
    for (const at of distance === 0 ? [hint] : [hint - distance, hint + distance]) {
      if (at >= from && at + block.length <= lines.length && matchesAt(lines, block, at)) return at
    }
  }
  return -1
}

/**
 * The text after the diff (without file headers); none when the diff is not one, or does not fit the text exactly. An empty
 * diff leaves the text as it is.
 */
export const apply = (text: string, diff: string): Option.Option<string> => {
  if (diff === "") return Option.some(text)
  const hunks = parse(diff)
  if (hunks === null || hunks.length === 0) return Option.none()
  const lines = text.split("\n")
  const result: Array<string> = []
  const keepUntil = (end: number) => {
    for (let index = next; index < end; index++) result.push(lines[index] ?? "")
  }
  let next = 0
  let shift = 0
  for (const { after, at, before } of hunks) {
    const found = locate(lines, before, at + shift, next)
    if (found < 0) return Option.none()
    shift = found - at
    keepUntil(found)
    for (const line of after) result.push(line)
    next = found + before.length
  }
  keepUntil(lines.length)
  return Option.some(result.join("\n"))
}
