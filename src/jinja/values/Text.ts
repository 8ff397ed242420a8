/**
 * Python's notions of letter case, white space, lines, splitting and replacing, and escaping for HTML; for methods and filters alike.
 */
import { allocate, borrow, reserveText, spend } from "../Meter.ts"
import { codePoints, textLength } from "./Protocols.ts"
import { fail } from "../Failure.ts"
import { str } from "./Printing.ts"
import { Markup, type Value } from "./Value.ts"

const titleForms: Readonly<Record<string, string>> = {
  ǆ: "ǅ",
  Ǆ: "ǅ",
  ǉ: "ǈ",
  Ǉ: "ǈ",
  ǌ: "ǋ",
  Ǌ: "ǋ",
  ǳ: "ǲ",
  Ǳ: "ǲ"
}

// The form of a character at the beginning of a word: of ligatures only the first letter is a capital.
const titleForm = (character: string): string => {
  const upper = character.toUpperCase()
  return (
    titleForms[character] ?? (upper.length > character.length ? upper.charAt(0) + upper.slice(1).toLowerCase() : upper)
  )
}

/** First character in upper case, the others in lower case. */
export const capitalize = (text: string): string => {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0)
  return text === "" ? "" : titleForm(first) + text.slice(first.length).toLowerCase()
}

const cased = /[\p{Lu}\p{Ll}\p{Lt}]/u

/** `str.title`: each run of cased letters begins with a capital. */
export const titleCase = (text: string): string => {
  borrow(text.length * 5)
  let inside = false
  let result = ""
  for (const character of text) {
    result += inside ? character.toLowerCase() : titleForm(character)
    inside = cased.test(character)
  }
  return result
}

/** Upper case becomes lower case and the other way. */
export const swapCase = (text: string): string => {
  borrow(text.length * 6)
  return Array.from(text, (character) => {
    const lower = character.toLowerCase()
    return character === lower ? character.toUpperCase() : lower
  }).join("")
}

const separator = (code: number): boolean => code >= 0x1c && code <= 0x1f

/** Is this character white space for Python? */
const isBlank = (character: string): boolean =>
  character === " " || (/[\s\x85]/.test(character) && character !== "\ufeff") || separator(character.charCodeAt(0))

/** Strips these characters (white space if none are given) from the ends asked for. */
export const stripText = (text: string, characters: string | undefined, left: boolean, right: boolean): string => {
  const drop = characters === undefined ? undefined : new Set(characters)
  const dropped = (character: string): boolean => (drop === undefined ? isBlank(character) : drop.has(character))
  let start = 0
  let end = text.length
  if (left) {
    while (start < end) {
      const character = String.fromCodePoint(text.codePointAt(start) ?? 0)
      if (!dropped(character)) break
      start += character.length
    }
  }
  if (right) {
    while (end > start) {
      const character = lastCharacter(text, end)
      if (!dropped(character)) break
      end -= character.length
    }
  }
  spend(text.length - end + start)
  return text.slice(start, end)
}

const lastCharacter = (text: string, end: number): string => {
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xdc00 && unit <= 0xdfff && end > 1 ? text.slice(end - 2, end) : text.charAt(end - 1)
}

// File, group and record separator end lines too.
const lineEnd = new RegExp(`\r\n|[\n\r\v\f${String.fromCharCode(0x1c, 0x1d, 0x1e)}\x85\u2028\u2029]`, "g")

/** `str.splitlines`. */
export const splitLines = (text: string, keepEnds = false): Array<string> => {
  const lines: Array<string> = []
  let start = 0
  for (const match of text.matchAll(lineEnd)) {
    allocate(4)
    const after = match.index + match[0].length
    lines.push(text.slice(start, keepEnds ? after : match.index))
    start = after
  }
  if (start < text.length) lines.push(text.slice(start))
  return lines
}

/** How often a non-empty text occurs in another, without overlapping. */
export const occurrences = (text: string, wanted: string): number => {
  spend(text.length / 16)
  let count = 0
  for (let i = text.indexOf(wanted); i >= 0; i = text.indexOf(wanted, i + wanted.length)) {
    spend(1)
    count++
  }
  return count
}

