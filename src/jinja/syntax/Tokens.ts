/**
 * Tokens, and the stream from which the parser takes them.
 */
import { Fault } from "../Failure.ts"
import type { Failure, Position } from "../Failure.ts"
import type { Literal } from "./Tree.ts"

/** The kinds of tokens. */
export type TokenType =
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

export interface Token {
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

/** What a lexer has found. */
export interface Tokenized {
  readonly template: string
  readonly tokens: ReadonlyArray<Token>
  /** Length of the source in UTF-16 units. */
  readonly end: number
  /** Why there are no more tokens, if that is not the end of the source. */
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

  /** The token to be read. Fails with what the lexer could not read. */
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

  /** Takes the current token if it is this operator or name, and says whether it did. */
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
