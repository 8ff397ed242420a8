/**
 * Compares configurations in braces or in `set` lines by what they say: the order of statements counts only where a device does them in
 * turn, and spellings do not count (quotes, `a { b; }` and `a b;`, lists with one value, sections in several parts). Pure.
 */
import {
  type BraceStatement,
  printBraces,
  quotedWord,
  readBraces,
  statementLine,
  type StatementMark
} from "../domain/BraceText.ts"
import { notationOf } from "../domain/BraceGate.ts"
import type { ConfigNotation } from "../domain/platforms/Platform.ts"
import * as UnifiedDiff from "./UnifiedDiff.ts"

type Ordered = Pick<ConfigNotation, "ordered">

// What a text says: each word is a branch of the words before it.

interface Branch {
  marks: Set<StatementMark>
  below: Map<string, Branch>
}

/** Shared by all branches without any, which are most of the thousands of a configuration; never written. */
const NO_MARKS: Set<StatementMark> = new Set()
const NOTHING_BELOW: Map<string, Branch> = new Map()

const makeBranch = (): Branch => ({ marks: NO_MARKS, below: NOTHING_BELOW })

const branchAt = (root: Branch, words: ReadonlyArray<string>): Branch =>
  words.reduce((branch, word) => {
    const known = branch.below.get(word)
    if (known !== undefined) return known
    const made = makeBranch()
    if (branch.below === NOTHING_BELOW) branch.below = new Map()
    branch.below.set(word, made)
    return made
  }, root)

const mark = (branch: Branch, marks: ReadonlyArray<StatementMark>): void => {
  for (const one of marks) {
    // this one is for a load and is never shown
    if (one === "replace") continue
    if (branch.marks === NO_MARKS) branch.marks = new Set()
    branch.marks.add(one)
  }
}

/** The words by which a statement is known. */
type WordsOf = (statement: BraceStatement) => ReadonlyArray<string>

const ownWords: WordsOf = ({ words }) => words

const grow = (root: Branch, statements: ReadonlyArray<BraceStatement>, wordsOf = ownWords): Branch => {
  for (const statement of statements) {
    const { below, list, marks } = statement
    const branch = branchAt(root, wordsOf(statement))
    mark(branch, marks)
    for (const value of list ?? []) branchAt(branch, [value])
    if (below !== null) grow(branch, below, wordsOf)
  }
  return root
}

const setToken = /"(?:[^"\\]|\\.)*"|[^\s"]+/g
const bare = (word: string): string => (/^".*"$/s.test(word) ? word.slice(1, -1) : word)

const LINE_MARKS: ReadonlyMap<string, StatementMark> = new Map([
  ["deactivate", "inactive"],
  ["protect", "protect"]
])

/** Takes the values of a list in brackets apart. */
const listPaths = (words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const begin = words.indexOf("[")
  if (begin < 0 || words.at(-1) !== "]") return [words.map(bare)]
  const before = words.slice(0, begin).map(bare)
  return words.slice(begin + 1, -1).map((value) => [...before, bare(value)])
}

const growLines = (text: string): Branch => {
  const root = makeBranch()
  for (const line of text.split("\n")) {
    const [verb = "", ...words] = line.match(setToken) ?? []
    const marked = LINE_MARKS.get(verb)
    for (const path of verb === "set" || marked !== undefined ? listPaths(words) : []) {
      const branch = branchAt(root, path)
      if (marked !== undefined) mark(branch, [marked])
    }
  }
  return root
}

const branchesOf = (text: string): Branch =>
  notationOf(text) === "set" ? growLines(text) : grow(makeBranch(), readBraces(text).statements)

const hasSameMarks = (one: Branch, other: Branch): boolean =>
  one.marks.size === other.marks.size && [...one.marks].every((each) => other.marks.has(each))

const isSame = (one: Branch, other: Branch, ordered: ReadonlySet<string>, word: string): boolean => {
  if (one.below.size !== other.below.size || !hasSameMarks(one, other)) return false
  const names = [...one.below.keys()]
  const others = [...other.below.keys()]
  if (ordered.has(word) && !names.every((name, at) => others[at] === name)) return false
  return [...one.below].every(([name, branch]) => {
    const same = other.below.get(name)
    return same !== undefined && isSame(branch, same, ordered, name)
  })
}

