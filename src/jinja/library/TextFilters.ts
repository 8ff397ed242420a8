/**
 * Filters on text, with line wrapping as Python's textwrap does it.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, GrowingText, reserveText, spend } from "../Meter.ts"
import {
  argument,
  integerArgument,
  library,
  type Library,
  likeOriginal,
  optionalInteger,
  optionalText,
  softText,
  textArgument,
  withAliases
} from "../values/Builtin.ts"
import { arithmetic, repeatText } from "../values/Arithmetic.ts"
import { Dict, type Implementation, isText, Markup, Tuple, Undefined, type Value } from "../values/Value.ts"
import { capitalize, escapeHtml, replaceText, splitBlanks, splitLines, stripText } from "../values/Text.ts"
import { elements, lengthOf, sliceText, textLength, truthy } from "../values/Protocols.ts"
import { repr, str, typeName } from "../values/Printing.ts"
import { centerShare } from "../values/TextMethods.ts"
import { prettyPrint } from "./ValueFilters.ts"

// Breaking a line into lines of a width the way Python's textwrap does it: at blanks, after hyphens inside words and at
// dashes between words; words that are too long are broken.

/** How to break. */
interface WrapOptions {
  readonly width: number
  readonly breakLongWords: boolean
  readonly breakOnHyphens: boolean
}

