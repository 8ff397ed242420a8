/**
 * Source text to a stream of tokens: text between tags with the rules of white space (`-`, `+`, trim_blocks, lstrip_blocks, final line
 * end kept), the inside of tags, and string literals. See docs/templates.md#the-language.
 */
import { attempt, type Failure, Fault, Position } from "../Failure.ts"
import { spend } from "../Meter.ts"
import { Float, fromBigInt } from "../values/Value.ts"
import type { Literal } from "./Tree.ts"

// Tokens, and the stream from which the parser takes them.

/** The kinds of tokens. */
type TokenType =
  | "text"
  | "variable_begin"
  | "variable_end"
  | "block_begin"
  | "block_end"
  | "name"
  | "string"
  | "number"
  | "operator"
  | "eof"

interface Token {
  readonly type: TokenType
  /** Text, name or operator as written; the contents of a string. */
  readonly text: string
  /** The value of a number. */
  readonly value: Literal
  /** Where it begins in the source, in UTF-16 units. */
  readonly offset: number
}

const descriptions: Readonly<Partial<Record<TokenType, string>>> = {
  text: "template data / text",
  variable_begin: "begin of print statement",
  variable_end: "end of print statement",
  block_begin: "begin of statement block",
  block_end: "end of statement block",
  string: "string",
  number: "integer",
  eof: "end of template"
}

/** How error messages name a token. */
export const describeToken = (token: Token): string => descriptions[token.type] ?? token.text

/** The result of a lexer. */
interface Tokenized {
  readonly template: string
  readonly tokens: ReadonlyArray<Token>
  /** Length of the source in UTF-16 units. */
  readonly end: number
  /** The error after which there are no more tokens; undefined at the end of the source. */
  readonly failure: Failure | undefined
  readonly positionOf: (offset: number) => Position
}

/** The tokens of one template with a place to read from. */
export class TokenStream {
  private readonly source: Tokenized
  private readonly end: Token
  private index = 0

  constructor(source: Tokenized) {
    this.source = source
    this.end = { type: "eof", text: "", value: null, offset: source.end }
  }

  get template(): string {
    return this.source.template
  }

  /** The current token. Fails with the error of the lexer, if it stopped here. */
  get current(): Token {
    return this.source.tokens[this.index] ?? this.afterLast()
  }

  private afterLast(): Token {
    const { failure } = this.source
    if (failure !== undefined) throw new Fault(failure.kind, failure.message, failure.position, failure.limit)
    return this.end
  }

  get following(): Token {
    return this.source.tokens[this.index + 1] ?? this.afterLast()
  }

  /** Where the current token begins. */
  get here(): Position {
    return this.source.positionOf(this.current.offset)
  }

  next(): Token {
    const token = this.current
    this.index++
    return token
  }

  is(type: TokenType, text?: string): boolean {
    const { current } = this
    return current.type === type && (text === undefined || current.text === text)
  }

  isOperator(text: string): boolean {
    return this.is("operator", text)
  }

  isName(text: string): boolean {
    return this.is("name", text)
  }

  /** Takes the current token if it is this operator or name; yields whether it did. */
  skip(type: "operator" | "name", text: string): boolean {
    const found = this.is(type, text)
    if (found) this.index++
    return found
  }

  /** Takes the current token, which must be of this kind. */
  expect(type: TokenType, text?: string): Token {
    if (this.is(type, text)) return this.next()
    const wanted = text ?? descriptions[type] ?? type
    if (this.current.type === "eof") return this.fail(`unexpected end of template, expected '${wanted}'.`)
    return this.fail(`expected token '${wanted}', got '${describeToken(this.current)}'`)
  }

  /** Fails with TemplateSyntaxError, here or at a position given. */
  fail(message: string, at: Position = this.here): never {
    throw new Fault("TemplateSyntaxError", message, at)
  }
}

// The inside of string literals: Python's escapes, read and written.

const simple: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v"
}

const escape = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([^]))/gu

/** The text that a literal without its quotes stands for. `fail` is called for escapes that Python refuses. */
const unescape = (text: string, fail: (message: string) => never): string => {
  if (!text.includes("\\")) return text
  return text.replace(escape, (whole, octal, byte, short, long, letter) => {
    if (letter === undefined)
      return codePoint(octal === undefined ? parseInt(byte ?? short ?? long, 16) : parseInt(octal, 8), fail)
    if (letter === "x") return fail("truncated \\xXX escape")
    if (letter === "u") return fail("truncated \\uXXXX escape")
    if (letter === "U") return fail("truncated \\UXXXXXXXX escape")
    if (letter === "N") return fail("character names are not supported")
    return simple[letter] ?? whole
  })
}