/**
 * Whether two configurations say the same. Texts of the two notations can be compared; a statement of braces with several values in one
 * line, such as `server 10.0.0.1 key 1 prefer;`, then differs from the lines that say the same.
 */
export const saysTheSame = ({ ordered = [] }: Ordered, one: string, other: string): boolean =>
  isSame(branchesOf(one), branchesOf(other), new Set(ordered), "")

// The difference for people: two texts in which what says the same stands in the same order and form.

const nameOf = ({ list, words }: BraceStatement): string => {
  const [only, ...others] = list ?? []
  return (only !== undefined && others.length === 0 ? [...words, only] : words).join("\n")
}

const shownMarks = ({ marks }: BraceStatement): ReadonlyArray<StatementMark> => marks.filter((one) => one !== "replace")

/** Sections in several parts as one; marks and lists as a device shows them. */
const merged = (statements: ReadonlyArray<BraceStatement>): ReadonlyArray<BraceStatement> => {
  const found = new Map<string, BraceStatement>()
  for (const statement of statements) {
    const key = `${nameOf(statement)}\n${statement.list === null || statement.list.length < 2 ? "" : "["}`
    const before = found.get(key)
    const [only, ...others] = statement.list ?? []
    const words = only !== undefined && others.length === 0 ? [...statement.words, only] : statement.words
    const list = words === statement.words ? statement.list : null
    const below = [...(before?.below ?? []), ...(statement.below ?? [])]
    found.set(key, {
      ...statement,
      marks: [...new Set([...(before?.marks ?? []), ...shownMarks(statement)])],
      words,
      list: before === undefined || list === null ? list : [...new Set([...(before.list ?? []), ...list])],
      below: statement.below === null && (before?.below ?? null) === null ? null : below
    })
  }
  return [...found.values()].map((statement) =>
    statement.below === null ? statement : { ...statement, below: merged(statement.below) }
  )
}

/** The names in the order of `wanted`; each new one stays behind the one that it follows. */
const arrangedNames = (names: ReadonlyArray<string>, wanted: ReadonlyArray<string>): ReadonlyArray<string> => {
  const has = new Set(names)
  const known = new Set(wanted)
  const followers = new Map<string, Array<string>>()
  let last = ""
  for (const name of names) {
    if (known.has(name)) last = name
    else followers.set(last, [...(followers.get(last) ?? []), name])
  }
  const inOrder = wanted.filter((name) => has.has(name))
  return ["", ...inOrder].flatMap((name) => [...(name === "" ? [] : [name]), ...(followers.get(name) ?? [])])
}

const arranged = (
  statements: ReadonlyArray<BraceStatement>,
  before: ReadonlyArray<BraceStatement>,
  ordered: ReadonlySet<string>,
  around: string
): ReadonlyArray<BraceStatement> => {
  const known = new Map(before.map((statement) => [nameOf(statement), statement]))
  const mine = new Map(statements.map((statement) => [nameOf(statement), statement]))
  const inTurn = (all: ReadonlyArray<BraceStatement>, others: ReadonlyMap<string, BraceStatement>) =>
    all
      .filter((one) => others.has(nameOf(one)) && (ordered.has(around) || ordered.has(one.words[0] ?? "")))
      .map(nameOf)
      .join("\0")
  const isMoved = inTurn(statements, known) !== inTurn(before, mine)
  const names =
    isMoved || mine.size !== statements.length ? [...mine.keys()] : arrangedNames([...mine.keys()], [...known.keys()])
  return names.flatMap((name) => {
    const statement = mine.get(name)
    if (statement === undefined) return []
    const same = known.get(name)
    const last = statement.words.at(-1) ?? ""
    const list =
      statement.list === null || same?.list == null || ordered.has(last)
        ? statement.list
        : arrangedNames(statement.list, same.list)
    const below = statement.below === null ? null : arranged(statement.below, same?.below ?? [], ordered, last)
    return [{ ...statement, list, below }]
  })
}

const linesIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"))
  )
]

const asText = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

/** Lines of which only the order differs say something else only by that order. */
const lineDiff = (before: string, after: string): string => {
  const [known, wanted] = [linesIn(before), linesIn(after)]
  const diff = UnifiedDiff.diff(asText(known), asText(arrangedNames(wanted, known)))
  return diff === "" ? UnifiedDiff.diff(asText(known), asText(wanted)) : diff
}

/**
 * The difference between two configurations, as a unified difference of their statements without comments; empty if they say the same.
 * Both are in braces, or both in set lines.
 */
export const statementDiff = ({ ordered = [] }: Ordered, before: string, after: string): string => {
  if (saysTheSame({ ordered }, before, after)) return ""
  if (notationOf(before) === "set" || notationOf(after) === "set") return lineDiff(before, after)
  const known = merged(readBraces(before).statements)
  const wanted = merged(readBraces(after).statements)
  return UnifiedDiff.diff(printBraces(known), printBraces(arranged(wanted, known, new Set(ordered), "")))
}

// The statements of a candidate that a configuration lacks.

/** A statement that is missing, with its headings, as a device would show them. */
export interface MissingStatement {
  readonly lineNumber: number
  readonly line: string
  readonly sections: ReadonlyArray<string>
}

/** Gives the words of a line with the same mark in the place of each secret. */
export type SecretHider = (line: string) => string

/** Remembers its answers, because the same statements are in both texts and on many ports. */
const makeHiddenWords = (hide: SecretHider): WordsOf => {
  const known = new Map<string, ReadonlyArray<string>>()
  return (statement) => {
    const key = statement.words.join("\0")
    const before = known.get(key)
    if (before !== undefined) return before
    const line = statementLine({ ...statement, marks: [], below: null, list: null })
    const hidden = hide(line)
    const words = hidden === line ? statement.words : (readBraces(hidden).statements[0]?.words ?? statement.words)
    known.set(key, words)
    return words
  }
}

const reach = (from: Branch | undefined, words: ReadonlyArray<string>): Branch | undefined =>
  words.reduce<Branch | undefined>((branch, word) => branch?.below.get(word), from)

/** A statement as a device would show it, with these values of its list. */
const missingLine = (statement: BraceStatement, values: ReadonlyArray<string>): string => {
  const shown = { ...statement, marks: shownMarks(statement) }
  const [only, ...others] = values
  return only !== undefined && others.length === 0
    ? `${statementLine({ ...shown, list: null }).replace(/;$/, "")} ${quotedWord(only)};`
    : statementLine({ ...shown, list: statement.list === null ? null : values })
}

/**
 * The statements of a candidate in braces that a configuration lacks, whatever the secrets in them are. A statement that is inactive
 * there is not the same as one that is not.
 */
export const missingStatements = (
  candidate: string,
  text: string,
  hide: SecretHider
): ReadonlyArray<MissingStatement> => {
  const hiddenWords = makeHiddenWords(hide)
  const given = readBraces(candidate).statements
  const root = grow(makeBranch(), readBraces(text).statements, hiddenWords)
  const missing: Array<MissingStatement> = []
  const look = (
    statements: ReadonlyArray<BraceStatement>,
    own: Branch | undefined,
    around: Branch | undefined,
    headings: ReadonlyArray<BraceStatement>
  ): void => {
    for (const statement of statements) {
      const words = hiddenWords(statement)
      const [mine, branch] = [reach(own, words), reach(around, words)]
      const isThere = branch !== undefined && mine !== undefined && hasSameMarks(mine, branch)
      const values = statement.list?.filter((value) => !isThere || !branch.below.has(value)) ?? []
      if (!isThere || values.length > 0) {
        const sections = headings.map((heading) => statementLine({ ...heading, marks: shownMarks(heading) }))
        missing.push({ lineNumber: statement.lineNumber, line: missingLine(statement, values), sections })
      }
      if (statement.below !== null) look(statement.below, mine, isThere ? branch : undefined, [...headings, statement])
    }
  }
  look(given, grow(makeBranch(), given, hiddenWords), root, [])
  return missing
}
