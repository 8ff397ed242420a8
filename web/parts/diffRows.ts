/**
 * The rows of a unified diff: lines with both their numbers, changed words, and gaps for what is not shown. The same rows in two columns.
 * Pure.
 */

export interface DiffLine {
  readonly kind: "+" | "-" | " "
  readonly text: string
  /** Its number before and after the change; null on the other side, and in a diff without numbers. */
  readonly old: number | null
  readonly new: number | null
  /** The characters that differ from the line that it replaces or is replaced by: from, and to before. */
  readonly mark: readonly [number, number] | null
}

/** Equal lines that are not shown. */
export interface DiffGap {
  readonly kind: "gap"
  readonly hidden: number
  /** The section that the next difference is in; empty when that is not known. */
  readonly section: string
  /** The lines; empty when the diff does not have them. */
  readonly lines: ReadonlyArray<DiffLine>
}

/** A line of the diff that is no line of the text: the name of a file. */
export interface DiffNote {
  readonly kind: "@"
  readonly text: string
}

export type DiffRow = DiffLine | DiffGap | DiffNote

/** Equal lines that stay beside a difference. */
const CONTEXT = 3
/** Fewer equal lines than these are not folded. */
const WORTH_FOLDING = 4
/** The part of two lines that must be equal before their difference is marked. */
const ALIKE = 0.3

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

interface Hunk {
  readonly kind: "hunk"
  /** Equal lines before it that the diff does not have. */
  readonly before: number
  readonly section: string
}

const isWord = (character: string | undefined) => character !== undefined && /\w/.test(character)

/** The ranges in which two lines differ, in whole words; null for lines that have little in common. */
export const differenceOf = (
  one: string,
  other: string
): readonly [readonly [number, number], readonly [number, number]] | null => {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end++
  const alike = one.slice(0, start).trim().length + one.slice(one.length - end).trim().length
  if (alike < Math.max(one.trim().length, other.trim().length) * ALIKE) return null
  while (start > 0 && isWord(one[start - 1]) && (isWord(one[start]) || isWord(other[start]))) start--
  const after = (text: string) => text[text.length - end]
  const before = (text: string) => text[text.length - end - 1]
  while (end > 0 && isWord(after(one)) && (isWord(before(one)) || isWord(before(other)))) end--
  return [
    [start, one.length - end],
    [start, other.length - end]
  ]
}

/** Marks removed lines and the added lines right after them, one by one. */
const withMarks = <Row extends { readonly kind: string }>(
  rows: ReadonlyArray<Row | DiffLine>
): ReadonlyArray<Row | DiffLine> => {
  const marked = [...rows]
  const isLine = (row: Row | DiffLine | undefined, kind: "+" | "-"): row is DiffLine => row?.kind === kind
  for (let at = 0; at < rows.length; at++) {
    if (!isLine(rows[at], "-")) continue
    let removed = 0
    while (isLine(rows[at + removed], "-")) removed++
    let added = 0
    while (isLine(rows[at + removed + added], "+")) added++
    for (let pair = 0; pair < Math.min(removed, added); pair++) {
      const [one, other] = [rows[at + pair], rows[at + removed + pair]]
      if (!isLine(one, "-") || !isLine(other, "+")) continue
      const [left, right] = differenceOf(one.text, other.text) ?? [null, null]
      marked[at + pair] = { ...one, mark: left }
      marked[at + removed + pair] = { ...other, mark: right }
    }
    at += removed + added - 1
  }
  return marked
}

