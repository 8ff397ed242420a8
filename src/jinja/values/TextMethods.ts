/**
 * The methods of texts.
 */
import { fail } from "../Failure.ts"
import { borrow, GrowingText, reserveText, spend } from "../Meter.ts"
import {
  argument,
  integerArgument,
  library,
  type Library,
  likeOriginal,
  optionalInteger,
  optionalText,
  textArgument
} from "./Builtin.ts"
import {
  capitalize,
  escapeHtml,
  replaceText,
  splitBlanks,
  splitBlanksRight,
  splitLines,
  splitOn,
  splitOnRight,
  stripText,
  swapCase,
  titleCase
} from "./Text.ts"
import { codePoints, elements, isAstral, sliceText, textLength } from "./Protocols.ts"
import { typeName } from "./Printing.ts"
import { type Implementation, isText, Markup, textOf, Tuple, type Value } from "./Value.ts"

const self = (args: ReadonlyArray<Value>): string => textArgument(args, 0)

// A method that makes one text of another; escaped text stays escaped text.
const mapped =
  (change: (text: string, args: ReadonlyArray<Value>) => string): Implementation =>
  (args) => {
    const text = self(args)
    spend(text.length / 8)
    return likeOriginal(argument(args, 0), change(text, args))
  }

// Every character fulfils the pattern, and there is at least one.
const every =
  (pattern: RegExp): Implementation =>
  (args) => {
    const text = self(args)
    spend(text.length / 8)
    return pattern.test(text)
  }

const affix =
  (name: string, matches: (text: string, affix: string) => boolean): Implementation =>
  (args) => {
    const text = window(args).text
    const wanted = argument(args, 1)
    if (wanted instanceof Tuple) return wanted.items.some((item) => isText(item) && matches(text, textOf(item)))
    if (!isText(wanted)) {
      return fail("TypeError", `${name} first arg must be str or a tuple of str, not ${typeName(wanted)}`)
    }
    return matches(text, textOf(wanted))
  }

// The part of the text between the arguments `start` and `end`, and where it begins.
const window = (args: ReadonlyArray<Value>): { readonly text: string; readonly start: number } => {
  const text = self(args)
  const start = optionalInteger(args, 2)
  const end = optionalInteger(args, 3)
  if (start === undefined && end === undefined) return { text, start: 0 }
  const from = start ?? 0
  const length = textLength(text)
  return {
    text: sliceText(text, start ?? null, end ?? null, null),
    start: from > length ? -1 : Math.max(0, from < 0 ? from + length : from)
  }
}

const searcher =
  (search: (text: string, wanted: string) => number, missing: (() => never) | undefined): Implementation =>
  (args) => {
    const { text, start } = window(args)
    spend(text.length / 64)
    const unit = start < 0 ? -1 : search(text, textArgument(args, 1))
    if (unit < 0) return missing === undefined ? -1 : missing()
    return start + (isAstral(text) ? codePoints(text.slice(0, unit)).length : unit)
  }

const notFound = (): never => fail("ValueError", "substring not found")

const countText: Implementation = (args) => {
  const { text } = window(args)
  const wanted = textArgument(args, 1)
  spend(text.length / 16)
  if (wanted === "") return textLength(text) + 1
  let count = 0
  for (let i = text.indexOf(wanted); i >= 0; i = text.indexOf(wanted, i + wanted.length)) count++
  return count
}

const fillArgument = (args: ReadonlyArray<Value>): string => {
  const fill = textArgument(args, 2)
  return textLength(fill) === 1 ? fill : fail("TypeError", "The fill character must be exactly one character long")
}

const justified = (share: (missing: number, width: number) => number): Implementation =>
  mapped((text, args) => {
    const width = integerArgument(args, 1)
    const missing = width - textLength(text)
    const fill = fillArgument(args)
    if (missing <= 0) return text
    reserveText(width)
    const left = share(missing, width)
    return fill.repeat(left) + text + fill.repeat(missing - left)
  })

/** How many of the missing characters Python's `center` puts to the left. */
export const centerShare = (missing: number, width: number): number => (missing >> 1) + (missing & width & 1)

const zfill = mapped((text, args) => {
  const width = integerArgument(args, 1)
  const sign = /^[-+]/.exec(text)?.[0] ?? ""
  const missing = width - textLength(text)
  return missing <= 0 ? text : sign + "0".repeat(reserveText(missing)) + text.slice(sign.length)
})

const partition =
  (find: (text: string, separator: string) => number, atEnd: boolean): Implementation =>
  (args) => {
    const text = self(args)
    const separator = textArgument(args, 1)
    if (separator === "") return fail("ValueError", "empty separator")
    const at = find(text, separator)
    if (at < 0) return new Tuple(atEnd ? ["", "", text] : [text, "", ""])
    return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)])
  }

const join: Implementation = (args) => {
  const separator = argument(args, 0)
  const items = elements(argument(args, 1))
  borrow(items.length * 2)
  const parts = items.map((item, index) => {
    if (!isText(item))
      return fail("TypeError", `sequence item ${index}: expected str instance, ${typeName(item)} found`)
    return separator instanceof Markup ? escapeHtml(item) : textOf(item)
  })
  const text = self(args)
  reserveText(parts.reduce((sum, part) => sum + part.length + text.length, 0))
  return likeOriginal(separator, parts.join(text))
}

