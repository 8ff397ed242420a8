/**
 * Configurations in braces, as Junos has them: the statements of a text as a tree, its faults, and the text of a tree. A device names
 * no line when it refuses such a text, so that faults of its form are found here, before anything is sent. Pure.
 */

/** A mark in front of a statement, without its colon. */
export type StatementMark = "inactive" | "protect" | "replace" | "active" | "delete" | "unprotect"

const MARKS: ReadonlyMap<string, StatementMark> = new Map(
  (["inactive", "protect", "replace", "active", "delete", "unprotect"] as const).map((mark) => [`${mark}:`, mark])
)

/** A statement of a text. */
export interface BraceStatement {
  readonly marks: ReadonlyArray<StatementMark>
  /** Its words without their quotes; escapes are kept. */
  readonly words: ReadonlyArray<string>
  /** The values of a list in brackets behind the words; null without one. */
  readonly list: ReadonlyArray<string> | null
  /** The statements of its section; null for a statement that ends with a semicolon. */
  readonly below: ReadonlyArray<BraceStatement> | null
  /** Of its first word, from 1. */
  readonly lineNumber: number
}

/** What is wrong with the form of a text. */
export interface BraceFault {
  /** From 1. */
  readonly lineNumber: number
  readonly word: string
  /** A sentence without its subject, which is the word, and without its full stop. */
  readonly rule: string
}

interface BraceText {
  readonly statements: ReadonlyArray<BraceStatement>
  /** In the order of their lines. */
  readonly faults: ReadonlyArray<BraceFault>
}

type TokenKind = "word" | "mark" | "comment" | "unfinished"

interface Token {
  readonly kind: TokenKind
  /** Without quotes. */
  readonly text: string
  readonly lineNumber: number
  /** The line of its end: a comment or a text in quotes may have several. */
  readonly until: number
}

const UNFINISHED: ReadonlyMap<string, string> = new Map([
  ['"', "begins a text in quotes that does not end"],
  ["/*", "begins a comment that does not end"]
])
const CLOSES_RULE = "closes a section that is not open"
const NOT_CLOSED_RULE = "is not closed by a }"

/** Faults by which a text that is put into another one changes what the other one says. */
const LEAVING_RULES = new Set([...UNFINISHED.values(), CLOSES_RULE, NOT_CLOSED_RULE])

/** A comment, a text in quotes, or a word, which may have a range in brackets; at last a quote that has no second one. */
const token = /\/\*[\s\S]*?\*\/|#[^\n]*|"(?:[^"\\]|\\[\s\S])*"|\/\*|"|[^\s{};"[\]]+(?:\[[^\s{};"[\]]*\][^\s{};"[\]]*)*/y

const kindOf = (text: string): TokenKind => {
  if (UNFINISHED.has(text)) return "unfinished"
  return text.startsWith("#") || text.startsWith("/*") ? "comment" : "word"
}

const LINE_BREAK = 10
const BLANK = 32
const QUOTE = 34
const MARK_OF: ReadonlyMap<number, string> = new Map(Array.from("{};[]", (mark) => [mark.charCodeAt(0), mark]))
/** Characters from here on may be blanks, too. */
const FIRST_WIDE = 0x80

const isBlank = (code: number, text: string, at: number): boolean =>
  code === BLANK || (code >= 9 && code <= 13) || (code >= FIRST_WIDE && /\s/.test(text.charAt(at)))

const countLines = (text: string): number => text.split("\n").length - 1

/**
 * Gives each token to `take`. Texts are long and read often, so blanks and marks are taken one by one, and lines are counted only where
 * they can be.
 */
const eachToken = (text: string, take: (found: Token) => void): void => {
  let lineNumber = 1
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (isBlank(code, text, at)) {
      if (code === LINE_BREAK) lineNumber++
      at++
      continue
    }
    const mark = MARK_OF.get(code)
    if (mark !== undefined) {
      take({ kind: "mark", text: mark, lineNumber, until: lineNumber })
      at++
      continue
    }
    token.lastIndex = at
    if (!token.test(text)) return
    const found = text.slice(at, token.lastIndex)
    const kind = kindOf(found)
    const isQuoted = code === QUOTE && found.length > 1
    const until = isQuoted || kind === "comment" ? lineNumber + countLines(found) : lineNumber
    take({ kind, text: isQuoted ? found.slice(1, -1) : found, lineNumber, until })
    if (kind === "unfinished") return
    lineNumber = until
    at += found.length
  }
}

