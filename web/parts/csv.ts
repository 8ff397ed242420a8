/** What a table shows as a file of comma-separated values (RFC 4180). Pure. */
import { csvCell } from "../../src/domain/Text.ts"

/** A column with its text. */
interface Written<Row> {
  readonly head: string
  readonly text?: (row: Row) => string
}

/** One line for each row, the heads in the first. Columns without a text are left out. */
export const csvOf = <Row>(columns: ReadonlyArray<Written<Row>>, rows: ReadonlyArray<Row>): string => {
  const written = columns.flatMap(({ head, text }) => (text === undefined ? [] : [{ head, text }]))
  return (
    [written.map(({ head }) => head), ...rows.map((row) => written.map(({ text }) => text(row)))]
      .map((cells) => cells.map((cell) => csvCell(cell)).join(","))
      .join("\r\n") + "\r\n"
  )
}
