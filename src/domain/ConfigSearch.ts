/** The lines of a configuration that contain a text, with the sections around them. Pure. */
import { Schema } from "effect"

export const FoundLine = Schema.Struct({
  /** Counts from 1. */
  number: Schema.Int,
  /** The line above it in the hierarchy, such as `interface Ethernet3`; empty for a line without indentation. */
  section: Schema.String,
  text: Schema.String
}).annotate({ identifier: "FoundLine" })
type FoundLine = typeof FoundLine.Type

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Every line that contains the text, whatever its case, without its indentation. */
export const linesWith = (config: string, text: string): ReadonlyArray<FoundLine> => {
  const wanted = text.toLowerCase()
  const open: Array<{ readonly indent: number; readonly text: string }> = []
  return config.split("\n").flatMap((line, index) => {
    const trimmed = line.trim()
    if (trimmed === "" || trimmed === "!") return []
    const indent = indentOf(line)
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
    const section = open.at(-1)?.text ?? ""
    open.push({ indent, text: trimmed })
    return trimmed.toLowerCase().includes(wanted) ? [{ number: index + 1, section, text: trimmed }] : []
  })
}
