/**
 * The gate before every driver: a candidate contains configuration and nothing else. The gate judges each line by the words of
 * its platform (`CommandWords`) before the first byte is sent, because a device runs commands wherever it takes configuration:
 * `commit` in the data of a port would commit half a candidate, `reload` would restart the device, also in a dry run. Texts
 * that a command reads (banners, certificates, scripts) are data up to their end. Pure.
 */
import { RE2JS } from "re2js"
import { refusedStatements } from "./BraceGate.ts"
import { openedInput } from "./ConfigLines.ts"
import type { CommandWords, Platform, SharedWord } from "./platforms/Platform.ts"

/** A line that the gate refuses. */
interface RefusedLine {
  /** Line number in the text, from 1. */
  readonly lineNumber: number
  /** The line verbatim, with its secrets. */
  readonly line: string
  readonly word: string
  /** The effect of the word: a sentence without its subject and its full stop. */
  readonly rule: string
}

/** The facts that a judgement needs in addition to the text. */
interface GateContext {
  /** The running configuration, for the aliases that it defines. */
  readonly running?: string
  /** The text belongs in the section of a port and must stay in it. */
  readonly inPort?: boolean
}

/** The most lines that a refusal names. */
const MOST_REFUSED = 20

/** The end of a multi-line text. */
const END_OF_TEXT = "EOF"