const codePoint = (code: number, fail: (message: string) => never): string =>
  code > 0x10ffff ? fail("illegal Unicode character") : String.fromCodePoint(code)

const written: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r" }

/** A literal that reads back as this text. */
export const quote = (text: string): string =>
  `'${text.replace(/[\\'\n\t\r]/g, (character) => written[character] ?? "")}'`

// White space as Python's \s has it: unlike JavaScript's with the separators of ASCII, without the byte order mark.
const blank = "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]"
const sticky = (pattern: string, flags = ""): RegExp => new RegExp(pattern.replaceAll("\\s", blank), `y${flags}`)

const rawBegin = sticky("\\{%([-+]?)\\s*raw\\s*(?:-%\\}\\s*|%\\})")
const rawEnd = new RegExp(`\\{%([-+]?)\\s*endraw\\s*(?:\\+%\\}|-%\\}\\s*|%\\}\\n?)`.replaceAll("\\s", blank), "g")
const commentEnd = new RegExp(`\\+#\\}|-#\\}${blank}*|#\\}\\n?`, "g")
const blockEnd = sticky("\\+%\\}|-%\\}\\s*|%\\}\\n?")
const variableEnd = sticky("-\\}\\}\\s*|\\}\\}")
const spaces = sticky("\\s+")
const float = sticky("(?<!\\.)\\d+(?:_\\d+)*(?:(?:\\.\\d+(?:_\\d+)*)?e[-+]?\\d+(?:_\\d+)*|\\.\\d+(?:_\\d+)*)", "i")
const integer = sticky("0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\\da-f])+|[1-9](?:_?\\d)*|0(?:_?0)*", "i")
const name = sticky("[\\p{L}\\p{N}\\p{M}_]+", "u")
const identifier = /^[\p{XID_Start}_]\p{XID_Continue}*$/u
const string = sticky(
  "'[^'\\\\]*(?:\\\\[\\s\\S][^'\\\\]*)*'|\"[^\"\\\\]*(?:\\\\[\\s\\S][^\"\\\\]*)*\"".replaceAll("[\\s\\S]", "[^]")
)
const operator = sticky("\\*\\*|//|==|!=|<=|>=|[-+/*%~\\[\\](){}<>=.:|,;]")
const oneBlank = new RegExp(blank)
const onlyBlanks = new RegExp(`^${blank}+$`)

const closers: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"]
])

// without a regular expression, which would start again at each blank
const withoutTrailingBlanks = (text: string): string => {
  let end = text.length
  while (end > 0 && oneBlank.test(text.charAt(end - 1))) end--
  spend(text.length - end)
  return text.slice(0, end)
}

// As many digits as Python reads.
const longestInteger = 4300

class Lexer {
  readonly tokens: Array<Token> = []
  private readonly template: string
  readonly source: string
  private readonly lineStarts: Array<number> = [0]
  private position = 0
  // Did the last tag end with a line end, so that text continues at the start of a line?
  private lineStarting = true

  constructor(template: string, source: string) {
    this.template = template
    this.source = source.replace(/\r\n?/g, "\n")
    for (let i = this.source.indexOf("\n"); i >= 0; i = this.source.indexOf("\n", i + 1)) this.lineStarts.push(i + 1)
  }

  positionOf(offset: number): Position {
    let low = 0
    let high = this.lineStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.lineStarts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return new Position(this.template, low + 1, offset - (this.lineStarts[low] ?? 0) + 1)
  }

  fail(message: string, offset = this.position): never {
    throw new Fault("TemplateSyntaxError", message, this.positionOf(offset))
  }

  private push(type: TokenType, text: string, offset: number, value: Literal = null): void {
    spend(32)
    this.tokens.push({ type, text, value, offset })
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position
    const found = pattern.exec(this.source)?.[0]
    if (found !== undefined) this.position += found.length
    return found
  }

