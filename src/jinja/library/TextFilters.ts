/**
 * Filters on text.
 */
import { fail } from "../Failure.ts"
import { allocate, borrow, GrowingText, reserveText, spend } from "../Meter.ts"
import {
  argument,
  integerArgument,
  likeOriginal,
  optionalInteger,
  optionalText,
  softText,
  textArgument
} from "../values/Arguments.ts"
import { arithmetic, repeatText } from "../values/Arithmetic.ts"
import { library, withAliases } from "../values/Builtin.ts"
import type { Library } from "../values/Builtin.ts"
import { Dict } from "../values/Dict.ts"
import { escapeHtml } from "../values/Html.ts"
import { elements, lengthOf, textLength, truthy } from "../values/Iteration.ts"
import { repr, str, typeName } from "../values/Printing.ts"
import { sliceText } from "../values/Slicing.ts"
import { capitalize, replaceText, splitLines, stripText } from "../values/Text.ts"
import { splitBlanks } from "../values/TextSplitting.ts"
import { centerShare } from "../values/TextMethods.ts"
import { isText, Markup, Tuple, Undefined } from "../values/Value.ts"
import type { Implementation, Value } from "../values/Value.ts"
import { prettyPrint } from "./PrettyPrint.ts"
import { wrapLine } from "./WordWrap.ts"

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

// What is no text but has a length passes as long as it is short enough.
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
