/**
 * The regular expressions of group definitions: Python's syntax and `re.match` semantics (anchored at the start only), matched
 * in time linear in the text, so that no expression in a repository can stop the server (docs/settings-repository.md#groups). A
 * lookahead is accepted at the very beginning, where it can be tested separately; elsewhere it, and a backreference anywhere,
 * is refused with a message, because no linear algorithm supports them.
 */
import { Result } from "effect"
import { RE2JS, RE2JSException } from "re2js"
import { regexSize } from "../jinja/library/Regex.ts"

/** Tests a text from its start, as Python's `re.match` does. */
export type GroupPattern = (text: string) => boolean

const MAX_SOURCE = 2_000
const MAX_PROGRAM = 2_500
/** The product of nested repetitions, which is counted before anything is compiled and a little too generously. */
export const MAX_SIZE = 2 * MAX_PROGRAM

/** Letters and digits that Python accepts after a backslash; any other is an error there. */
const PYTHON_ESCAPE = /[AbBdDsSwWZabfnrtvxuU0]/
const LETTER = /[A-Za-z0-9]/

class Unsupported extends Error {}

const refuse = (what: string, position: number): never => {
  throw new Unsupported(`${what} at position ${position}`)
}

const unicodeEscape = (source: string, position: number): readonly [string, number] => {
  const length = source[position + 1] === "u" ? 4 : 8
  const digits = source.slice(position + 2, position + 2 + length)
  if (digits.length < length || !/^[0-9a-fA-F]+$/.test(digits)) refuse("incomplete escape", position)
  return [`\\x{${digits}}`, length + 2]
}

/** One escape in the target syntax, and its length in the source. */
const translateEscape = (source: string, position: number): readonly [string, number] => {
  const next = source[position + 1]
  if (next === undefined) return refuse("bad escape (end of pattern)", position)
  if (/[1-9]/.test(next)) return refuse("backreferences are not supported, found one", position)
  if (LETTER.test(next) && !PYTHON_ESCAPE.test(next)) return refuse(`bad escape \\${next}`, position)
  if (next === "Z") return ["\\z", 2]
  if (next === "u" || next === "U") return unicodeEscape(source, position)
  return next === "0" ? ["\\x00", 2] : [`\\${next}`, 2]
}

/** A character class, in which only escapes and inner brackets differ; returns the position after it. */
const translateClass = (source: string, start: number): readonly [string, number] => {
  let position = start + 1
  let out = "["
  if (source[position] === "^") {
    out += "^"
    position += 1
  }
  for (let first = true; position < source.length; first = false) {
    const character = source[position] ?? ""
    if (character === "]" && !first) return [`${out}]`, position + 1]
    if (character === "\\") {
      const [escape, length] = translateEscape(source, position)
      out += escape === "\\b" ? "\\x08" : escape
      position += length
    } else {
      out += character === "[" || character === "]" ? `\\${character}` : character
      position += 1
    }
  }
  return refuse("unterminated character set", start)
}

/** The construct after `(?`: named groups keep their form, comments are dropped, non-linear constructs are refused. */
const translateExtension = (source: string, position: number): readonly [string, number] => {
  const rest = source.slice(position)
  const comment = /^\(\?#[^)]*\)/.exec(rest)
  if (comment !== null) return ["", comment[0].length]
  const flags = /^\(\?([aiLmsux]+)\)/.exec(rest)
  if (flags !== null) {
    if (position !== 0) refuse("global flags not at the start of the expression", position)
    const kept = (flags[1] ?? "").replaceAll(/[auL]/g, "")
    return [kept === "" ? "" : `(?${kept})`, flags[0].length]
  }
  if (/^\(\?(?:=|!|<=|<!)/.test(rest)) refuse("lookaround is supported at the beginning only, found it", position)
  if (rest.startsWith("(?P=") || rest.startsWith("(?(")) refuse("backreferences are not supported, found one", position)
  return ["(", 1]
}

const translate = (source: string): string => {
  let out = ""
  for (let position = 0; position < source.length;) {
    const [piece, length] = translatePiece(source, position)
    out += piece
    position += length
  }
  return out
}

const translatePiece = (source: string, position: number): readonly [string, number] => {
  const character = source[position] ?? ""
  if (character === "\\") return translateEscape(source, position)
  if (character === "[") {
    const [set, end] = translateClass(source, position)
    return [set, end - position]
  }
  if (source.startsWith("(?", position)) return translateExtension(source, position)
  const openRepeat = /^\{,([0-9]+)\}/.exec(source.slice(position, position + 12))
  return openRepeat === null ? [character, 1] : [`{0,${openRepeat[1]}}`, openRepeat[0].length]
}

/** The position after the bracket that closes the one at `start`. */
const closing = (source: string, start: number): number => {
  let depth = 0
  for (let position = start; position < source.length; position += 1) {
    const character = source[position]
    if (character === "\\") position += 1
    else if (character === "[") position = translateClass(source, position)[1] - 1
    else if (character === "(") depth += 1
    else if (character === ")" && --depth === 0) return position + 1
  }
  return refuse("missing ), unterminated subpattern", start)
}

/** True when the expression is an alternative of several at its outermost level. */
const hasOuterAlternative = (source: string): boolean => {
  for (let position = 0; position < source.length; position += 1) {
    const character = source[position]
    if (character === "\\") position += 1
    else if (character === "[") position = translateClass(source, position)[1] - 1
    else if (character === "(") position = closing(source, position) - 1
    else if (character === "|") return true
  }
  return false
}

const compileAtStart = (source: string): GroupPattern => {
  const translated = translate(source)
  // Compiled alone first: its brackets must not pair with the anchors, and errors must show the original text.
  RE2JS.compile(translated)
  const compiled = RE2JS.compile(`\\A(?:${translated})`)
  if (compiled.programSize() > MAX_PROGRAM) throw new Unsupported("the expression is too large")
  return (text) => compiled.test(text)
}

const LEADING = /^(?:\^|\\A)?\(\?([=!])/

/** Splits `(?!a)(?=b)rest` into its tests: each lookahead from the start, then the rest from the start. */
const compileParts = (source: string): GroupPattern => {
  const leading = LEADING.exec(source)
  if (leading === null || hasOuterAlternative(source)) return compileAtStart(source)
  const end = closing(source, source.indexOf("("))
  const ahead = compileParts(source.slice(leading[0].length, end - 1))
  const rest = compileParts(source.slice(end))
  const wanted = leading[1] === "="
  return (text) => ahead(text) === wanted && rest(text)
}

/** Compiles a Python regular expression; fails with a text about the mistake and its place. */
export const compileGroupPattern = (source: string): Result.Result<GroupPattern, string> => {
  if (source.length > MAX_SOURCE) return Result.fail(`longer than ${MAX_SOURCE} characters`)
  if (regexSize(source) > MAX_SIZE) return Result.fail("the expression is too large")
  try {
    return Result.succeed(compileParts(source))
  } catch (error) {
    if (error instanceof Unsupported) return Result.fail(error.message)
    if (error instanceof RE2JSException) return Result.fail(error.message.replace("error parsing regexp: ", ""))
    return Result.fail("the expression is too complex")
  }
}
