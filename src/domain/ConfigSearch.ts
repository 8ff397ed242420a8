/** The lines of a configuration that contain a text, with the sections around them. Pure. */
import { Schema } from "effect"

export const FoundLine = Schema.Struct({
  /** Counts from 1. */
  number: Schema.Int,
  /**
   * The line above it in the hierarchy, such as `interface Ethernet3`; in braces all of them, as in `interfaces ge-0/0/3 unit 0`. Empty for
   * a line without indentation.
   */
  section: Schema.String,
  text: Schema.String
}).annotate({ identifier: "FoundLine" })
type FoundLine = typeof FoundLine.Type

const indentOf = (line: string): number => line.length - line.trimStart().length

const OPENING = / \{$/

/** In braces the line above alone says little. */
const sectionOf = (open: ReadonlyArray<{ readonly text: string }>): string => {
  const { text = "" } = open.at(-1) ?? {}
  return OPENING.test(text) ? open.map((heading) => heading.text.replace(OPENING, "")).join(" ") : text
}

/** Every line that contains the text, whatever its case, without its indentation. */
export const linesWith = (config: string, text: string): ReadonlyArray<FoundLine> => {
  const wanted = text.toLowerCase()
  const open: Array<{ readonly indent: number; readonly text: string }> = []
  return config.split("\n").flatMap((line, index) => {
    const trimmed = line.trim()
    if (trimmed === "" || trimmed === "!" || trimmed === "}") return []
    const indent = indentOf(line)
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
    const section = sectionOf(open)
    open.push({ indent, text: trimmed })
    return trimmed.toLowerCase().includes(wanted) ? [{ number: index + 1, section, text: trimmed }] : []
  })
}
