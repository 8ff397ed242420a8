/**
 * Which lines of a candidate a configuration does not have: each line is looked for below its own sections. Pure.
 */
import type { Platform } from "../domain/platforms/Platform.ts"

/** A line of a candidate, from 1, without its indentation. */
export interface MissingLine {
  readonly lineNumber: number
  readonly line: string
}

const pathsIn = ({ configuration: { comment } }: Platform, text: string) => {
  const open: Array<{ readonly indent: number; readonly line: string }> = []
  return text.split("\n").flatMap((full, index) => {
    const line = full.trim()
    if (line === "" || line === "end" || line.startsWith(comment)) return []
    const indent = full.length - full.trimStart().length
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
    open.push({ indent, line })
    return [{ lineNumber: index + 1, line, path: open.map((section) => section.line).join("\n") }]
  })
}

/** The lines of the candidate that the text does not have, in the candidate's order. */
export const missingLines = (platform: Platform, candidate: string, text: string): ReadonlyArray<MissingLine> => {
  const there = new Set(pathsIn(platform, text).map(({ path }) => path))
  return pathsIn(platform, candidate).flatMap(({ line, lineNumber, path }) =>
    there.has(path) ? [] : [{ lineNumber, line }]
  )
}
