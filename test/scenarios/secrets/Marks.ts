/**
 * Secrets that can be recognised after any transformation: unchanged, in other letters, backwards, and in the encodings of programs. A
 * private key is found by each of its lines.
 */

/** A secret with its name in leak reports. */
export interface Mark {
  readonly name: string
  readonly value: string
}

/** Shorter parts stand in harmless texts too. */
const SHORTEST = 8

/** The base64 of a text wherever it stands in a longer one: without the digits that its neighbours have a part in. */
const base64Parts = (text: string): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const encoded = Buffer.from(" ".repeat(before) + text)
      .toString("base64")
      .replace(/=+$/, "")
    const first = Math.ceil((before * 8) / 6)
    const last = Math.floor(((before + Buffer.byteLength(text)) * 8) / 6)
    return encoded.slice(first, last)
  })

const asUrl = (text: string): string => text.replaceAll("+", "-").replaceAll("/", "_")

const hexOf = (text: string): string => Buffer.from(text).toString("hex")

/** Spellings of one line of a secret, in small letters but for base64, where letters count. */
const formsOf = (line: string) => ({
  anyCase: [
    line,
    [...line].toReversed().join(""),
    hexOf(line),
    encodeURIComponent(line),
    // as a text stands in JSON or in a line of the log
    JSON.stringify(line).slice(1, -1)
  ].map((form) => form.toLowerCase()),
  exact: base64Parts(line).flatMap((part) => [part, asUrl(part)])
})

const isTelling = (line: string): boolean => line.length >= SHORTEST && !line.startsWith("-----")

const linesOf = (value: string): ReadonlyArray<string> => value.split(/\r?\n/).filter(isTelling)

/** The lines of a key are base64 already. */
const formsOfValue = (value: string) => {
  const lines = linesOf(value)
  if (lines.length > 1) return { anyCase: [], exact: lines }
  const forms = lines.map(formsOf)
  return {
    anyCase: forms.flatMap(({ anyCase }) => anyCase),
    exact: forms.flatMap(({ exact }) => exact).filter(({ length }) => length >= SHORTEST)
  }
}

/** One search for all forms of all marks, because most texts have none. */
const anyOf = (forms: ReadonlyArray<string>): RegExp =>
  new RegExp([...new Set(forms)].map((form) => RegExp.escape(form)).join("|"))

/** Finds which of the marks a text has in any form. */
export const finder = (marks: ReadonlyArray<Mark>): ((text: string) => ReadonlyArray<string>) => {
  const known = marks.map(({ name, value }) => ({ name, ...formsOfValue(value) }))
  const anyCase = anyOf(known.flatMap((mark) => mark.anyCase))
  const exact = anyOf(known.flatMap((mark) => mark.exact))
  return (text) => {
    const small = text.toLowerCase()
    if (!anyCase.test(small) && !exact.test(text)) return []
    return known
      .filter(
        (mark) => mark.anyCase.some((form) => small.includes(form)) || mark.exact.some((form) => text.includes(form))
      )
      .map(({ name }) => name)
  }
}

/** The part of a text around a mark, for the search of a leak. */
export const excerpt = (text: string, { value }: Mark): string => {
  const [line = value] = linesOf(value)
  const at = text.toLowerCase().indexOf(line.toLowerCase())
  return at < 0 ? "(in another form)" : text.slice(Math.max(0, at - 120), at + line.length + 60)
}
