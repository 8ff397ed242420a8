/** A chapter of the manual as tokens of Markdown, and their words without signs. Pure. */
import { lexer, type MarkedToken, type Token, type Tokens } from "marked"

/** The kinds of tokens that the page shows. HTML is none of them, except a line break. */
const SHOWN: ReadonlySet<string> = new Set<MarkedToken["type"]>([
  "heading",
  "paragraph",
  "code",
  "table",
  "list",
  "list_item",
  "checkbox",
  "blockquote",
  "hr",
  "text",
  "codespan",
  "strong",
  "em",
  "del",
  "link",
  "escape",
  "br"
])
const isShown = (token: Token): token is MarkedToken => SHOWN.has(token.type)
const isBreak = ({ raw, type }: Token): boolean => type === "html" && raw.trim() === "<br>"

/** The tokens that are shown; `<br>` is a line break. */
export const shownOf = (tokens: ReadonlyArray<Token> = []): ReadonlyArray<MarkedToken> =>
  tokens.map((token): Token => (isBreak(token) ? { type: "br", raw: token.raw } : token)).filter(isShown)

/** The blocks of a text, without its comments. */
export const chapterOf = (text: string): ReadonlyArray<MarkedToken> => shownOf(lexer(text))

/** The words of a heading or a cell without the signs of Markdown. */
export const plainOf = (tokens: ReadonlyArray<Token> | undefined): string =>
  shownOf(tokens)
    .map((token) => {
      if (token.type === "br") return " "
      if ("tokens" in token && token.tokens !== undefined) return plainOf(token.tokens)
      return "text" in token ? token.text : ""
    })
    .join("")

/** The headings of a chapter in their order. */
export const headingsOf = (chapter: ReadonlyArray<MarkedToken>): ReadonlyArray<Tokens.Heading> =>
  chapter.flatMap((token) => (token.type === "heading" ? [token] : []))