const parse = (diff: string): ReadonlyArray<DiffLine | DiffNote | Hunk> => {
  const rows: Array<DiffLine | DiffNote | Hunk> = []
  // null while the diff has given no numbers
  let [old, next]: readonly [number | null, number | null] = [null, null]
  let left = { old: Number.POSITIVE_INFINITY, new: Number.POSITIVE_INFINITY }
  let shown = 0
  const count = (number: number | null) => (number === null ? null : number + 1)
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const isInside = left.old + left.new > 0
    const hunk = HUNK.exec(line)
    if (hunk !== null && (!isInside || old === null)) {
      const [, from = "1", many = "1", to = "1", others = "1", section = ""] = hunk
      const before = Math.max(0, Number(from) - 1 - shown)
      rows.push({ kind: "hunk", before, section })
      old = Number(from)
      next = Number(to)
      left = { old: Number(many), new: Number(others) }
      shown = Number(from) + Number(many) - 1
      continue
    }
    const sign = line[0]
    const isHeader = line.startsWith("--- ") || line.startsWith("+++ ")
    if (line.startsWith("\\") || line.startsWith("@@") || (isHeader && (!isInside || old === null))) {
      rows.push({ kind: "@", text: line })
      if (isHeader) {
        shown = 0
        old = null
        left = { old: Number.POSITIVE_INFINITY, new: Number.POSITIVE_INFINITY }
      }
      continue
    }
    const kind = sign === "+" || sign === "-" ? sign : " "
    const text = sign === "+" || sign === "-" || sign === " " ? line.slice(1) : line
    rows.push({ kind, text, old: kind === "+" ? null : old, new: kind === "-" ? null : next, mark: null })
    if (kind !== "+") [old, left] = [count(old), { ...left, old: left.old - 1 }]
    if (kind !== "-") [next, left] = [count(next), { ...left, new: left.new - 1 }]
  }
  return rows
}

const isEqual = (row: DiffLine | DiffNote | Hunk | undefined): row is DiffLine => row?.kind === " "
const isDifferent = (row: DiffLine | DiffNote | Hunk | undefined) => row?.kind === "+" || row?.kind === "-"

/** The last line without an indent before the next difference. */
const sectionBefore = (rows: ReadonlyArray<DiffLine | DiffNote | Hunk>, from: number): string => {
  const to = rows.findIndex((row, at) => at >= from && isDifferent(row))
  const heads = rows
    .slice(from, to === -1 ? rows.length : to)
    .flatMap((row) => (isEqual(row) && /^[^\s!}]/.test(row.text) ? [row.text] : []))
  return heads.at(-1)?.replace(/ \{$/, "") ?? ""
}

/** One row for each line, with long runs of equal lines folded. */
export const diffRows = (diff: string): ReadonlyArray<DiffRow> => {
  const rows = withMarks(parse(diff))
  const folded: Array<DiffRow> = []
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]
    if (row === undefined) continue
    if (row.kind === "hunk") {
      const section = row.section === "" ? sectionBefore(rows, at) : row.section
      if (row.before > 0) folded.push({ kind: "gap", hidden: row.before, section, lines: [] })
      continue
    }
    if (!isEqual(row)) {
      folded.push(row)
      continue
    }
    let end = at
    while (isEqual(rows[end])) end++
    const run = rows.slice(at, end).filter(isEqual)
    const head = isDifferent(rows[at - 1]) ? CONTEXT : 0
    const tail = isDifferent(rows[end]) ? CONTEXT : 0
    const hidden = run.slice(head, run.length - tail)
    const isFolded = hidden.length >= WORTH_FOLDING && head + tail > 0
    if (isFolded) {
      const gap: DiffGap = {
        kind: "gap",
        hidden: hidden.length,
        section: sectionBefore(rows, at + head),
        lines: hidden
      }
      folded.push(...run.slice(0, head), gap, ...run.slice(run.length - tail))
    } else folded.push(...run)
    at = end - 1
  }
  return folded
}

/** A row of two columns: the old line, the new one, or what spans both. */
export type SideRow = { readonly left: DiffLine | null; readonly right: DiffLine | null } | DiffGap | DiffNote

/** Removed lines beside the added ones that replace them. */
export const sideRows = (rows: ReadonlyArray<DiffRow>): ReadonlyArray<SideRow> => {
  const sides: Array<SideRow> = []
  let removed: Array<DiffLine> = []
  let added: Array<DiffLine> = []
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      sides.push({ left: removed[at] ?? null, right: added[at] ?? null })
    removed = []
    added = []
  }
  for (const row of rows) {
    if (row.kind === "-") {
      if (added.length > 0) flush()
      removed.push(row)
    } else if (row.kind === "+") added.push(row)
    else {
      flush()
      if (row.kind === "gap" || row.kind === "@") sides.push(row)
      else sides.push({ left: row, right: row })
    }
  }
  flush()
  return sides
}