  run(): void {
    const opening = /\{[{%#]/g
    while (this.position < this.source.length) {
      opening.lastIndex = this.position
      const found = opening.exec(this.source)
      const end = found?.index ?? this.source.length
      const text = this.source.slice(this.position, end)
      if (found === null) {
        this.text(text)
        return
      }
      this.tag(found[0], text, end)
    }
  }

  private text(text: string): void {
    if (text !== "") this.push("text", text, this.position)
  }

  // The text in front of a tag, stripped as the tag's sign says.
  private before(text: string, sign: string, lstrip: boolean): void {
    let kept = text
    if (sign === "-") kept = withoutTrailingBlanks(text)
    else if (sign !== "+" && lstrip) {
      const line = text.lastIndexOf("\n") + 1
      if ((line > 0 || this.lineStarting) && onlyBlanks.test(text.slice(line))) kept = text.slice(0, line)
    }
    this.text(kept)
  }

  private tag(opening: string, text: string, at: number): void {
    rawBegin.lastIndex = at
    const raw = rawBegin.exec(this.source)
    const next = this.source.charAt(at + 2)
    const sign = raw === null ? (next === "-" || next === "+" ? next : "") : (raw[1] ?? "")
    this.before(text, sign, opening !== "{{")
    this.position = at + (raw === null ? 2 + sign.length : raw[0].length)
    if (raw !== null) this.raw(raw[0].endsWith("\n"))
    else if (opening === "{#") this.comment()
    else if (opening === "{{") this.inside("variable_begin", "variable_end", variableEnd, at)
    else this.inside("block_begin", "block_end", blockEnd, at)
  }

  private raw(lineStarting: boolean): void {
    this.lineStarting = lineStarting
    if (this.position >= this.source.length) return
    rawEnd.lastIndex = this.position
    const end = rawEnd.exec(this.source)
    if (end === null) return this.fail("Missing end of raw directive")
    this.before(this.source.slice(this.position, end.index), end[1] ?? "", true)
    this.leave(end.index, end[0])
  }

  private comment(): void {
    if (this.position >= this.source.length) return
    commentEnd.lastIndex = this.position
    const end = commentEnd.exec(this.source)
    if (end === null) return this.fail("Missing end of comment tag")
    this.leave(end.index, end[0])
  }

  private leave(at: number, closing: string): void {
    this.position = at + closing.length
    this.lineStarting = closing.endsWith("\n")
  }

  private inside(begin: TokenType, end: TokenType, closing: RegExp, at: number): void {
    this.push(begin, this.source.slice(at, this.position), at)
    const open: Array<string> = []
    while (this.position < this.source.length) {
      const start = this.position
      const closed = open.length === 0 ? this.match(closing) : undefined
      if (closed !== undefined) {
        this.push(end, closed, start)
        this.lineStarting = closed.endsWith("\n")
        return
      }
      if (this.match(spaces) === undefined && !this.literal(start)) this.operator(start, open)
    }
  }

  private literal(start: number): boolean {
    let text = this.match(float)
    if (text !== undefined) {
      this.push("number", text, start, new Float(Number(text.replaceAll("_", ""))))
      return true
    }
    text = this.match(integer)
    if (text !== undefined) {
      const digits = text.replaceAll("_", "")
      if (digits.length > longestInteger) this.fail(`integer of more than ${longestInteger} digits`, start)
      this.push("number", text, start, fromBigInt(BigInt(digits)))
      return true
    }
    text = this.match(name)
    if (text !== undefined) {
      if (!identifier.test(text)) this.fail("Invalid character in identifier", start)
      this.push("name", text, start)
      return true
    }
    text = this.match(string)
    if (text === undefined) return false
    this.push(
      "string",
      unescape(text.slice(1, -1), (message) => this.fail(message, start)),
      start
    )
    return true
  }

  private operator(start: number, open: Array<string>): void {
    const text = this.match(operator)
    if (text === undefined) {
      const character = String.fromCodePoint(this.source.codePointAt(start) ?? 0)
      return this.fail(`unexpected char ${character === "'" ? `"'"` : `'${character}'`} at ${start}`, start)
    }
    const closer = closers.get(text)
    if (closer !== undefined) open.push(closer)
    else if (text === ")" || text === "]" || text === "}") {
      const expected = open.pop()
      if (expected === undefined) this.fail(`unexpected '${text}'`, start)
      if (expected !== text) this.fail(`unexpected '${text}', expected '${expected}'`, start)
    }
    this.push("operator", text, start)
  }
}

/**
 * The tokens of a template. Text that cannot be read fails with TemplateSyntaxError when the parser gets there, so that of two
 * mistakes the first one is reported.
 */
export const tokenize = (template: string, source: string): TokenStream => {
  const lexer = new Lexer(template, source)
  const read = attempt(
    () => lexer.run(),
    () => lexer.positionOf(0)
  )
  return new TokenStream({
    template,
    tokens: lexer.tokens,
    end: lexer.source.length,
    failure: read.ok ? undefined : read.failure,
    positionOf: (offset) => lexer.positionOf(offset)
  })
}
