/** The list of devices as a file of comma-separated values (RFC 4180). Pure. */

import { csvCell } from "../../../src/domain/Text.ts"

const cell = (value: unknown): string =>
  value === null || value === undefined ? "" : csvCell(String(value), typeof value === "string")

/** One line for each row, the names of the fields in the first. */
export const csvOf = <Row extends object>(
  fields: ReadonlyArray<keyof Row & string>,
  rows: ReadonlyArray<Row>
): string =>
  [fields, ...rows.map((row) => fields.map((field) => row[field]))]
    .map((cells) => cells.map(cell).join(","))
    .join("\r\n") + "\r\n"
