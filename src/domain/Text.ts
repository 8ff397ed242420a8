/**
 * Text that may travel: to the database, to a switch, to a person's terminal. Every entrance asks here (docs/security.md#text):
 * requests, files of repositories, rendered configurations, answers of plugins. Output of a device is cleaned instead, because
 * a switch cannot be asked to correct it. Carries promise 6: bad input gets a precise error, and the database never has to
 * refuse it.
 */

/**
 * `line`: a name, a description, an address; it becomes part of one line of a configuration. `lines`: configuration, templates,
 * comments of people: line breaks and tabs as well. `secret`: a password, in which only characters that no database stores are
 * refused. `result`: the same for a finding of a job, whose length is limited where it is read.
 */
export type TextKind = "line" | "lines" | "secret" | "result"

/** The fault of a text, and its place: line and column count from 1. */
interface TextFault {
  readonly message: string
  readonly line: number
  readonly column: number
}

/** Characters that neither PostgreSQL nor UTF-8 can store. */
const UNSTORABLE = String.raw`\u0000\p{Surrogate}`
/** Controls other than tab and line feed, with the separators that only some readers take for line breaks. */
const CONTROLS = String.raw`\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029`
/** Characters that make a text look like another one. */
const BIDIRECTIONAL = String.raw`\u202A-\u202E\u2066-\u2069`
/** A terminal reads it as a line break of its own. */
const LONE_RETURN = String.raw`\r(?!\n)`

const FORBIDDEN: Readonly<Record<TextKind, RegExp>> = {
  secret: new RegExp(`[${UNSTORABLE}]`, "u"),
  result: new RegExp(`[${UNSTORABLE}]`, "u"),
  lines: new RegExp(`[${UNSTORABLE}${CONTROLS}]|${LONE_RETURN}`, "u"),
  line: new RegExp(String.raw`[${UNSTORABLE}${CONTROLS}${BIDIRECTIONAL}\t\n\r]`, "u")
}

/** The longest text in characters of UTF-16. The size of a request or a file is limited before. */
const MAX_LENGTH: Readonly<Record<TextKind, number>> = {
  line: 8_192,
  lines: 16 * 1024 * 1024,
  secret: 8_192,
  result: Number.POSITIVE_INFINITY
}

const named = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
  if (code === 0x0a || code === 0x0d) return `a line break (${name})`
  if (code === 0x2028 || code === 0x2029 || code === 0x85 || code === 0x0b || code === 0x0c) {
    return `the line separator ${name}`
  }
  if (code === 0x09) return `a tab (${name})`
  if (code >= 0xd800 && code <= 0xdfff) return `half of a surrogate pair (${name})`
  if (code >= 0x202a) return `the direction override ${name}`
  return `the control character ${name}`
}

/** Line and column of a place in a text, both from 1. */
export const placeAt = (text: string, index: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, index)
  return { line: before.split("\n").length, column: index - before.lastIndexOf("\n") }
}

/** The first fault that keeps a text from travelling; undefined when it may. */
export const textFault = (text: string, kind: TextKind): TextFault | undefined => {
  if (text.length > MAX_LENGTH[kind]) {
    return { message: `is longer than ${MAX_LENGTH[kind]} characters`, line: 1, column: 1 }
  }
  const found = FORBIDDEN[kind].exec(text)
  return found === null ? undefined : { message: `holds ${named(found[0])}`, ...placeAt(text, found.index) }
}

/** Whether a text may travel. */
export const isText = (text: string, kind: TextKind): boolean => textFault(text, kind) === undefined

/** Keys of requests and settings whose values are lines of text, at any depth. */
const LINES: ReadonlySet<string> = new Set([
  "full_config",
  "csv",
  "text",
  "config",
  "cli_append_str",
  "cli_prepend_str",
  "banner_login",
  "banner_motd",
  "comment",
  "reason",
  "abort_reason",
  "pause_reason",
  "emergency"
])
const SECRETS: ReadonlySet<string> = new Set(["password"])

/** The kind of text under a key. */
const kindOfKey = (key: string): TextKind => (LINES.has(key) ? "lines" : SECRETS.has(key) ? "secret" : "line")

/** A text inside of a value that may not travel, with the keys that lead to it. */
interface ValueFault extends TextFault {
  readonly path: ReadonlyArray<string | number>
}

/** Deeper values are refused before this check. */
const MAX_DEPTH = 120
/** A longer list does not help. */
const MAX_FAULTS = 20

/**
 * Every text of a JSON value that may not travel. Its key decides which kind of text it is, for the elements of a list the key
 * of the list; `kindOf` can override this.
 */
