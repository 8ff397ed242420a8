/**
 * A configuration in indented lines as a set: each line with the sections around it. Two configurations are compared by their
 * content, not by its position, so that a block that has only moved is no change. Pure.
 */

import type { ConfigNotation, MultiLineInput } from "./platforms/Platform.ts"

/** One line without its indentation. `sections` are the lines above it in the hierarchy, outermost first. */
export interface ConfigLine {
  readonly sections: ReadonlyArray<string>
  readonly text: string
}

/** A line that only one of two configurations has. */
export interface ChangedLine extends ConfigLine {
  readonly change: "added" | "removed"
}

/** An open section, below each of the `around` and under each name that its line expands to. */
interface OpenSection {
  readonly indent: number
  readonly around: ReadonlyArray<ReadonlyArray<string>>
  readonly names: ReadonlyArray<string>
  /** The paths of the lines below it; absent until the first such line. */
  paths?: ReadonlyArray<ReadonlyArray<string>>
}

/** The number of lines in a text; a line end at the end of the text begins another line. */
export const lineCount = (text: string): number => {
  let count = 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** One pattern for all commands that read a text, of each platform. */
const opening = new WeakMap<ReadonlyArray<MultiLineInput>, RegExp>()

const openingOf = (inputs: ReadonlyArray<MultiLineInput>): RegExp => {
  const known = opening.get(inputs)
  if (known !== undefined) return known
  const made = inputs.length === 0 ? /^(?!)/ : new RegExp(inputs.map(({ opens }) => opens.source).join("|"))
  opening.set(inputs, made)
  return made
}

/** The command that reads a text, if this line is one. All lines of all configurations are asked, and nearly none is. */
export const openedInput = ({ multiLineInputs }: Pick<ConfigNotation, "multiLineInputs">, typed: string) =>
  openingOf(multiLineInputs).test(typed) ? multiLineInputs.find(({ opens }) => opens.test(typed)) : undefined

/** The end of a text that a command reads. */
const END_OF_TEXT = "EOF"

/**
 * The lines of a configuration, and whether the device writes them automatically. The text of a command, such as a banner, is
 * never written automatically.
 */
const classifiedLines = (notation: ConfigNotation, config: string) => {
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
      texts = openedInput(notation, typed)?.texts ?? 0
      return { line, isText: false, isOwn: notation.own.test(line) }
    })
}

/**
 * A configuration without the lines that the device writes automatically and without blank ones, for a comparison with an
 * earlier running configuration.
 */
export const withoutOwnLines = (notation: ConfigNotation, config: string): string => {
  const kept = classifiedLines(notation, config).filter(
    ({ isOwn, isText, line }) => isText || (!isOwn && line.trim() !== "")
  )
  return kept.map(({ line }) => `${line}\n`).join("")
}

/** A configuration with the same number of lines, in which the same comment replaces every line that the device writes automatically. */
export const withOwnLinesAlike = (notation: ConfigNotation, config: string): string =>
  classifiedLines(notation, config)
    .map(({ isOwn, line }) => (isOwn ? notation.comment : line))
    .join("\n")

/** The most ids in a list; a longer list is taken as one word. */
const MAX_IDS = 4_096

/** The numbers of `10,20-22`. */
const idsIn = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((part) => {
    const [from = 0, to = from] = part.split("-", 2).map(Number)
    return Array.from({ length: Math.max(0, Math.min(to - from + 1, MAX_IDS)) }, (_, index) => from + index)
  })

/** The line once for each number of the list at its end, if the pattern matches it. */
const spelledOut = (text: string, lists: RegExp): ReadonlyArray<string> => {
  const [, before, list] = lists.exec(text) ?? []
  return before === undefined || list === undefined ? [text] : idsIn(list).map((id) => `${before}${id}`)
}

/** The path of lines at the top level. */
const TOP: ReadonlyArray<ReadonlyArray<string>> = [[]]

/** All lines of a section share the same arrays, because most sections have hundreds of lines. */
const pathsBelow = (section: OpenSection | undefined): ReadonlyArray<ReadonlyArray<string>> =>
  section === undefined
    ? TOP
    : (section.paths ??= section.around.flatMap((path) => section.names.map((name) => [...path, name])))

/**
 * The lines of a configuration without comments. `lists` matches lines that end in a list of numbers, with the text before it
 * as its first group and the list as its second: such a line counts as one line for each number. `comment` is the beginning of
 * a comment.
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

/** Removed lines, then added ones, each in the order of their configuration. */
export const changedLines = (
  before: ReadonlyArray<ConfigLine>,
  after: ReadonlyArray<ConfigLine>
): ReadonlyArray<ChangedLine> => [
  ...missingIn(before, after).map((line) => ({ ...line, change: "removed" as const })),
  ...missingIn(after, before).map((line) => ({ ...line, change: "added" as const }))
]

// The shape of a line: its words with `#` for each number, so that knowledge about one line applies to all lines that differ in
// numbers only. A spelling is remembered as the shape that the device shows, with the numbers in their original order.

const number = /\d+/g

/** The line with `#` for each number. */
export const shapeOf = (line: string): string => line.replaceAll(number, "#")

/** A line below its headings, as one text. The numbers of headings never matter. */
export const placed = (sections: ReadonlyArray<string>, line: string): string =>
  [...sections.map(shapeOf), line].join("\n")

/**
 * The spelling to remember when the device shows `line` as these lines: a shape if all numbers of the line appear in their
 * order, else the lines themselves, which apply to this line only.
 */
export const learnt = (
  line: string,
  shown: ReadonlyArray<string>
): { readonly line: string; readonly shown: string } => {
  const given = line.match(number) ?? []
  const text = shown.join("\n")
  // one value that is a default proves nothing about other values
  if (shown.length === 0) return { line, shown: "" }
  const isSame = (text.match(number) ?? []).join(" ") === given.join(" ")
  return isSame && !line.includes("#") ? { line: shapeOf(line), shown: shapeOf(text) } : { line, shown: text }
}

/** The lines that the device shows for `line`, by a remembered spelling of its shape. */
export const filled = (line: string, shown: string): ReadonlyArray<string> => {
  const given = line.match(number) ?? []
  let next = 0
  return shown.replaceAll("#", () => given[next++] ?? "#").split("\n")
}