/** What the device shows in the place of a secret to an account that may not see it. */
const hiddenSecret = /^\/\* SECRET-DATA \*\/$/

/** Whether a configuration lacks its secrets, because the account that has read it may not see them. */
export const lacksSecrets = (text: string): boolean => text.includes("/* SECRET-DATA */")

/** Sections within sections: a device has about ten, and a reader must not run out of memory. */
const MOST_DEPTH = 100

/** A statement whose words are being read. */
interface Begun {
  readonly words: Array<string>
  list: Array<string> | null
  isListOpen: boolean
  readonly lineNumber: number
  /** The line of its last word. */
  until: number
}

interface OpenStatements {
  readonly heading: Omit<BraceStatement, "below"> | null
  readonly below: Array<BraceStatement>
}

const NO_MARKS: ReadonlyArray<StatementMark> = []

const marksOf = (words: ReadonlyArray<string>) => {
  if (!words[0]?.endsWith(":")) return { marks: NO_MARKS, words }
  const first = words.findIndex((word) => !MARKS.has(word))
  const count = first < 0 ? words.length : first
  return { marks: words.slice(0, count).flatMap((word) => MARKS.get(word) ?? []), words: words.slice(count) }
}

class Reader {
  readonly faults: Array<BraceFault> = []
  readonly #open: Array<OpenStatements> = [{ heading: null, below: [] }]
  #begun: Begun | undefined
  #isTooDeep = false

  take(found: Token) {
    if (this.#isTooDeep) return
    if (found.kind === "unfinished") this.#fault(found, UNFINISHED.get(found.text) ?? "")
    else if (found.kind === "comment") this.#takeComment(found)
    else if (found.kind === "word") this.#takeWord(found)
    else this.#takeMark(found)
  }

  /** The statements at the top. */
  end(): ReadonlyArray<BraceStatement> {
    this.#endUnfinished()
    while (this.#open.length > 1) {
      const { heading } = this.#open.at(-1) ?? {}
      if (heading) this.#fault({ lineNumber: heading.lineNumber, text: headingText(heading) }, NOT_CLOSED_RULE)
      this.#close()
    }
    return this.#open[0]?.below ?? []
  }

  #fault({ lineNumber, text }: Pick<Token, "lineNumber" | "text">, rule: string) {
    this.faults.push({ lineNumber, word: text, rule })
  }

  #takeComment(found: Token) {
    if (hiddenSecret.test(found.text)) this.#fault(found, "stands for a secret that the account could not see")
    else if (this.#begun !== undefined)
      this.#fault({ ...found, text: found.text.slice(0, 20) }, "is a comment within a statement, and may hide its end")
  }

  #takeWord({ lineNumber, text, until }: Token) {
    const begun = (this.#begun ??= { words: [], list: null, isListOpen: false, lineNumber, until: lineNumber })
    if (lineNumber !== begun.until && !begun.isListOpen) {
      this.#endUnfinished()
      this.#begun = { words: [text], list: null, isListOpen: false, lineNumber, until }
      return
    }
    if (begun.isListOpen) begun.list?.push(text)
    else if (begun.list === null) begun.words.push(text)
    else this.#fault({ lineNumber, text }, "stands behind a list")
    begun.until = until
  }

