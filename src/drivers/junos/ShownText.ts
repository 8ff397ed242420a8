/**
 * Readings of configurations of Junos that a driver needs: the part of a shown text that counts, the line of a candidate that a refusal
 * means, and the users whose logins a change sets. Pure.
 */
import { type BraceStatement, eachStatement, readBraces } from "../../domain/BraceText.ts"

/** The mark behind a secret. */
const SECRET_MARK = "## SECRET-DATA"

const withoutEnd = (line: string): string => {
  const text = line.trimEnd()
  return text.endsWith(SECRET_MARK) ? text.slice(0, -SECRET_MARK.length).trimEnd() : text
}

/**
 * A shown text without what changes although the configuration does not: the mark behind a secret, blanks at the end of a line, and the
 * device's remarks in lines of their own (who committed when, statements that the image does not know). Comments of people stay.
 */
export const stableText = (text: string): string => {
  // line by line: a pattern for the end of a line would be tried at each blank before it
  const lines = text.replaceAll("\r", "").split("\n")
  const kept = lines.filter((line) => !line.trimStart().startsWith("##")).map(withoutEnd)
  return `${kept.join("\n").trim()}\n`
}

/** Whether a configuration has the word in a section below `system`. Few do, so the whole text is read only if the word is in it. */
export const saysInSystem = (text: string, section: string, word: string): boolean =>
  text.includes(word) &&
  readBraces(text)
    .statements.filter(({ words }) => words[0] === "system")
    .flatMap(({ below: sections }) => sections?.filter(({ words }) => words[0] === section) ?? [])
    .some((found) =>
      [...eachStatement([found])].some(({ statement: { list, words } }) => [...words, ...(list ?? [])].includes(word))
    )

// The device names no line when it refuses a statement, only its section and a word of it.

/** A refusal of the device: the words of `[edit …]`, and the statement or word that it names; empty where it says none. */
export interface RefusedStatement {
  readonly path: string
  readonly word: string
}

const wordsOf = (text: string): ReadonlyArray<string> =>
  (text.match(/"[^"]*"|[^\s"]+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, "$1")).filter((word) => word !== "")

/** The statements below a path, whose words may be those of several sections. */
const below = (
  statements: ReadonlyArray<BraceStatement>,
  path: ReadonlyArray<string>
): ReadonlyArray<BraceStatement> => {
  if (path.length === 0) return statements
  return statements.flatMap((statement) => {
    const { words } = statement
    const isOnTheWay = words.every((word, at) => path[at] === undefined || path[at] === word)
    if (!isOnTheWay) return []
    return words.length > path.length || statement.below === null
      ? [statement]
      : below(statement.below, path.slice(words.length))
  })
}

const mentions = ({ list, words }: BraceStatement, wanted: ReadonlyArray<string>): boolean => {
  const all = [...words, ...(list ?? [])]
  return all.some((_, at) => wanted.every((word, behind) => all[at + behind] === word))
}

const allOf = (statements: ReadonlyArray<BraceStatement>): ReadonlyArray<BraceStatement> =>
  statements.flatMap((statement) => [statement, ...allOf(statement.below ?? [])])

/**
 * The lines of a candidate that a refusal may mean, from 1, in their order; several if the text has the word several times there, none if
 * it has it nowhere.
 */
export const refusedLinesIn = (candidate: string, { path, word }: RefusedStatement): ReadonlyArray<number> => {
  const around = wordsOf(path.replace(/^\s*\[edit\s*|\]\s*$/g, ""))
  const wanted = wordsOf(word.replace(/[;{]\s*$/, ""))
  const section = below(readBraces(candidate).statements, around)
  const direct = section.filter((statement) => wanted.length > 0 && mentions(statement, wanted))
  const found = direct.length > 0 ? direct : allOf(section).filter((one) => wanted.length > 0 && mentions(one, wanted))
  return [...new Set(found.map(({ lineNumber }) => lineNumber))].toSorted((one, other) => one - other)
}
