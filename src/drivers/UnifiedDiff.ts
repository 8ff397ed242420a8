/**
 * Unified diffs between configurations: applied to a text, made for people, and hashed. Applying one shows, before a commit, what
 * the switch will run afterwards: its old running configuration changed by its own diff. The read-back after the commit is compared
 * with that (promise 2), which needs no knowledge of how a platform normalises what it is given.
 */
import { Option, TextDiff } from "effect"
import { lineCount, withOwnLinesAlike } from "../domain/ConfigLines.ts"
import type { ConfigNotation } from "../domain/platforms/Platform.ts"
import { createHash } from "node:crypto"
import { maskSecrets } from "./SecretMask.ts"

interface Hunk {
  readonly header: string
  /** Line of the old text (from 0) at which the switch sees the hunk; its header comments may shift it. */
  readonly at: number
  /** The lines of the diff, with their signs. */
  readonly lines: ReadonlyArray<string>
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

/** A hunk, with the line of the old text (from 0) at which it was found. */
export type PlacedHunk = Hunk

const HEADER = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/

const parse = (diff: string): ReadonlyArray<Hunk> | null => {
  const hunks: Array<{
    header: string
    at: number
    lines: Array<string>
    before: Array<string>
    after: Array<string>
  }> = []
  for (const line of diff.split("\n")) {
    const header = HEADER.exec(line)
    const hunk = hunks.at(-1)
    if (header !== null) {
      hunks.push({ header: line, at: Math.max(0, Number(header[1]) - 1), lines: [], before: [], after: [] })
      continue
    }
    if (hunk === undefined) return null
    hunk.lines.push(line)
    if (line.startsWith("-")) hunk.before.push(line.slice(1))
    else if (line.startsWith("+")) hunk.after.push(line.slice(1))
    else if (line.startsWith(" ") || line === "") {
      hunk.before.push(line.slice(1))
      hunk.after.push(line.slice(1))
    } else if (!line.startsWith("\\")) return null
  }
  return hunks
}

const matchesAt = (lines: ReadonlyArray<string>, block: ReadonlyArray<string>, at: number): boolean =>
  block.every((line, index) => lines[at + index] === line)

/** A block is first looked for within so many lines of its hint, where nearly all are. */
const NEAR = 64

/** How many hunks of a diff may be elsewhere; with more, the diff does not belong to this text. */
const MOST_ELSEWHERE = 100

const nearby = (lines: ReadonlyArray<string>, block: ReadonlyArray<string>, hint: number, from: number): number => {
  for (let distance = 0; distance <= NEAR; distance++) {
    for (const at of distance === 0 ? [hint] : [hint - distance, hint + distance]) {
      if (at >= from && at + block.length <= lines.length && matchesAt(lines, block, at)) return at
    }
  }
  return -1
}

/** For each line of the block, how many lines before and with it are the first ones of the block once more. */
const bordersOf = (block: ReadonlyArray<string>): ReadonlyArray<number> => {
  const borders = [0]
  let length = 0
  for (let index = 1; index < block.length; index++) {
    while (length > 0 && block[index] !== block[length]) length = borders[length - 1] ?? 0
    if (block[index] === block[length]) length++
    borders.push(length)
  }
  return borders
}

/**
 * The place of the block that is nearest to `hint`, at or after `from`; −1 when there is none. One pass over the lines, however
 * much the block repeats itself (Knuth, Morris and Pratt).
 */
const anywhere = (lines: ReadonlyArray<string>, block: ReadonlyArray<string>, hint: number, from: number): number => {
  if (block.length === 0) return Math.max(from, Math.min(hint, lines.length))
  const borders = bordersOf(block)
  let best = -1
  let length = 0
  for (let index = from; index < lines.length; index++) {
    while (length > 0 && lines[index] !== block[length]) length = borders[length - 1] ?? 0
    if (lines[index] === block[length]) length++
    if (length < block.length) continue
    const at = index + 1 - length
    if (best < 0 || Math.abs(at - hint) < Math.abs(best - hint)) best = at
    length = borders[length - 1] ?? 0
  }
  return best
}

/** The hunks of the diff where they are in the text; null when it is not a diff, or does not fit the text exactly. */
export const place = (text: string, diff: string): ReadonlyArray<PlacedHunk> | null => {
  const hunks = parse(diff)
  if (hunks === null || hunks.length === 0) return null
  const lines = text.split("\n")
  const placed: Array<PlacedHunk> = []
  let next = 0
  let shift = 0
  let elsewhere = 0
  for (const hunk of hunks) {
    const hint = hunk.at + shift
    let found = nearby(lines, hunk.before, hint, next)
    if (found < 0 && elsewhere++ < MOST_ELSEWHERE) found = anywhere(lines, hunk.before, hint, next)
    if (found < 0) return null
    shift = found - hunk.at
    placed.push({ ...hunk, at: found })
    next = found + hunk.before.length
  }
  return placed
}

/**
 * The text after the diff (without file headers); none when the diff is not one, or does not fit the text exactly. An empty diff
 * does not change the text.
 */
export const apply = (text: string, diff: string): Option.Option<string> => {
  if (diff === "") return Option.some(text)
  const hunks = place(text, diff)
  if (hunks === null) return Option.none()
  const lines = text.split("\n")
  const parts: Array<ReadonlyArray<string>> = []
  let next = 0
  for (const { after, at, before } of hunks) {
    parts.push(lines.slice(next, at), after)
    next = at + before.length
  }
  return Option.some([...parts, lines.slice(next)].flat().join("\n"))
}

// Some releases print a difference without places: changed lines below the headings of their sections, which stand there as context.

/** A line of a configuration with the lines below it. */
interface Branch {
  readonly indent: number
  readonly line: string
  readonly below: Array<Branch>
}

const indentOf = (line: string): number => line.length - line.trimStart().length

const branchesOf = (text: string): Branch => {
  const root: Branch = { indent: -1, line: "", below: [] }
  const open = [root]
  for (const line of text.split("\n")) {
    const branch = { indent: indentOf(line), line, below: [] }
    while (open.length > 1 && branch.indent <= (open.at(-1)?.indent ?? -1)) open.pop()
    open.at(-1)?.below.push(branch)
    if (line.trim() !== "") open.push(branch)
  }
  return root
}

const printed = ({ below }: Branch): ReadonlyArray<string> =>
  below.flatMap((branch) => [branch.line, ...printed(branch)])

/** A section that the difference stands in, and the place in it for the next line that is added. */
interface OpenSection {
  readonly branch: Branch
  at: number
}

/**
 * The text after a difference without places (and without file headers); none when it is something else, or names a line that the
 * text does not have. The order of added lines within their section is a guess.
 */
export const applySections = ({ own }: ConfigNotation, text: string, diff: string): Option.Option<string> => {
  const root = branchesOf(text)
  const endOf = ({ below }: Branch) => below.findLastIndex(({ line }) => line.trim() !== "" && !own.test(line)) + 1
  const open: Array<OpenSection> = [{ branch: root, at: endOf(root) }]
  for (const line of diff.split("\n")) {
    const [sign, content] = [line.charAt(0), line.slice(1)]
    if (content.trim() === "" || own.test(content)) continue
    const indent = indentOf(content)
    while (open.length > 1 && indent <= (open.at(-1)?.branch.indent ?? -1)) open.pop()
    const section = open.at(-1)
    if (section === undefined || !"+- ".includes(sign)) return Option.none()
    const { below } = section.branch
    const found = below.findIndex((branch) => branch.line.trimEnd() === content.trimEnd())
    if (sign === "+") {
      const branch = { indent, line: content, below: [] }
      below.splice(section.at++, 0, branch)
      open.push({ branch, at: 0 })
      continue
    }
    const branch = below[found]
    if (branch === undefined) return Option.none()
    if (sign === "-") below.splice(found, 1)
    section.at = sign === "-" ? found : found + 1
    open.push({ branch, at: endOf(branch) })
  }
  return Option.some(printed(root).join("\n"))
}

/**
 * A configuration before and after the diff. Lines that the device writes on its own are all alike in both: those of the diff may be others
 * than those of the text, such as the image that the device boots.
 */
export const applyToConfig = (
  notation: ConfigNotation,
  text: string,
  diff: string
): Option.Option<{ readonly before: string; readonly after: string }> => {
  const before = withOwnLinesAlike(notation, text)
  const alike = (line: string): string =>
    !HEADER.test(line) && notation.own.test(line.slice(1)) ? `${line.slice(0, 1)}${notation.comment}` : line
  return Option.map(apply(before, diff.split("\n").map(alike).join("\n")), (after) => ({ before, after }))
}

// The difference between two configurations for people: a unified diff without file headers, in the form of the switches' own diffs
// in the record.

/** Beyond so many edited lines in one place the difference is no longer minimal. */
const MAX_EDITS = 2_000

/** Lines times edits: about a tenth of a second of work, however different the texts are. */
const MOST_WORK = 15_000_000

/** How many edits of two texts are looked for. */
export const maxEdits = (before: string, after: string): number =>
  Math.min(MAX_EDITS, Math.ceil(MOST_WORK / (lineCount(before) + lineCount(after))))

/** The lines that lead from one text to the other; empty when they are equal. */
export const diff = (before: string, after: string): string =>
  before === after
    ? ""
    : TextDiff.unified(TextDiff.lines(before, after, { maxEdits: maxEdits(before, after) })).trimEnd()

// The hash that identifies a difference that a dry run has shown (docs/changes.md#fencing). Its secrets are masked, because some
// switches show the same secret differently each time; the rendered configuration shows whether they have changed.

/** SHA-256 of the difference without its secrets, lower-case hexadecimal. */
export const shownHash = (diff: string): string => createHash("sha256").update(maskSecrets(diff)).digest("hex")
