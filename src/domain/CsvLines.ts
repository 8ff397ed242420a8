/** Comma-separated values (RFC 4180) as lines of cells, each with the line of the text on which it begins. Pure. */

/** The cells of a line, without blanks around those that are not quoted. */
export interface CsvLine {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

const SEPARATORS = [",", ";", "\t"] as const

/** The most frequent separator of the header. */
const separatorOf = (text: string): string => {
  const [header = ""] = text.split("\n", 1)
  const count = (separator: string) => header.split(separator).length
  return SEPARATORS.reduce<string>((best, one) => (count(one) > count(best) ? one : best), ",")
}

/** The lines of a text, and the line of a quotation mark that is not closed, which ends it. Commas, semicolons and tabs separate cells. */
export const csvLines = (
  given: string
): { readonly lines: ReadonlyArray<CsvLine>; readonly unclosed: ReadonlyArray<number> } => {
  const text = given.replace(/^\uFEFF/, "")
  const separator = separatorOf(text)
  const lines: Array<CsvLine> = []
  let [line, began, cell, isQuoted, wasQuoted] = [1, 1, "", false, false]
  let cells: Array<string> = []
  const endCell = () => {
    cells.push(wasQuoted ? cell : cell.trim())
    cell = ""
    wasQuoted = false
  }
  const endLine = () => {
    endCell()
    if (cells.some((one) => one !== "")) lines.push({ line: began, cells })
    cells = []
  }
  for (let index = 0; index < text.length; index += 1) {
    const sign = text.charAt(index)
    if (sign === "\n") line += 1
    if (isQuoted && sign === '"' && text.charAt(index + 1) === '"') {
      cell += '"'
      index += 1
    } else if (sign === '"' && (isQuoted || cell.trim() === "")) {
      if (!isQuoted) cell = ""
      isQuoted = !isQuoted
      wasQuoted = true
    } else if (isQuoted) cell += sign
    else if (sign === separator) endCell()
    else if (sign === "\n") {
      endLine()
      began = line
    } else if (sign !== "\r" && !(wasQuoted && sign.trim() === "")) cell += sign
  }
  if (isQuoted) return { lines, unclosed: [began] }
  endLine()
  return { lines, unclosed: [] }
}
