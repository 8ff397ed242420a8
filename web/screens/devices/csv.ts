/** The list of devices as a file of comma-separated values (RFC 4180). Pure. */

/** Spreadsheets take texts that begin like a formula for one. */
const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const cell = (value: unknown): string => {
  const text = value === null || value === undefined ? "" : harmless(String(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line for each row, the names of the fields in the first. */
export const csvOf = <Row extends object>(
  fields: ReadonlyArray<keyof Row & string>,
  rows: ReadonlyArray<Row>
): string =>
  [fields, ...rows.map((row) => fields.map((field) => row[field]))]
    .map((cells) => cells.map(cell).join(","))
    .join("\r\n") + "\r\n"