export const valueFaults = (
  value: unknown,
  kind: TextKind,
  kindOf: (key: string) => TextKind = kindOfKey
): ReadonlyArray<ValueFault> => {
  const faults: Array<ValueFault> = []
  const look = (part: unknown, path: ReadonlyArray<string | number>, its: TextKind): void => {
    if (faults.length >= MAX_FAULTS || path.length > MAX_DEPTH) return
    if (typeof part === "string") {
      const fault = textFault(part, its)
      if (fault !== undefined) faults.push({ ...fault, path })
    } else if (Array.isArray(part)) {
      for (const [place, element] of part.entries()) look(element, [...path, place], its)
    } else if (part instanceof Map) {
      for (const [key, element] of part) lookAt(String(key), element, path)
    } else if (typeof part === "object" && part !== null) {
      for (const [key, element] of Object.entries(part)) lookAt(key, element, path)
    }
  }
  const lookAt = (key: string, element: unknown, path: ReadonlyArray<string | number>): void => {
    const fault = textFault(key, "line")
    if (fault !== undefined) faults.push({ ...fault, message: `its name ${fault.message}`, path: path.concat(key) })
    look(element, [...path, key], kindOf(key))
  }
  look(value, [], kind)
  return faults
}

/** A text for messages: characters that are invisible, or would move other text, are written as their codes. */
export const visible = (text: string): string =>
  text
    .slice(0, 200)
    .replaceAll(
      new RegExp(FORBIDDEN.line.source, "gu"),
      (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`
    )

/** The fault in one sentence, with the keys that lead to it: `interfaces.Ethernet1.data.description: holds …`. */
export const faultText = ({ message, path }: ValueFault): string =>
  path.length === 0 ? message : `${path.map((key) => visible(String(key))).join(".")}: ${message}`

const EVERY: Readonly<Record<"line" | "lines", RegExp>> = {
  line: new RegExp(FORBIDDEN.line.source, "gu"),
  lines: new RegExp(FORBIDDEN.lines.source, "gu")
}

/** The beginning of a text, at most so many characters of UTF-16, without half of a surrogate pair at its end. */
export const cutText = (text: string, longest: number): string =>
  text.length <= longest ? text : text.slice(0, longest).replace(/[\ud800-\udbff]$/, "")

/**
 * Removes characters that may not travel: in one line, a break or tab becomes a blank. `removed` counts characters, also those
 * beyond `longest`.
 */
export const cleanedText = (
  text: string,
  kind: "line" | "lines",
  longest = Number.POSITIVE_INFINITY
): { readonly text: string; readonly removed: number } => {
  // the usual case: creates no new text
  if (text.length <= longest && !FORBIDDEN[kind].test(text)) return { text, removed: 0 }
  let removed = 0
  const clean = text.replaceAll(EVERY[kind], (character) => {
    removed += 1
    return kind === "line" && /[\t\n\r\v\f\u0085\u2028\u2029]/.test(character) ? " " : ""
  })
  const cut = cutText(clean, longest)
  return { text: cut, removed: removed + clean.length - cut.length }
}

const isClean = (part: unknown, forbidden: RegExp, longest: number): boolean => {
  if (typeof part === "string") return part.length <= longest && !forbidden.test(part)
  if (typeof part !== "object" || part === null) return true
  return Object.entries(part).every(
    ([key, element]) => key.length <= longest && !forbidden.test(key) && isClean(element, forbidden, longest)
  )
}

/** The same value with every text in it cleaned, keys of objects too; the value itself when nothing was removed. */
export const cleanedValue = <A>(
  value: A,
  kind: "line" | "lines",
  longest = Number.POSITIVE_INFINITY
): { readonly value: A; readonly removed: number } => {
  // the usual case
  if (isClean(value, FORBIDDEN[kind], longest)) return { value, removed: 0 }
  let removed = 0
  const cleanText = (text: string): string => {
    const done = cleanedText(text, kind, longest)
    removed += done.removed
    return done.text
  }
  const clean = (part: unknown): unknown => {
    if (typeof part === "string") return cleanText(part)
    if (Array.isArray(part)) return part.map(clean)
    if (typeof part !== "object" || part === null || Object.getPrototypeOf(part) !== Object.prototype) return part
    return Object.fromEntries(Object.entries(part).map(([key, element]) => [cleanText(key), clean(element)]))
  }
  const cleaned = clean(value)
  // a text stays a text and a record keeps its keys, so the type is right
  return { value: cleaned as A, removed }
}

// Texts of others in a form that is safe to print: the words of a device or a colleague have no effect on a terminal, and are
// no formula for a spreadsheet. Pure.

/** Control characters, and those that break lines or turn the direction of reading. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu

/** A text with a blank for each such character. */
export const harmless = (text: string): string => text.replaceAll(UNSAFE, " ")

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** JSON in which such characters are escapes, whose value is the same. */
export const jsonText = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? "null").replaceAll(UNSAFE, (character) =>
    character === "\n" ? character : escapeOf(character)
  )

/** The beginning of a formula for spreadsheets, also behind blanks and in its full-width form. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/u

/** A text that could be a formula with an apostrophe before it, every other text unchanged. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The text of such a cell, without the apostrophe. */
export const behindApostrophe = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell

/** A cell of comma-separated values (RFC 4180). A text that could be a formula gets an apostrophe before it; a number stays unchanged. */
export const csvCell = (text: string, isText = true): string => {
  const safe = harmless(text)
  const cell = isText ? withoutFormula(safe) : safe
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