// a device acts on these as keys; line ends of either kind are allowed
const controlCharacter = /(?!\t|\n|\r\n|\r$)[\p{Cc}\u2028\u2029]/u
/** Any control character but those that every text has: looked for first, because it is quicker and finds nothing in most texts. */
const unusual = /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\uffff]/
const blanks = /\s+/
/** No word of a configuration begins with one of these or contains one. */
const quoted = /["'`\\?]/
/** Characters that end a word although no blank follows. */
const wordEnd = /[|<>;&!\s]/

type Judgement =
  | { readonly _tag: "configuration" }
  | { readonly _tag: "refused"; readonly rule: string }
  | { readonly _tag: "shared"; readonly shared: SharedWord }
  | { readonly _tag: "negation" | "leave" | "end" }

const CONFIGURATION: Judgement = { _tag: "configuration" }
const LEAVE: Judgement = { _tag: "leave" }
const END: Judgement = { _tag: "end" }
const NEGATION: Judgement = { _tag: "negation" }

const refused = (rule: string): Judgement => ({ _tag: "refused", rule })

const SESSION_RULE = "leaves, commits, abandons or opens a configuration session"
const EXEC_RULE = "is a command, not configuration"
const QUOTED_RULE = "is no plain word, and a device may read another one"
const MANY_WORDS = 4_096

/** The first words of a platform and the meaning of each, compiled once. */
interface Vocabulary {
  readonly words: CommandWords
  /** Cache of words that have been classified. */
  readonly judged: Map<string, Judgement>
}

const abbreviates = (word: string, commands: ReadonlyArray<string>): string | undefined =>
  commands.find((command) => command.startsWith(word))

/** The meaning of a first word outside of the full words of the vocabulary. */
const judgeUnknown = (words: CommandWords, word: string): Judgement => {
  if (quoted.test(word)) return refused(QUOTED_RULE)
  const end = word.search(wordEnd)
  if (end > 0) {
    const judgement = judgeWord(words, word.slice(0, end))
    return judgement._tag === "configuration" ? judgement : refused(EXEC_RULE)
  }
  const negation = words.negations.find((full) => full.startsWith(word))
  const command = abbreviates(word, [...words.session, ...words.exec, ...words.leave.keys(), words.end])
  if (command !== undefined) return refused(`is short for the command "${command}"`)
  if (negation !== undefined) return NEGATION
  const shared = words.shared.find((other) => other.word.startsWith(word))
  return shared === undefined ? CONFIGURATION : { _tag: "shared", shared }
}

const judgeWord = (words: CommandWords, given: string): Judgement => {
  const word = given.toLowerCase()
  // a full configuration word wins over the command that it may abbreviate
  if (words.configuration.includes(word)) return CONFIGURATION
  if (words.session.includes(word)) return refused(SESSION_RULE)
  if (words.exec.includes(word)) return refused(EXEC_RULE)
  if (words.negations.includes(word)) return NEGATION
  // a switch may accept other spellings, but Switchyard itself leaves out only these
  if (words.leave.has(word)) return LEAVE
  if (word === words.end) return given === words.end ? END : refused(SESSION_RULE)
  const shared = words.shared.find((other) => other.word === word)
  return shared === undefined ? judgeUnknown(words, word) : { _tag: "shared", shared }
}

const vocabularies = new WeakMap<CommandWords, Vocabulary>()

const vocabularyOf = (words: CommandWords): Vocabulary => {
  const known = vocabularies.get(words)
  if (known !== undefined) return known
  const made: Vocabulary = { words, judged: new Map() }
  vocabularies.set(words, made)
  return made
}

const judgeFirst = ({ judged, words }: Vocabulary, word: string): Judgement => {
  const known = judged.get(word)
  if (known !== undefined) return known
  if (judged.size >= MANY_WORDS) judged.clear()
  const judgement = judgeWord(words, word)
  judged.set(word, judgement)
  return judgement
}

/** The rule by which a word that can be both is a command here; undefined when it is configuration. */
const commandBehind = (shared: SharedWord, behind: ReadonlyArray<string>): string | undefined => {
  const next = behind[shared.place - 1]
  if (next === undefined) return shared.alone === "command" ? EXEC_RULE : undefined
  if (shared.configuration.includes(next)) return undefined
  const command = abbreviates(next, shared.commands)
  if (command !== undefined) return `is a command with "${command}" behind it, not configuration`
  if (shared.otherwise === "configuration") return undefined
  return shared.configuration.length === 0
    ? EXEC_RULE
    : `is configuration only with ${shared.configuration.map((word) => `"${word}"`).join(" or ")} behind it`
}

type Finding = Pick<RefusedLine, "word" | "rule">

/** The command in a line, by its first words. The caller judges lines that leave their mode. */
const judgeWords = (vocabulary: Vocabulary, typed: string): Finding | "leave" | "end" | undefined => {
  // a request for help removes the question mark, and the device runs the rest
  const all = typed.replaceAll("?", "").trim().split(blanks)
  const [given = ""] = typed.split(blanks, 1)
  if (given.includes("?")) return { word: given, rule: QUOTED_RULE }
  const first = all.findIndex((word) => judgeFirst(vocabulary, word)._tag !== "negation")
  const word = all[first]
  if (word === undefined) return undefined
  const judgement = judgeFirst(vocabulary, word)
  switch (judgement._tag) {
    case "refused":
      return { word, rule: judgement.rule }
    case "shared": {
      const behind = all.slice(first + 1).map((other) => other.toLowerCase())
      const rule = commandBehind(judgement.shared, behind)
      return rule === undefined ? undefined : { word, rule }
    }
    case "leave":
    case "end":
      if (first > 0) return { word, rule: SESSION_RULE }
      // the device would refuse anything after it, or read it as another command
      return all.length === 1 ? judgement._tag : { word, rule: SESSION_RULE }
    case "configuration":
    case "negation":
      return undefined
  }
}

/** A pipe or a redirection outside of text; undefined when the line has none. */
const redirectionIn = (words: CommandWords, typed: string): Finding | undefined => {
  if (words.textBehind === null) return undefined
  const found = /(?:^|\s)([|>]+\S*)/.exec(typed)
  const [, word] = found ?? []
  if (found === null || word === undefined || words.textBehind.test(typed)) return undefined
  const quotes = typed.slice(0, found.index).split('"').length - 1
  return quotes % 2 === 1 ? undefined : { word, rule: "sends the output of the line to a command or a file" }
}

/** Whether a line is one of the aliases, which the device would run instead. */
type AliasTest = (typed: string, first: string) => boolean

const patternOf = (name: string): RE2JS | null => {
  try {
    return RE2JS.compile(name.replace(/^\//, "^(?:").replace(/\/$/, ")$"))
  } catch {
    return null
  }
}

/** The aliases that any of the texts defines; null when they define none. */
const aliasesOf = ({ alias }: CommandWords, texts: ReadonlyArray<string>): AliasTest | null => {
  if (alias === null) return null
  const names = texts
    .filter((text) => /alias/i.test(text))
    .flatMap((text) => [...text.matchAll(new RegExp(alias.source, "gim"))])
    .map(([, name = ""]) => name.replaceAll('"', ""))
  if (names.length === 0) return null
  const words = new Set(names.filter((name) => !name.startsWith("/")).map((name) => name.toLowerCase()))
  const patterns = names.filter((name) => name.startsWith("/")).flatMap((name) => patternOf(name) ?? [])
  return (typed, first) => words.has(first.toLowerCase()) || patterns.some((pattern) => pattern.matcher(typed).find())
}

/** A line that is typed as a command. */
interface TypedLine {
  readonly typed: string
  readonly indent: number
}

/**
 * The modes that are certainly open: where the device may be at a higher level than the indentation says, the higher level
 * counts. So a line may leave its mode only when it leaves one of these. Lines are evaluated lazily, when a caller asks.
 */
class OpenModes {
  readonly #words: CommandWords
  readonly #open: Array<TypedLine> = []
  #waiting: Array<TypedLine> = []
  /** The indentation of the mode that the last line has left. */
  #left: number | undefined

  constructor(words: CommandWords) {
    this.#words = words
  }

  /** Takes the next line. False when its indentation puts it in the mode that the previous line has left. */
  take(line: TypedLine): boolean {
    this.#waiting.push(line)
    return !this.standsInLeft(line.indent)
  }

  standsInLeft(indent: number): boolean {
    const left = this.#left
    this.#left = undefined
    return left !== undefined && indent > left
  }

  #pass({ indent, typed }: TypedLine) {
    const { nesting, topLevel } = this.#words
    const leaves = indent > 0 && topLevel.test(typed) && !nesting.test(`${this.#around(indent)}\n${typed}`)
    const place = leaves ? 0 : indent
    while ((this.#open.at(-1)?.indent ?? -1) >= place) this.#open.pop()
    if (this.#words.opensMode.test(typed)) this.#open.push({ typed, indent })
  }

  #catchUp() {
    for (const line of this.#waiting) this.#pass(line)
    this.#waiting = []
  }

  /** The heading of the mode around a line with this indentation; empty at the top, and where no mode is certainly open. */
  headingAt(indent: number): string {
    this.#catchUp()
    return this.#around(indent)
  }

  #around(indent: number): string {
    return this.#open.findLast((mode) => mode.indent < indent)?.typed ?? ""
  }

  /** Leaves the innermost mode whose heading begins with this; false when none is certainly open. */
  leave(heading: string): boolean {
    this.#catchUp()
    const index = this.#open.findLastIndex(({ typed }) => typed.startsWith(heading))
    if (index < 0) return false
    this.#left = this.#open[index]?.indent
    this.#open.splice(index)
    return true
  }
}

const encoder = new TextEncoder()

const isTooLong = (line: string, most: number): boolean => line.length * 3 > most && encoder.encode(line).length > most

const controlIn = (line: string): Finding | undefined => {
  const [character] = controlCharacter.exec(line) ?? []
  if (character === undefined) return undefined
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
  return { word: `U+${code}`, rule: "is a control character, on which a device acts" }
}

const ENDS_COMMENT: Finding = { word: END_OF_TEXT, rule: "ends the text of a comment, and what follows is run" }
const ALIAS_RULE = "is an alias on the device, which runs a command"
const LEAVES_PORT_RULE = "leaves the section of the port"
const LEAVES_RULE = "leaves the mode it stands in further than its indentation says"
const EARLY_END_RULE = "ends the configuration, and lines follow"

/** One text that passes the gate of a platform. */
class Passage {
  readonly found: Array<RefusedLine> = []
  readonly #vocabulary: Vocabulary
  readonly #platform: Platform
  readonly #isAlias: AliasTest | null
  readonly #inPort: boolean
  readonly #lines: ReadonlyArray<string>
  readonly #modes: OpenModes
  readonly #mayRedirect: boolean
  /** Lines that only the next line can decide: the end of the configuration, and a line that has left a mode. */
  #end: number | undefined
  #leaving: number | undefined

  constructor(platform: Platform, words: CommandWords, text: string, { inPort = false, running = "" }: GateContext) {
    this.#vocabulary = vocabularyOf(words)
    this.#platform = platform
    this.#isAlias = aliasesOf(words, [running, text])
    this.#inPort = inPort
    this.#lines = text.split("\n")
    this.#modes = new OpenModes(words)
    this.#mayRedirect = words.textBehind !== null && /[|>]/.test(text)
  }

  #refuse(index: number, { rule, word }: Finding) {
    this.found.push({ lineNumber: index + 1, line: this.#lines[index]?.trimEnd() ?? "", word, rule })
  }

  /** Judges all lines, in order. */
  judge(): ReadonlyArray<RefusedLine> {
    for (let index = 0; index < this.#lines.length && this.found.length < MOST_REFUSED;) index = this.#pass(index)
    return this.found.toSorted((one, other) => one.lineNumber - other.lineNumber)
  }

  /** Judges the line at this index, and returns the index of the next line outside its text. */
  #pass(index: number): number {
    const line = this.#lines[index] ?? ""
    const { longestLine } = this.#vocabulary.words
    if (isTooLong(line, longestLine)) {
      const rule = `begins a line of more than ${longestLine} bytes, which is not taken as one`
      this.#refuse(index, { word: line.trim().slice(0, 20), rule })
      return index + 1
    }
    const typed = (line.includes("\t") ? line.replaceAll("\t", " ") : line).trim()
    if (typed === "") return index + 1
    const indent = line.length - line.trimStart().length
    if (this.#isComment(typed)) {
      if (typed.startsWith("!!") && this.#platform.configuration.multiLineInputs.length > 0)
        this.#passComment(index, indent, typed)
      return index + 1
    }
    return this.#passTyped(index, { typed, indent })
  }

  #isComment(typed: string): boolean {
    if (typed.startsWith(this.#platform.configuration.comment)) return true
    return this.#vocabulary.words.comments.some((sign) => typed.startsWith(sign))
  }

  /** The comment of a mode is typed as the text of a command, which exists only in a mode. */
  #passComment(index: number, indent: number, typed: string) {
    const text = typed.replace(/^!!\s?/, "").trim()
    if (text === END_OF_TEXT) this.#refuse(index, ENDS_COMMENT)
    else if (text !== "" && this.#modes.headingAt(indent) === "") this.#judgeAlone(index, text)
  }

  #judgeAlone(index: number, text: string) {
    const found = judgeWords(this.#vocabulary, text)
    if (typeof found === "object") this.#refuse(index, found)
    else if (found !== undefined) this.#refuse(index, { word: text, rule: LEAVES_RULE })
  }

  #passTyped(index: number, line: TypedLine): number {
    const said = this.#judgeLine(line.typed)
    if (this.#end !== undefined) {
      this.#refuse(this.#end, { word: this.#vocabulary.words.end, rule: EARLY_END_RULE })
      this.#end = undefined
    }
    if (said === "leave") {
      this.#passLeaving(index, line)
      return index + 1
    }
    if (said === "end" && !this.#inPort) this.#end = index
    else if (said === "end") this.#refuse(index, { word: line.typed, rule: LEAVES_PORT_RULE })
    else if (said !== undefined) this.#refuse(index, said)
    if (!this.#modes.take(line)) this.#refuseLeaving()
    return this.#behindTexts(index + 1, line)
  }

  /** The command in a line. */
  #judgeLine(typed: string): ReturnType<typeof judgeWords> {
    const blank = typed.indexOf(" ")
    const first = blank < 0 ? typed : typed.slice(0, blank)
    if (this.#isAlias?.(typed, first) === true) return { word: first, rule: ALIAS_RULE }
    if (judgeFirst(this.#vocabulary, first) !== CONFIGURATION) {
      const found = judgeWords(this.#vocabulary, typed)
      if (found !== undefined) return found
    }
    const { words } = this.#vocabulary
    if (this.#inPort && words.topLevel.test(typed)) return { word: first, rule: LEAVES_PORT_RULE }
    return this.#mayRedirect ? redirectionIn(words, typed) : undefined
  }

  #passLeaving(index: number, { indent, typed }: TypedLine) {
    if (this.#modes.standsInLeft(indent)) this.#refuseLeaving()
    if (this.#inPort) this.#refuse(index, { word: typed, rule: LEAVES_PORT_RULE })
    else if (this.#modes.leave(this.#vocabulary.words.leave.get(typed.toLowerCase()) ?? "")) this.#leaving = index
    else this.#refuse(index, { word: typed, rule: LEAVES_RULE })
  }

  #refuseLeaving() {
    const index = this.#leaving
    if (index === undefined) return
    this.#refuse(index, { word: this.#lines[index]?.trim() ?? "", rule: LEAVES_RULE })
  }

  /** The index after the texts that the line opens; for a text without an end, the index after all lines. */
  #behindTexts(start: number, { indent, typed }: TypedLine): number {
    const input = openedInput(this.#platform.configuration, typed)
    // a device that does not know the command runs the lines after it
    if (input === undefined || input.within?.test(this.#modes.headingAt(indent)) === false) return start
    let index = start
    for (let texts = 0; texts < input.texts && index < this.#lines.length; texts++) {
      while (index < this.#lines.length && this.#lines[index]?.trim() !== END_OF_TEXT) index++
      index++
    }
    return Math.min(index, this.#lines.length)
  }
}

const controlsIn = (text: string): ReadonlyArray<RefusedLine> => {
  if (!unusual.test(text) || !controlCharacter.test(text)) return []
  return text
    .split(/\r?\n/)
    .flatMap((line, index) => {
      const found = controlIn(line)
      return found === undefined ? [] : [{ lineNumber: index + 1, line, ...found }]
    })
    .slice(0, MOST_REFUSED)
}

const refusedBraces = (text: string, { inPort = false }: GateContext): ReadonlyArray<RefusedLine> => {
  const lines = text.split("\n")
  return refusedStatements(text, inPort)
    .slice(0, MOST_REFUSED)
    .map((found) => ({ ...found, line: lines[found.lineNumber - 1]?.trimEnd() ?? "" }))
}

/**
 * The lines of a text that are not configuration of this platform, in their order; at most 20. A platform with braces has rules of
 * its own (`BraceGate.ts`); for another one without a vocabulary (`Platform.commands`) only control characters are refused.
 */
export const refusedLines = (
  platform: Platform,
  text: string,
  context: GateContext = {}
): ReadonlyArray<RefusedLine> => {
  const controls = controlsIn(text)
  if (controls.length > 0) return controls
  if (platform.configuration.sections === "braces") return refusedBraces(text, context)
  return platform.commands === undefined ? [] : new Passage(platform, platform.commands, text, context).judge()
}

/** A refusal for people. `line` is the part that they may see; without it, the line is only numbered. */
export const refusalText = ({ lineNumber, rule, word }: RefusedLine, line?: string): string =>
  `line ${lineNumber}${line === undefined ? "" : ` ("${line.trim()}")`} is no configuration: "${word}" ${rule}`
