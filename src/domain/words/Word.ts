/**
 * The words in which people read what the program writes in its own: states, phases, reasons, kinds. Each enumeration has one
 * table, which the page and the command line share; a table that lacks a value of its type does not compile. Values of a newer
 * server, or of other programs, are shown with spaces for their underscores.
 */

/**
 * What a word asks of the reader. `good`: all is well. `info`: it moves by itself. `wait`: a person must act. `warn`: look at
 * it. `bad`: it failed. `quiet`: nothing to notice.
 */
export type Tone = "good" | "info" | "wait" | "warn" | "bad" | "quiet"

/** A text of a few words that begins like a sentence, and its tone. */
export interface Word {
  readonly text: string
  readonly tone: Tone
}

/** The table of an enumeration. */
export type Words<Value extends string> = Readonly<Record<Value, Word>>

/** A value that has no word: `not_yet_known` as `not yet known`. */
export const plainly = (value: string): string => value.replaceAll("_", " ")

/** The word of a value. Unknown values are quiet. */
export const wordOf = (table: Words<string>, value: string): Word =>
  (Object.hasOwn(table, value) ? table[value] : undefined) ?? { text: plainly(value), tone: "quiet" }

/** The text of a value's word. */
export const textOf = (table: Words<string>, value: string): string => wordOf(table, value).text

/** The same within a sentence: `Not answering` as `not answering`. Names in capitals, such as `VLAN`, stay. */
export const inSentence = (text: string): string =>
  /^[A-Z][^A-Z]/.test(text) ? `${text.charAt(0).toLowerCase()}${text.slice(1)}` : text

/** `a`, `a and b`, `a, b and c`; empty for no words. */
export const joined = (words: ReadonlyArray<string>, last: "and" | "or" = "and"): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`
