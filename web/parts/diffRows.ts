/** The lines of a unified diff, each with its kind. Pure. */

export type LineKind = "+" | "-" | " " | "@"

export interface DiffRow {
  readonly kind: LineKind
  readonly text: string
}

const kindOf = (line: string): LineKind => {
  if (line.startsWith("@@") || line.startsWith("---") || line.startsWith("+++")) return "@"
  if (line.startsWith("+")) return "+"
  return line.startsWith("-") ? "-" : " "
}

/** One row for each line, in order. */
export const diffRows = (diff: string): ReadonlyArray<DiffRow> =>
  diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const kind = kindOf(line)
      return { kind, text: kind === "@" ? line : line.slice(1) }
    })