const nextStop = (text: string, from: number): number => {
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === "\t" || character === "\n" || character === "\r") return at
  }
  return -1
}

const expandTabs = mapped((text, args) => {
  const size = integerArgument(args, 1)
  const result = new GrowingText()
  let column = 0
  let begin = 0
  for (let at = text.search(/[\t\n\r]/); at >= 0; at = nextStop(text, begin)) {
    const character = text.charAt(at)
    column += textLength(text.slice(begin, at))
    const width = character === "\t" && size > 0 ? size - (column % size) : 0
    result.add(text.slice(begin, at) + (character === "\t" ? " ".repeat(reserveText(width)) : character))
    column = character === "\t" ? column + width : 0
    begin = at + 1
  }
  result.add(text.slice(begin))
  return result.toString()
})

const splitWith =
  (blanks: typeof splitBlanks, on: typeof splitOn): Implementation =>
  (args) => {
    const text = self(args)
    const separator = optionalText(args, 1)
    const most = integerArgument(args, 2)
    return separator === undefined ? blanks(text, most) : on(text, separator, most)
  }

const cased = (text: string): boolean => text.toLowerCase() !== text.toUpperCase()

/** All methods of texts but `format`. */
export const textMethods: Library = library({
  "upper(self)": mapped((text) => text.toUpperCase()),
  "lower(self)": mapped((text) => text.toLowerCase()),
  "casefold(self)": mapped((text) => text.toLowerCase().replaceAll("ß", "ss")),
  "title(self)": mapped(titleCase),
  "capitalize(self)": mapped(capitalize),
  "swapcase(self)": mapped(swapCase),
  "strip(self, chars=none)": mapped((text, args) => stripText(text, optionalText(args, 1), true, true)),
  "lstrip(self, chars=none)": mapped((text, args) => stripText(text, optionalText(args, 1), true, false)),
  "rstrip(self, chars=none)": mapped((text, args) => stripText(text, optionalText(args, 1), false, true)),
  "startswith(self, prefix, start=none, end=none)": affix("startswith", (text, prefix) => text.startsWith(prefix)),
  "endswith(self, suffix, start=none, end=none)": affix("endswith", (text, suffix) => text.endsWith(suffix)),
  "split(self, sep=none, maxsplit=-1)": splitWith(splitBlanks, splitOn),
  "rsplit(self, sep=none, maxsplit=-1)": splitWith(splitBlanksRight, splitOnRight),
  "splitlines(self, keepends=false)": (args) => splitLines(self(args), argument(args, 1) === true),
  "replace(self, old, new, count=-1)": mapped((text, args) =>
    replaceText(text, textArgument(args, 1), textArgument(args, 2), integerArgument(args, 3))
  ),
  "find(self, sub, start=none, end=none)": searcher((text, sub) => text.indexOf(sub), undefined),
  "rfind(self, sub, start=none, end=none)": searcher((text, sub) => text.lastIndexOf(sub), undefined),
  "index(self, sub, start=none, end=none)": searcher((text, sub) => text.indexOf(sub), notFound),
  "rindex(self, sub, start=none, end=none)": searcher((text, sub) => text.lastIndexOf(sub), notFound),
  "count(self, sub, start=none, end=none)": countText,
  "join(self, iterable)": join,
  "isdigit(self)": every(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070-\u2089\u2460-\u2468]+$/u),
  "isdecimal(self)": every(/^\p{Nd}+$/u),
  "isnumeric(self)": every(/^\p{N}+$/u),
  "isalpha(self)": every(/^\p{L}+$/u),
  "isalnum(self)": every(/^[\p{L}\p{N}]+$/u),
  "isspace(self)": (args) => self(args) !== "" && stripText(self(args), undefined, true, false) === "",
  "isidentifier(self)": every(/^[\p{XID_Start}_]\p{XID_Continue}*$/u),
  "isprintable(self)": every(/^[\x20\p{L}\p{M}\p{N}\p{P}\p{S}]*$/u),
  "isascii(self)": every(/^[\0-\x7f]*$/),
  "isupper(self)": (args) => cased(self(args)) && self(args) === self(args).toUpperCase(),
  "islower(self)": (args) => cased(self(args)) && self(args) === self(args).toLowerCase(),
  "istitle(self)": (args) => cased(self(args)) && self(args) === titleCase(self(args)),
  "zfill(self, width)": zfill,
  "ljust(self, width, fillchar=' ')": justified(() => 0),
  "rjust(self, width, fillchar=' ')": justified((missing) => missing),
  "center(self, width, fillchar=' ')": justified(centerShare),
  "partition(self, sep)": partition((text, separator) => text.indexOf(separator), false),
  "rpartition(self, sep)": partition((text, separator) => text.lastIndexOf(separator), true),
  "removeprefix(self, prefix)": mapped((text, args) => {
    const prefix = textArgument(args, 1)
    return text.startsWith(prefix) ? text.slice(prefix.length) : text
  }),
  "removesuffix(self, suffix)": mapped((text, args) => {
    const suffix = textArgument(args, 1)
    return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text
  }),
  "expandtabs(self, tabsize=8)": expandTabs
})