  #takeMark(found: Token) {
    const begun = this.#begun
    if (found.text === "[") {
      if (begun === undefined || begun.list !== null) this.#fault(found, "begins a list where none can be")
      else Object.assign(begun, { list: [], isListOpen: true, until: found.lineNumber })
    } else if (found.text === "]") {
      if (begun?.isListOpen !== true) this.#fault(found, "ends a list that is not open")
      else Object.assign(begun, { isListOpen: false, until: found.lineNumber })
    } else if (begun?.isListOpen === true) {
      this.#fault(found, "stands in a list that is not ended by a ]")
      begun.isListOpen = false
      this.#takeMark(found)
    } else if (found.text === ";") this.#takeEnd()
    else if (found.text === "{") this.#takeOpening(found)
    else this.#takeClosing(found)
  }

  #takeEnd() {
    const statement = this.#takeBegun()
    // one alone says nothing
    if (statement !== undefined) this.#open.at(-1)?.below.push({ ...statement, below: null })
  }

  #takeOpening(found: Token) {
    const statement = this.#takeBegun()
    if (statement === undefined) this.#fault(found, "opens a section without a name")
    else if (statement.list !== null) this.#fault(found, "stands behind a list")
    this.#isTooDeep = this.#open.length > MOST_DEPTH
    if (this.#isTooDeep) this.#fault(found, `opens a section within ${MOST_DEPTH} others`)
    this.#open.push({
      heading: statement ?? { marks: [], words: [], list: null, lineNumber: found.lineNumber },
      below: []
    })
  }

  #takeClosing(found: Token) {
    this.#endUnfinished()
    if (this.#open.length === 1) this.#fault(found, CLOSES_RULE)
    else this.#close()
  }

  #close() {
    const { below, heading } = this.#open.pop() ?? {}
    if (heading && below !== undefined) this.#open.at(-1)?.below.push({ ...heading, below })
  }

  #takeBegun() {
    const begun = this.#begun
    this.#begun = undefined
    if (begun === undefined) return undefined
    const { list, lineNumber } = begun
    const { marks, words } = marksOf(begun.words)
    if (words.length === 0 && marks.length > 0)
      this.#fault({ lineNumber, text: begun.words.join(" ") }, "is a mark without a statement")
    return { marks, words, list, lineNumber }
  }

  #endUnfinished() {
    const statement = this.#takeBegun()
    if (statement === undefined) return
    this.#fault({ lineNumber: statement.lineNumber, text: headingText(statement) }, "is not ended by a ;")
    this.#open.at(-1)?.below.push({ ...statement, below: null })
  }
}

/** The statements of a text in braces, and what is wrong with its form. Statements of a text with faults are a guess. */
export const readBraces = (text: string): BraceText => {
  const reader = new Reader()
  eachToken(text, (found) => reader.take(found))
  const statements = reader.end()
  return { statements, faults: reader.faults.toSorted((one, other) => one.lineNumber - other.lineNumber) }
}

/** Where a text that is put into another one leaves its place there; undefined for one that stays. */
export const leavingFault = (text: string): BraceFault | undefined =>
  /[{}"]|\/\*/.test(text) ? readBraces(text).faults.find(({ rule }) => LEAVING_RULES.has(rule)) : undefined

// The text of statements, in the form in which a device shows them.

const plainWord = /^[\w.:/@+*<>=,-]+$/

/** A word, in quotes if it needs them. */
export const quotedWord = (word: string): string =>
  plainWord.test(word) && !word.startsWith("/*") ? word : `"${word}"`

const headingText = ({ list, marks, words }: Pick<BraceStatement, "list" | "marks" | "words">): string =>
  [
    ...marks.map((mark) => `${mark}:`),
    ...words.map(quotedWord),
    ...(list === null ? [] : ["[", ...list.map(quotedWord), "]"])
  ].join(" ")

/** The first line of a statement, which is the only one of a statement without a section. */
export const statementLine = (statement: BraceStatement): string =>
  `${headingText(statement)}${statement.below === null ? ";" : " {"}`

function* linesOf(statements: ReadonlyArray<BraceStatement>, indent: string): Generator<string> {
  for (const statement of statements) {
    yield indent + statementLine(statement)
    if (statement.below === null) continue
    yield* linesOf(statement.below, `${indent}    `)
    yield `${indent}}`
  }
}

/** The text of statements, without comments; empty for none. */
export const printBraces = (statements: ReadonlyArray<BraceStatement>): string =>
  [...linesOf(statements, "")].map((line) => `${line}\n`).join("")

/** A statement in its place: `depth` is the number of sections around it. */
export interface PlacedStatement {
  readonly statement: BraceStatement
  readonly depth: number
}

/** All statements in the order of the text. */
export function* eachStatement(statements: ReadonlyArray<BraceStatement>, depth = 0): Generator<PlacedStatement> {
  for (const statement of statements) {
    yield { statement, depth }
    if (statement.below !== null) yield* eachStatement(statement.below, depth + 1)
  }
}
