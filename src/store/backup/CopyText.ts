/**
 * Rows as the text of PostgreSQL's COPY: a line per row, columns parted by tabs, `\N` for null, and `\b`, `\f`, `\n`, `\r`, `\t`, `\v` and
 * `\\` for what would be mistaken. Such a text can be given to `psql` as it is.
 */
import { Schema } from "effect"

/** A text is not one of COPY. `line` counts from 1. */
export class NotCopyText extends Schema.TaggedError<NotCopyText>()("NotCopyText", { line: Schema.Int }) {
  override get message() {
    return `line ${this.line} is no row of COPY`
  }
}

/** The columns of a row as PostgreSQL writes them as text. */
export type TextRow = ReadonlyArray<string | null>

const NULL = "\\N"

const LETTERS: Readonly<Record<string, string>> = {
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
  "\v": "v",
  "\\": "\\"
}

const MEANT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(LETTERS).map(([char, letter]) => [letter, char])
)

const escaped = (value: string): string => value.replace(/[\b\f\n\r\t\v\\]/g, (char) => `\\${LETTERS[char] ?? char}`)

/** The line of a row, with its end. */
export const encode = (row: TextRow): string =>
  `${row.map((value) => (value === null ? NULL : escaped(value))).join("\t")}\n`

const unescaped = (field: string): string | undefined => {
  if (!field.includes("\\")) return field
  let isWrong = false
  const value = field.replace(/\\([\s\S]?)/g, (_, letter: string) => {
    const meant = MEANT[letter]
    isWrong ||= meant === undefined
    return meant ?? ""
  })
  return isWrong ? undefined : value
}

const decodeLine = (line: string, columns: number, number: number): TextRow => {
  const row = line.split("\t").map((field) => (field === NULL ? null : unescaped(field)))
  if (row.length !== columns) throw new NotCopyText({ line: number })
  return row.map((value) => {
    if (value === undefined) throw new NotCopyText({ line: number })
    return value
  })
}

/** The rows of whole lines. Throws NotCopyText. */
export const decode = (text: string, columns: number): ReadonlyArray<TextRow> => {
  if (text === "") return []
  const lines = text.split("\n")
  if (lines.pop() !== "") throw new NotCopyText({ line: lines.length + 1 })
  return lines.map((line, index) => decodeLine(line, columns, index + 1))
}
