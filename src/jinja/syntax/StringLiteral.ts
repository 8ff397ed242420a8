/**
 * The inside of string literals: Python's escapes, read and written.
 */

const simple: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v"
}

const escape = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([^]))/gu

/** The text that a literal without its quotes stands for. `fail` is called for escapes that Python refuses. */
export const unescape = (text: string, fail: (message: string) => never): string => {
  if (!text.includes("\\")) return text
  return text.replace(escape, (whole, octal, byte, short, long, letter) => {
    if (letter === undefined)
      return codePoint(octal === undefined ? parseInt(byte ?? short ?? long, 16) : parseInt(octal, 8), fail)
    if (letter === "x") return fail("truncated \\xXX escape")
    if (letter === "u") return fail("truncated \\uXXXX escape")
    if (letter === "U") return fail("truncated \\UXXXXXXXX escape")
    if (letter === "N") return fail("character names are not supported")
    return simple[letter] ?? whole
  })
}

const codePoint = (code: number, fail: (message: string) => never): string =>
  code > 0x10ffff ? fail("illegal Unicode character") : String.fromCodePoint(code)

const written: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r" }

/** A literal that reads back as this text. */
export const quote = (text: string): string =>
  `'${text.replace(/[\\'\n\t\r]/g, (character) => written[character] ?? "")}'`
