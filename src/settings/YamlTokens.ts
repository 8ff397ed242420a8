/**
 * The first pass over a YAML file: its tokens, counted and measured before anything is built from them. What would make
 * the later passes slow or exhaust the stack (depth, heaps of tags, sheer number) is refused here, with its place.
 */
import { type CST, Lexer, type LineCounter, Parser } from "yaml"

/** The deepest nesting, more than any repository needs. */
export const MAX_DEPTH = 100
/** About six thousand VXLANs in one file. */
const MAX_TOKENS = 400_000
const MAX_PROPERTIES = 8

/** Why a file cannot be read, and where: an offset in characters, and the keys that lead there where they are known. */
export class YamlFault extends Error {
  readonly offset: number
  readonly path: string | null
  constructor(message: string, offset: number, path: string | null = null) {
    super(message)
    this.offset = offset
    this.path = path
  }
}

type Item = CST.CollectionItem

/** Tags, anchors and indicators in front of one value. */
const properties = (start: ReadonlyArray<CST.SourceToken> = []): number => {
  let count = 0
  for (const { type } of start) if (type === "anchor" || type === "tag" || type.endsWith("-ind")) count += 1
  return count
}

const checkItem = ({ key, sep, start, value }: Item, depth: number, offset: number): void => {
  if (properties(start) > MAX_PROPERTIES || properties(sep) > MAX_PROPERTIES) {
    throw new YamlFault("too many tags, anchors or indicators before a value", start[0]?.offset ?? offset)
  }
  if (key !== null && key !== undefined) checkToken(key, depth + 1)
  if (value !== undefined) checkToken(value, depth + 1)
}

const checkToken = (token: CST.Token, depth: number): void => {
  if (depth > MAX_DEPTH) throw new YamlFault(`nested deeper than ${MAX_DEPTH} levels`, token.offset)
  if (token.type === "document") checkItem(token, depth, token.offset)
  if (token.type === "block-map" || token.type === "block-seq" || token.type === "flow-collection") {
    for (const item of token.items) checkItem(item, depth, token.offset)
  }
}

/** The tokens of a file; `lines` learns where its lines begin. Throws YamlFault when there are too many or too deep. */
export const tokenize = (text: string, lines: LineCounter): ReadonlyArray<CST.Token> => {
  const parser = new Parser(lines.addNewLine)
  const tokens: Array<CST.Token> = []
  let count = 0
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    count += 1
    if (count > MAX_TOKENS) throw new YamlFault(`more than ${MAX_TOKENS} tokens`, 0)
    tokens.push(...parser.next(lexeme))
  }
  tokens.push(...parser.end())
  for (const token of tokens) checkToken(token, 0)
  return tokens
}