/** `str.replace`; a negative count replaces all. */
export const replaceText = (text: string, from: string, to: string, count: number): string => {
  if (count === 0) return text
  if (from === "") return spread(text, to, count)
  const found = occurrences(text, from)
  const most = count < 0 ? found : Math.min(count, found)
  reserveText(text.length + most * Math.max(0, to.length - from.length))
  borrow(found * 6)
  const parts = text.split(from)
  if (most === parts.length - 1) return parts.join(to)
  return parts.slice(0, most + 1).join(to) + from + parts.slice(most + 1).join(from)
}

// Replacing the empty text puts the new one before each character and at the end.
const spread = (text: string, to: string, count: number): string => {
  const most = count < 0 ? Infinity : count
  reserveText(text.length + Math.min(most, textLength(text) + 1) * to.length)
  borrow(text.length * 12)
  const characters = codePoints(text)
  const body = characters.map((character, index) => (index < most ? to + character : character)).join("")
  return characters.length < most ? body + to : body
}

// `str.split` and `str.rsplit`, on a separator or on runs of white space, at most so many times (negative: always).

/** Splits on runs of white space from the left; the rest keeps its inner and trailing blanks. */
export const splitBlanks = (text: string, most: number): Array<string> => {
  const words: Array<string> = []
  let i = 0
  while (i < text.length) {
    while (i < text.length && isBlank(text.charAt(i))) i++
    if (i >= text.length) break
    allocate(4)
    if (most >= 0 && words.length >= most) {
      words.push(text.slice(i))
      return words
    }
    const start = i
    while (i < text.length && !isBlank(text.charAt(i))) i++
    words.push(text.slice(start, i))
  }
  return words
}

/** The same from the right. */
export const splitBlanksRight = (text: string, most: number): Array<string> => {
  const words: Array<string> = []
  let end = text.length
  while (end > 0) {
    while (end > 0 && isBlank(text.charAt(end - 1))) end--
    if (end === 0) break
    allocate(4)
    if (most >= 0 && words.length >= most) {
      words.push(text.slice(0, end))
      break
    }
    const stop = end
    while (end > 0 && !isBlank(text.charAt(end - 1))) end--
    words.push(text.slice(end, stop))
  }
  return words.toReversed()
}

/** The texts between the separators, all of them. Fails with ValueError when the separator is empty. */
export const pieces = (text: string, separator: string): Array<string> => {
  if (separator === "") return fail("ValueError", "empty separator")
  allocate((occurrences(text, separator) + 1) * 4)
  return text.split(separator)
}

/** Splits on a separator from the left. Fails with ValueError when it is empty. */
export const splitOn = (text: string, separator: string, most: number): Array<string> => {
  const parts = pieces(text, separator)
  if (most < 0 || parts.length <= most + 1) return parts
  return [...parts.slice(0, most), parts.slice(most).join(separator)]
}

/** The same from the right. */
export const splitOnRight = (text: string, separator: string, most: number): Array<string> => {
  if (separator === "") return fail("ValueError", "empty separator")
  const parts: Array<string> = []
  let end = text.length
  for (let left = most; left !== 0; left--) {
    const at = end < separator.length ? -1 : text.lastIndexOf(separator, end - separator.length)
    if (at < 0) break
    allocate(4)
    parts.push(text.slice(at + separator.length, end))
    end = at
  }
  parts.push(text.slice(0, end))
  return parts.toReversed()
}

// Escaping for HTML, which `e`, `forceescape` and joining with escaped text use.

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#39;",
  '"': "&#34;"
}

/** The printed value with `& < > ' "` as entities. */
const escapeText = (text: string): string => {
  const escaped = text.replace(/[&<>'"]/g, (character) => {
    allocate(1)
    return entities[character] ?? character
  })
  reserveText(escaped.length)
  return escaped
}

/** The same, except for text that is already escaped. */
export const escapeHtml = (value: Value): string => (value instanceof Markup ? value.text : escapeText(str(value)))
