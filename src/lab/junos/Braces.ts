/**
 * Configuration text in braces: reading it into a tree, with what the device says about it, and printing a tree. Good statements of
 * a faulty text are taken, as on the device.
 */
import * as Config from "./Config.ts"
import type { Entry, Issue, Word } from "./Config.ts"

interface Token {
  readonly kind: "word" | "{" | "}" | ";" | "[" | "]" | "comment" | "end"
  readonly text: string
}

const TOKEN = /\s+|\/\*([\s\S]*?)\*\/|#[^\n]*|"((?:[^"\\]|\\[\s\S])*)"|([{};[\]])|([^\s{};[\]"]+)/y

const tokenOf = (match: RegExpExecArray): Token | undefined => {
  const [, comment, string, sign, word] = match
  if (comment !== undefined) return { kind: "comment", text: comment.trim() }
  // of the escapes in a text, the device resolves none but that of a quotation mark
  if (string !== undefined)
    return { kind: "word", text: string.replaceAll(/\\([\s\S])/g, (escape, sign) => (sign === '"' ? '"' : escape)) }
  if (sign === "{" || sign === "}" || sign === ";" || sign === "[" || sign === "]") return { kind: sign, text: sign }
  return word === undefined ? undefined : { kind: "word", text: word }
}

/** The tokens of a text; a quotation mark without its partner ends it. */
export const tokens = (text: string): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (match === null) {
      found.push({ kind: "word", text: text.slice(from, text.indexOf("\n", from) >>> 0) })
      break
    }
    const token = tokenOf(match)
    if (token !== undefined) found.push(token)
  }
  return found
}

/** What a load does with statements that are there already. */
type Action = "merge" | "replace"

interface Reader {
  readonly tokens: ReadonlyArray<Token>
  next: number
  readonly action: Action
  readonly issues: Array<Issue>
}

const END: Token = { kind: "end", text: "" }

const peek = (reader: Reader): Token => reader.tokens[reader.next] ?? END

const take = (reader: Reader): Token => {
  const token = peek(reader)
  reader.next += 1
  return token
}

/** Adds the statements of a text to a configuration and returns what is wrong with it. */
export const read = (root: Entry, text: string, action: Action = "merge"): ReadonlyArray<Issue> => {
  const reader: Reader = { tokens: tokens(text), next: 0, action, issues: [] }
  while (peek(reader).kind !== "end") {
    readSection(reader, root)
    // a closing brace too many
    if (peek(reader).kind === "}") {
      reader.issues.push({ severity: "error", message: "syntax error", badElement: "}" })
      take(reader)
    }
  }
  Config.prune(root)
  return reader.issues
}

interface Marks {
  annotation: string | undefined
  inactive: boolean
  active: boolean
  protect: boolean
  replace: boolean
  remove: boolean
}

const readMarks = (reader: Reader): Marks => {
  const marks: Marks = {
    annotation: undefined,
    inactive: false,
    active: false,
    protect: false,
    replace: false,
    remove: false
  }
  for (;;) {
    const { kind, text } = peek(reader)
    if (kind === "comment") marks.annotation = text
    else if (kind !== "word") return marks
    else if (text === "inactive:") marks.inactive = true
    else if (text === "active:") marks.active = true
    else if (text === "protect:") marks.protect = true
    else if (text === "replace:") marks.replace = true
    else if (text === "delete:") marks.remove = true
    else return marks
    take(reader)
  }
}

const readWords = (reader: Reader): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  for (;;) {
    const { kind } = peek(reader)
    if (kind === "word") words.push(take(reader).text)
    else if (kind === "comment") take(reader)
    else if (kind === "[") {
      take(reader)
      const list: Array<string> = []
      while (peek(reader).kind === "word") list.push(take(reader).text)
      if (peek(reader).kind !== "]") return words
      take(reader)
      words.push({ list })
    } else return words
  }
}

/** Reads statements up to the end of their section; `before` are words that stand before each of them. */
const readSection = (reader: Reader, section: Entry, before: ReadonlyArray<Word> = []): void => {
  for (;;) {
    const marks = readMarks(reader)
    const { kind } = peek(reader)
    if (kind === "}" || kind === "end") return
    const words = readWords(reader)
    readStatement(reader, section, words.length === 0 ? words : [...before, ...words], marks)
  }
}

const readStatement = (reader: Reader, section: Entry, words: ReadonlyArray<Word>, marks: Marks) => {
  const sign = take(reader)
  const opens = sign.kind === "{"
  if ((!opens && sign.kind !== ";") || words.length === 0) {
    const last = words.at(-1)
    const badElement = sign.kind === "end" && typeof last === "string" ? last : sign.text
    reader.issues.push({ severity: "error", message: "syntax error", badElement })
    if (sign.kind === "}") reader.next -= 1
    else if (opens) skip(reader)
    return
  }
  const list = opens && !marks.remove ? Config.listHead(section, words) : undefined
  if (list !== undefined) {
    readSection(reader, list.section, [list.word])
    if (take(reader).kind === "end") reader.issues.push(unclosed(list.word))
    return
  }
  if (marks.remove) return remove(reader, section, words, opens)
  if (marks.replace && reader.action === "replace") removeQuietly(section, words)
  const step = Config.follow(section, words, opens)
  if (Config.isIssue(step)) {
    reader.issues.push(step)
    if (opens) skip(reader)
    return
  }
  const found = step.entry
  if (marks.annotation !== undefined && marks.annotation !== "SECRET-DATA") found.annotation = marks.annotation
  if (marks.inactive) found.inactive = true
  if (marks.active) found.inactive = false
  if (marks.protect) found.protected = true
  if (!opens) return
  const before = found.children.size
  readSection(reader, found)
  if (take(reader).kind === "end") reader.issues.push(unclosed(Config.wordsOf(found)))
  else if (found.children.size === 0 && before === 0 && isWarned(found))
    reader.issues.push({
      severity: "warning",
      message: "statement has no contents; ignored",
      badElement: Config.wordsOf(found)
    })
}