const isSpace = (character: string): boolean => /[\t\n\v\f\r ]/.test(character)
const isLetter = (character: string): boolean => /[\p{L}\p{N}]/u.test(character) && !/\d/.test(character)
const isWordPunctuation = (character: string): boolean => /[\p{L}\p{N}_!"'&.,?]/u.test(character)
const isWord = (character: string): boolean => /[\p{L}\p{N}_]/u.test(character)

// Does a run of at least two hyphens that a word character follows begin here?
const dashEnd = (line: string, at: number): number | undefined => {
  let end = at
  while (line.charAt(end) === "-") end++
  spend(end - at)
  return end - at >= 2 && isWord(line.charAt(end)) ? end : undefined
}

// May the word be broken after the hyphen at this place? Only between letters, as in "goof-ball" and "e-mail".
const breaksAfterHyphen = (line: string, hyphen: number): boolean => {
  const letter = (offset: number): boolean => isLetter(line.charAt(hyphen + offset))
  const before = letter(-1) && (letter(-2) || (line.charAt(hyphen - 2) === "-" && letter(-3)))
  return before && letter(1) && (letter(2) || (line.charAt(hyphen + 2) === "-" && letter(3)))
}

const wordEnd = (line: string, start: number): number => {
  for (let end = start + 1; end <= line.length; end++) {
    spend(1)
    if (end === line.length || isSpace(line.charAt(end))) return end
    if (line.charAt(end) === "-") {
      if (breaksAfterHyphen(line, end)) return end + 1
      if (isWordPunctuation(line.charAt(end - 1)) && dashEnd(line, end) !== undefined) return end
    }
  }
  return line.length
}

const spaceEnd = (line: string, start: number): number => {
  let end = start
  while (end < line.length && isSpace(line.charAt(end))) end++
  return end
}

const chunkEnd = (line: string, start: number, hyphens: boolean): number => {
  if (isSpace(line.charAt(start))) return spaceEnd(line, start)
  if (!hyphens) {
    let end = start
    while (end < line.length && !isSpace(line.charAt(end))) end++
    return end
  }
  const dash = start > 0 && isWordPunctuation(line.charAt(start - 1)) ? dashEnd(line, start) : undefined
  if (dash !== undefined) return dash
  if (line.charAt(start) === "-" && breaksAfterHyphen(line, start)) return start + 1
  return wordEnd(line, start)
}

const chunksOf = (line: string, hyphens: boolean): Array<string> => {
  const chunks: Array<string> = []
  for (let start = 0; start < line.length;) {
    const end = chunkEnd(line, start, hyphens)
    allocate(4)
    chunks.push(line.slice(start, end))
    start = end
  }
  return chunks
}

const isBlankChunk = (chunk: string | undefined): boolean => chunk !== undefined && chunk.trim() === ""

// Cuts a chunk that fits on no line, after its last hyphen that does fit if there is one.
const cutLength = (chunk: string, room: number, options: WrapOptions): number => {
  if (!options.breakOnHyphens || chunk.length <= room) return room
  const hyphen = chunk.slice(0, room).lastIndexOf("-")
  return hyphen > 0 && /[^-]/.test(chunk.slice(0, hyphen)) ? hyphen + 1 : room
}

/** The lines that a text without line ends is broken into. Fails with ValueError for widths below one. */
const wrapLine = (text: string, options: WrapOptions): Array<string> => {
  const { width } = options
  if (width <= 0) return fail("ValueError", `invalid width ${width} (must be > 0)`)
  const chunks = chunksOf(text, options.breakOnHyphens).toReversed()
  const lines: Array<string> = []
  while (chunks.length > 0) {
    if (isBlankChunk(chunks.at(-1)) && lines.length > 0) chunks.pop()
    const line: Array<string> = []
    let length = 0
    for (let chunk = chunks.at(-1); chunk !== undefined && length + chunk.length <= width; chunk = chunks.at(-1)) {
      line.push(chunk)
      length += chunk.length
      chunks.pop()
    }
    const long = chunks.at(-1)
    if (long !== undefined && long.length > width) {
      if (options.breakLongWords) {
        const end = cutLength(long, width - length, options)
        line.push(long.slice(0, end))
        chunks[chunks.length - 1] = long.slice(end)
      } else if (line.length === 0) {
        line.push(long)
        chunks.pop()
      }
    }
    if (isBlankChunk(line.at(-1))) line.pop()
    allocate(4)
    if (line.length > 0) lines.push(line.join(""))
    spend(line.length + 1)
  }
  return lines
}

// A text as it prints, changed; escaped text stays escaped text.
const changed =
  (change: (text: string) => string): Implementation =>
  (args) => {
    const text = softText(args, 0)
    spend(text.length / 8)
    return likeOriginal(argument(args, 0), change(text))
  }

const titleWord = (word: string): string => {
  const first = String.fromCodePoint(word.codePointAt(0) ?? 0)
  return first.toUpperCase() + word.slice(first.length).toLowerCase()
}

const title = (text: string): string => {
  const titled = new GrowingText()
  for (const [part] of text.matchAll(/[-\s({[<]+|[^-\s({[<]+/g)) titled.add(titleWord(part))
  return titled.toString()
}

const center: Implementation = (args) => {
  const text = softText(args, 0)
  const width = integerArgument(args, 1)
  const missing = width - textLength(text)
  if (missing <= 0) return text
  reserveText(width)
  const left = centerShare(missing, width)
  return " ".repeat(left) + text + " ".repeat(missing - left)
}

const replace: Implementation = (args) =>
  replaceText(softText(args, 0), softText(args, 1), softText(args, 2), optionalInteger(args, 3) ?? -1)

const indent: Implementation = (args) => {
  const width = argument(args, 1)
  if (Array.isArray(args[0])) return fail("AttributeError", "'list' object has no attribute 'splitlines'")
  const text = textArgument(args, 0)
  const indention = isText(width) ? str(width) : repeatText(" ", integerArgument(args, 1))
  const lines = splitLines(`${text}\n`)
  const blank = truthy(argument(args, 3))
  reserveText(text.length + lines.length * indention.length)
  borrow(lines.length * 8)
  const body = lines.map((line, index) => (index > 0 && (blank || line !== "") ? indention + line : line)).join("\n")
  return likeOriginal(argument(args, 0), truthy(argument(args, 2)) ? indention + body : body)
}

// a value other than a text that has a length passes if it is short enough
const truncateOther = (value: Value, args: ReadonlyArray<Value>): Value => {
  const most = integerArgument(args, 1) + (optionalInteger(args, 4) ?? 5)
  return lengthOf(value) <= most ? value : fail("TypeError", `a ${typeName(value)} cannot be truncated`)
}

const truncate: Implementation = (args) => {
  const original = argument(args, 0)
  if (!isText(original)) return truncateOther(original, args)
  const text = str(original)
  const length = integerArgument(args, 1)
  const end = textArgument(args, 3)
  const leeway = optionalInteger(args, 4) ?? 5
  const room = length - textLength(end)
  if (room < 0) return fail("AssertionError", `expected length >= ${textLength(end)}, got ${length}`)
  if (leeway < 0) return fail("AssertionError", `expected leeway >= 0, got ${leeway}`)
  if (textLength(text) <= length + leeway) return text
  const cut = sliceText(text, null, room, null)
  if (truthy(argument(args, 2))) return cut + end
  const blank = cut.lastIndexOf(" ")
  return (blank < 0 ? cut : cut.slice(0, blank)) + end
}

const wordWrap: Implementation = (args) => {
  const options = {
    width: integerArgument(args, 1),
    breakLongWords: truthy(argument(args, 2)),
    breakOnHyphens: truthy(argument(args, 4))
  }
  const separator = optionalText(args, 3) ?? "\n"
  const lines = splitLines(textArgument(args, 0))
  const wrapped = new GrowingText()
  lines.forEach((line, index) => {
    if (index > 0) wrapped.add(separator)
    wrapLine(line, options).forEach((part, place) => wrapped.add(place > 0 ? separator + part : part))
  })
  return wrapped.toString()
}

const wordCount: Implementation = (args) => {
  let count = 0
  for (const [word] of softText(args, 0).matchAll(/[\p{L}\p{N}_]+/gu)) {
    spend(16 + word.length / 8)
    count++
  }
  return count
}

const format: Implementation = (args) => {
  const [, values, named] = args
  const positional = Array.isArray(values) ? values : []
  const keywords = named instanceof Dict ? named : new Dict()
  if (positional.length > 0 && keywords.size > 0) {
    return fail("FilterArgumentError", "can't handle positional and keyword arguments at the same time")
  }
  const original = argument(args, 0)
  const text = original instanceof Markup ? original : str(original)
  return arithmetic("%", text, keywords.size > 0 ? keywords : new Tuple(positional))
}

const unreserved = /[^A-Za-z0-9_.~-]/gu

const quoteUrl = (value: Value, query: boolean): string => {
  const quoted = str(value).replace(unreserved, (character) => {
    allocate(2)
    spend(32)
    if (character === "/" && !query) return "/"
    if (character === " " && query) return "+"
    return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")
  })
  reserveText(quoted.length)
  return quoted
}

const urlEncode: Implementation = (args) => {
  const value = argument(args, 0)
  if (isText(value) || !(value instanceof Dict || Array.isArray(value) || value instanceof Tuple)) {
    return quoteUrl(value, false)
  }
  const pairs =
    value instanceof Dict
      ? Array.from(value.items(), (entry) => [entry.key, entry.value])
      : elements(value).map(elements)
  const text = new GrowingText()
  for (const [key = null, item = null] of pairs) {
    if (text.length > 0) text.add("&")
    text.add(`${quoteUrl(key, true)}=${quoteUrl(item, true)}`)
  }
  return text.toString()
}

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" }

const unescapeEntity = (whole: string, name: string): string => {
  allocate(2)
  const code = /^#x/i.test(name)
    ? parseInt(name.slice(2), 16)
    : name.startsWith("#")
      ? parseInt(name.slice(1), 10)
      : NaN
  if (Number.isNaN(code)) return named[name] ?? whole
  return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : "\ufffd"
}

// Removes everything from an opening to the next closing mark; without a closing mark it stays.
const removeBetween = (text: string, open: string, close: string): string => {
  let result = ""
  let position = 0
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, position)) {
    const end = text.indexOf(close, at + open.length)
    if (end < 0) break
    allocate(8)
    result += text.slice(position, at)
    position = end + close.length
  }
  return result + text.slice(position)
}

const stripTags: Implementation = (args) => {
  const plain = removeBetween(removeBetween(softText(args, 0), "<!--", "-->"), "<", ">")
  const words = splitBlanks(plain, -1).join(" ")
  return words.replace(/&(#x[\da-f]+|#\d+|\w+);/gi, unescapeEntity)
}

const xmlAttributes: Implementation = (args) => {
  const value = argument(args, 0)
  if (!(value instanceof Dict)) return fail("AttributeError", "xmlattr needs a mapping")
  const text = new GrowingText()
  for (const { key, value: item } of value.items()) {
    if (item === null || item instanceof Undefined) continue
    if (/[\s/>=]/.test(str(key))) fail("ValueError", `Invalid character in attribute name: ${repr(key)}`)
    if (text.length > 0) text.add(" ")
    text.add(`${escapeHtml(key)}="${escapeHtml(item)}"`)
  }
  return truthy(argument(args, 1)) && text.length > 0 ? ` ${text}` : `${text}`
}

const escape: Implementation = (args) => new Markup(escapeHtml(argument(args, 0)))

/** Filters on text. */
export const textFilters: Library = withAliases(
  library({
    "upper(s)": changed((text) => text.toUpperCase()),
    "lower(s)": changed((text) => text.toLowerCase()),
    "capitalize(s)": changed(capitalize),
    "title(s)": changed(title),
    "trim(value, chars=none)": (args) =>
      likeOriginal(argument(args, 0), stripText(softText(args, 0), optionalText(args, 1), true, true)),
    "center(value, width=80)": center,
    "replace(s, old, new, count=none)": replace,
    "indent(s, width=4, first=false, blank=false)": indent,
    "truncate(s, length=255, killwords=false, end='...', leeway=none)": truncate,
    "wordwrap(s, width=79, break_long_words=true, wrapstring=none, break_on_hyphens=true)": wordWrap,
    "wordcount(s)": wordCount,
    "format(value, *args, **keywords)": format,
    "urlencode(value)": urlEncode,
    "striptags(value)": stripTags,
    "xmlattr(d, autospace=true)": xmlAttributes,
    "string(object)": (args) => (argument(args, 0) instanceof Markup ? argument(args, 0) : softText(args, 0)),
    "pprint(value)": (args) => prettyPrint(argument(args, 0)),
    "escape(s)": escape,
    "forceescape(value)": (args) => new Markup(escapeHtml(softText(args, 0))),
    "safe(value)": (args) => new Markup(softText(args, 0))
  }),
  { e: "escape" }
)
