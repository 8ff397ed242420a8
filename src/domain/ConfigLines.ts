/**
 * A configuration in indented lines as a set: each line with the sections around it. Two configurations are compared by what
 * they say, not by where they say it, so that a block that has only moved is no change. Pure.
 */

import type { ConfigNotation } from "./platforms/Platform.ts"

/** One line without its indentation. `sections` are the lines that it stands below, outermost first. */
export interface ConfigLine {
  readonly sections: ReadonlyArray<string>
  readonly text: string
}

/** A line that one of two configurations has and the other has not. */
export interface ChangedLine extends ConfigLine {
  readonly change: "added" | "removed"
}

/** A section that is open, below each of the `around` and under each of the names that it stands for. */
interface OpenSection {
  readonly indent: number
  readonly around: ReadonlyArray<ReadonlyArray<string>>
  readonly names: ReadonlyArray<string>
  /** The ways to the lines below it, when there are any. */
  paths?: ReadonlyArray<ReadonlyArray<string>>
}

/** How many lines a text has; an end of line at its end begins another one. */
export const lineCount = (text: string): number => {
  let count = 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** What ends a text that a command reads. */
const END_OF_TEXT = "EOF"

/** The lines of a configuration, and which of them the device writes by itself. The text of a command, such as a banner, is not. */
const told = ({ multiLineInputs, own }: ConfigNotation, config: string) => {
  let texts = 0
  return config
    .replaceAll("\r", "")
    .split("\n")
    .map((line) => {
      const typed = line.trim()
      if (texts > 0) {
        if (typed === END_OF_TEXT) texts -= 1
        return { line, isText: true, isOwn: false }
      }
      texts = multiLineInputs.find(({ opens }) => opens.test(typed))?.texts ?? 0
      return { line, isText: false, isOwn: own.test(line) }
    })
}

/** A configuration without the lines that the device writes by itself and without blank ones, for comparing what it runs with what it ran. */
export const withoutOwnLines = (notation: ConfigNotation, config: string): string => {
  const kept = told(notation, config).filter(({ isOwn, isText, line }) => isText || (!isOwn && line.trim() !== ""))
  return kept.map(({ line }) => `${line}\n`).join("")
}

/** A configuration of as many lines in which all that the device writes by itself are the same comment. */
export const withOwnLinesAlike = (notation: ConfigNotation, config: string): string =>
  told(notation, config)
    .map(({ isOwn, line }) => (isOwn ? notation.comment : line))
    .join("\n")

/** Ids in a list, beyond which it is taken as one word. */
const MAX_IDS = 4_096

/** The numbers of `10,20-22`. */
const idsIn = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split("-", 2).map(Number)
    return Array.from({ length: Math.max(0, Math.min(to - from + 1, MAX_IDS)) }, (_, index) => from + index)
  })

/** The line once for each number of the list that it ends in, when it is one of those lines. */
const spelledOut = (text: string, lists: RegExp): ReadonlyArray<string> => {
  const [, before, list] = lists.exec(text) ?? []
  return before === undefined || list === undefined ? [text] : idsIn(list).map((id) => `${before}${id}`)
}

/** The way to the lines of the top level. */
const TOP: ReadonlyArray<ReadonlyArray<string>> = [[]]

/** The same arrays for all lines of a section, because most have hundreds. */
const pathsBelow = (section: OpenSection | undefined): ReadonlyArray<ReadonlyArray<string>> =>
  section === undefined
    ? TOP
    : (section.paths ??= section.around.flatMap((path) => section.names.map((name) => [...path, name])))

/**
 * The lines of a configuration but for comments. `lists` matches lines that end in a list of numbers, with what stands before
 * it as its first group and the list as its second: such a line counts as one line for each number. `comment` is how comments
 * begin.
 */
export const configLines = (config: string, lists: RegExp, comment = "!"): ReadonlyArray<ConfigLine> => {
  const open: Array<OpenSection> = []
  const found: Array<ConfigLine> = []
  for (const line of config.split("\n")) {
    const text = line.trim()
    if (text === "" || text.startsWith(comment)) continue
    const indent = line.length - line.trimStart().length
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
    const around = pathsBelow(open.at(-1))
    const names = spelledOut(text, lists)
    for (const sections of around) for (const name of names) found.push({ sections, text: name })
    open.push({ indent, around, names })
  }
  return found
}

const keyOf = ({ sections, text }: ConfigLine): string =>
  sections.length === 0 ? text : `${sections.join("\n")}\n${text}`

const missingIn = (lines: ReadonlyArray<ConfigLine>, others: ReadonlyArray<ConfigLine>): ReadonlyArray<ConfigLine> => {
  const known = new Set(others.map(keyOf))
  return lines.filter((line) => !known.has(keyOf(line)))
}

/** What is removed, then what is added, each in the order of its configuration. */
export const changedLines = (
  before: ReadonlyArray<ConfigLine>,
  after: ReadonlyArray<ConfigLine>
): ReadonlyArray<ChangedLine> => [
  ...missingIn(before, after).map((line) => ({ ...line, change: "removed" as const })),
  ...missingIn(after, before).map((line) => ({ ...line, change: "added" as const }))
]

// The shape of a line: its words with `#` for each number, so that what is learnt of one line counts for all that differ in
// numbers only. A spelling is remembered as the shape that is shown, with the numbers in the order in which they were given.

const number = /\d+/g

/** The line with `#` for each number. */
export const shapeOf = (line: string): string => line.replaceAll(number, "#")

/** A line below its headings, as one text. The numbers of headings never matter. */
export const placed = (sections: ReadonlyArray<string>, line: string): string =>
  [...sections.map(shapeOf), line].join("\n")

/**
 * What is remembered when `line` is shown as these lines: a shape where all numbers of the line come back in their order, else
 * the lines themselves, which count for just this line.
 */
export const learnt = (
  line: string,
  shown: ReadonlyArray<string>
): { readonly line: string; readonly shown: string } => {
  const given = line.match(number) ?? []
  const text = shown.join("\n")
  // that one value is a default says nothing of others
  if (shown.length === 0) return { line, shown: "" }
  const isSame = (text.match(number) ?? []).join(" ") === given.join(" ")
  return isSame && !line.includes("#") ? { line: shapeOf(line), shown: shapeOf(text) } : { line, shown: text }
}

/** The lines that are shown for `line` by a remembered spelling of its shape. */
export const filled = (line: string, shown: string): ReadonlyArray<string> => {
  const given = line.match(number) ?? []
  let next = 0
  return shown.replaceAll("#", () => given[next++] ?? "#").split("\n")
}