const unclosed = (badElement: string): Issue => ({
  severity: "error",
  message: "syntax error, expecting '}'",
  badElement
})

const isWarned = ({ grammar }: Entry) => grammar?.kind === "container" && !grammar.presence

/** The device reads on behind the section that it did not understand, and says so. */
const skip = (reader: Reader) => {
  for (let depth = 1; depth > 0;) {
    const { kind } = take(reader)
    if (kind === "{") depth += 1
    else if (kind === "}") depth -= 1
    else if (kind === "end") return
  }
  reader.issues.push({
    severity: "error",
    message: "error recovery ignores input until this point",
    badElement: "}"
  })
}

const plain = (words: ReadonlyArray<Word>) => words.filter((word) => typeof word === "string")

const removeQuietly = (section: Entry, words: ReadonlyArray<Word>) => {
  const found = Config.find(section, plain(words))
  if (found !== undefined && !found.entry.protected) found.section.children.delete(Config.id(found.entry))
}

const remove = (reader: Reader, section: Entry, words: ReadonlyArray<Word>, opens: boolean) => {
  if (Config.find(section, plain(words)) === undefined)
    reader.issues.push({ severity: "warning", message: "statement not found", badElement: plain(words).at(-1) ?? "" })
  removeQuietly(section, words)
  if (opens) skip({ ...reader, issues: [] })
}

// Printing.

/** How secrets are shown: with their mark, for one who may not see them, or as they are. */
export type SecretView = "marked" | "hidden" | "plain"

const INDENT = "    "

interface Printer {
  readonly lines: Array<string>
  readonly secrets: SecretView
}

/** The values of a leaf as they are written. */
export const valuesOf = ({ grammar, values }: Entry): string => {
  const written = values.map((value) =>
    grammar?.type === "password" || isSecret(grammar) ? `"${value}"` : Config.quoted(value)
  )
  return written.length === 1 ? (written[0] ?? "") : `[ ${written.join(" ")} ]`
}

const isSecret = (grammar: Entry["grammar"]) => grammar?.type === "secret" || grammar?.type === "password"

const leafText = (leaf: Entry, secrets: SecretView): string => {
  if (isSecret(leaf.grammar) && secrets === "hidden") return `${leaf.word} /* SECRET-DATA */`
  return leaf.values.length === 0 ? leaf.word : `${leaf.word} ${valuesOf(leaf)}`
}

const hasSecret = (one: Entry): boolean => isSecret(one.grammar) || [...one.children.values()].some(hasSecret)

const oneLine = (one: Entry, secrets: SecretView): string => {
  const inside = Config.ordered(one).map((leaf) => oneLine(leaf, secrets))
  return [one.children.size === 0 ? wholeWords(one, secrets) : Config.wordsOf(one), ...inside].join(" ")
}

const wholeWords = (one: Entry, secrets: SecretView): string =>
  one.key === undefined ? leafText(one, secrets) : Config.wordsOf(one)

const isShort = ({ children, grammar }: Entry): boolean =>
  grammar?.short === true &&
  children.size === 1 &&
  [...children.values()].every((leaf) => leaf.children.size === 0 && !leaf.inactive && leaf.annotation === undefined)

const isLine = (one: Entry): boolean => one.children.size === 0 || one.grammar?.oneLine === true || isShort(one)

const printEntry = (printer: Printer, one: Entry, indent: string, before: string) => {
  const { lines, secrets } = printer
  if (one.annotation !== undefined) lines.push(`${indent}/* ${one.annotation} */`)
  if (one.from !== undefined)
    lines.push(
      `${indent}##`,
      `${indent}## '${one.key ?? one.values[0] ?? one.word}' was inherited from group '${one.from}'`,
      `${indent}##`
    )
  const marks = `${one.inactive ? "inactive: " : ""}${one.protected ? "protect: " : ""}`
  const start = `${indent}${marks}${before}`
  if (isLine(one)) {
    const mark = secrets === "marked" && hasSecret(one) ? " ## SECRET-DATA" : ""
    lines.push(`${start}${oneLine(one, secrets)};${mark}`)
  } else if (one.grammar?.joined === true) {
    const inside = one.inactive ? { ...printer, lines: [] } : printer
    for (const next of Config.ordered(one)) printEntry(inside, next, indent, `${before}${one.word} `)
    if (one.inactive)
      lines.push(
        ...inside.lines.map((line) =>
          line.startsWith(`${indent}${one.word} `) ? `${indent}inactive: ${line.trimStart()}` : line
        )
      )
  } else {
    lines.push(`${start}${Config.wordsOf(one)} {`)
    for (const next of Config.ordered(one)) printEntry(printer, next, indent + INDENT, "")
    lines.push(`${indent}}`)
  }
}

/** The statements of a section as text, each line with its end. */
export const print = (section: Entry, secrets: SecretView = "plain"): string => {
  const printer: Printer = { lines: [], secrets }
  for (const one of Config.ordered(section)) printEntry(printer, one, "", "")
  return printer.lines.map((line) => `${line}\n`).join("")
}

/** One entry with all that is in it, as lines. */
export const linesOf = (one: Entry, secrets: SecretView = "plain"): ReadonlyArray<string> => {
  const printer: Printer = { lines: [], secrets }
  printEntry(printer, one, "", "")
  return printer.lines
}

/** A configuration from a text that is right. */
export const parse = (text: string): Entry => {
  const root = Config.empty()
  read(root, text)
  return root
}
