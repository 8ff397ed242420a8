/**
 * Texts of others as they may be printed: what a device or a colleague has written does nothing to a terminal, and is no formula for a
 * spreadsheet. Pure.
 */

/** Control characters, and those that break lines or turn the direction of what is read. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/gu

/** A text with a blank for each such character. */
export const harmless = (text: string): string => text.replaceAll(UNSAFE, " ")

const escapeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** JSON in which such characters are escapes, whose value is the same. */
export const jsonText = (value: unknown, indent?: number): string =>
  (JSON.stringify(value, null, indent) ?? "null").replaceAll(UNSAFE, (character) =>
    character === "\n" ? character : escapeOf(character)
  )

/** What spreadsheets take for the beginning of a formula, also behind blanks and in its full-width form. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/u

/** A cell of comma-separated values (RFC 4180). A text that could be a formula has an apostrophe before it; a number is left alone. */
export const csvCell = (text: string, isText = true): string => {
  const safe = harmless(text)
  const cell = isText && FORMULA.test(safe) ? `'${safe}` : safe
  return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
