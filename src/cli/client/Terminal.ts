/**
 * The parts that commands share at the terminal: answers as a table for people, or as JSON or comma-separated values for programs;
 * questions; and refusals. Colours only on a terminal.
 */
import { Console, Effect, Runtime, Schema } from "effect"
import { Flag } from "effect/cli"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { csvCell, harmless, jsonText } from "../../domain/Text.ts"

export { harmless }

/** A column of a table: its head, and the value of a row. */
export type Column<Row> = readonly [head: string, of: (row: Row) => unknown]

/** `--json` and `--csv`. */
export const format = {
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false)),
  csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print comma-separated values"), Flag.withDefault(false))
}
export interface Format {
  readonly json: boolean
  readonly csv: boolean
}

/** Whether a person sees colours and progress bars on this stream; the other stream may be a file. */
export const isTerminal = (stream: { readonly isTTY?: boolean } = process.stdout): boolean =>
  stream.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb"

const CODES = { bad: 31, good: 32, warn: 33, bold: 1 } as const

/** A text in a colour, on a terminal. */
export const colored = (
  tone: keyof typeof CODES,
  text: string,
  stream: { readonly isTTY?: boolean } = process.stdout
): string => (isTerminal(stream) ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text)

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const cellOf = (value: unknown): string => csvCell(textOf(value), typeof value !== "number")

/** Lines of comma-separated values (RFC 4180). */
const csvLines = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): ReadonlyArray<string> => [
  columns.map(([head]) => cellOf(head)).join(","),
  ...rows.map((row) => columns.map(([, of]) => cellOf(of(row))).join(","))
]

/** Lines of a table whose columns are as wide as their widest text. */
const tableLines = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const cells = [
    columns.map(([head]) => head.toUpperCase()),
    ...rows.map((row) => columns.map(([, of]) => harmless(textOf(of(row)))))
  ]
  const widths = columns.map((_, place) => Math.max(...cells.map((line) => line[place]?.length ?? 0)))
  return cells.map((line) =>
    line
      .map((cell, place) => cell.padEnd(widths[place] ?? 0))
      .join("  ")
      .trimEnd()
  )
}

/** Prints JSON for a program. */
export const printJson = (value: unknown, indent = 2) => Console.log(jsonText(value, indent))

const eachLine = (lines: ReadonlyArray<string>) => Effect.forEach(lines, (line) => Console.log(line), { discard: true })

/** Prints text that may contain words of a device or a colleague, line by line and without control characters. */
export const say = (text: string) => eachLine(text.split("\n").map(harmless))

/** Prints rows in the chosen form; `nothing` is the sentence for people if there are none. */
export const printRows = <Row>(
  { csv, json }: Format,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  nothing: string
) => {
  if (json) return printJson(rows)
  if (csv) return eachLine(csvLines(columns, rows))
  if (rows.length === 0) return Console.error(nothing)
  const [head = "", ...lines] = tableLines(columns, rows)
  return eachLine([colored("bold", head), ...lines])
}

const isRow = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const wordsOf = (value: unknown): unknown =>
  Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(", ") : value

/** The rows under a name of an answer without a type here. */
const rowsIn = (answer: unknown, name: string) => {
  const found = isRow(answer) ? answer[name] : undefined
  return Array.isArray(found) ? found.filter(isRow) : []
}

/** Prints the rows that an answer has under this name, with these fields; in JSON with all fields. */
export const printListed = (
  wanted: Format,
  answer: unknown,
  { fields, name, nothing }: { readonly name: string; readonly fields: ReadonlyArray<string>; readonly nothing: string }
) =>
  printRows(
    wanted,
    fields.map((field): Column<Readonly<Record<string, unknown>>> => [
      field.replaceAll("_", " "),
      (row) => wordsOf(row[field])
    ]),
    rowsIn(answer, name),
    nothing
  )

/** Prints one record: JSON, or a line for each field. */
export const printOne = <A extends object>(
  { json }: { readonly json: boolean },
  one: A,
  fields: ReadonlyArray<Column<A>>
) => {
  if (json) return printJson(one)
  const shown = fields.map(([head, of]) => [head, harmless(textOf(of(one)))] as const).filter(([, text]) => text !== "")
  const width = Math.max(0, ...shown.map(([head]) => head.length))
  return eachLine(shown.map(([head, text]) => `${head.padEnd(width)}  ${text}`))
}

/** The exit code that a shell gives a stopped command. */
export const STOPPED = 130

/** Prints an error as a sentence on stderr. A user who stops a command before its end gets a failing exit code. */
export const reported = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.tapError(({ message }) =>
      Console.error(colored("bad", message.split("\n").map(harmless).join("\n"), process.stderr))
    ),
    Effect.onInterrupt(() => Effect.sync(() => void (process.exitCode ??= STOPPED)))
  )

const isYes = (text: string): boolean => /^y(es)?$/i.test(text.trim())

/** Asks, line by line, whether to do something; on standard error, so that the output can go to a file. No answer is no. */
export const makeAsking = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => createInterface({ input: process.stdin })),
    (lines) => Effect.sync(() => lines.close())
  ),
  (lines) => {
    const answers = lines[Symbol.asyncIterator]()
    return (question: string) =>
      Effect.promise(async () => {
        process.stderr.write(`${question} [y/N] `)
        const answer = await answers.next()
        if (answer.done === true) process.stderr.write("\n")
        return answer.done !== true && isYes(answer.value)
      })
  }
)

/** All of standard input without the end of its line: every user of the machine can see a command line. */
export const readInput = Effect.map(
  Effect.promise(() => text(process.stdin)),
  (sent) => sent.replace(/\r?\n$/, "")
)

export type Asking = Effect.Success<typeof makeAsking>

/** The database refused, or cannot be reached. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", {
  message: Schema.String
}) {
  // the sentence is on stderr already
  override readonly [Runtime.errorReported] = false
}

/** Prints the error as a sentence on stderr; the exit code is 1. */
export const failWithSentence = ({ message }: { readonly message: string }) =>
  Effect.andThen(Console.error(harmless(message)), Effect.fail(new CommandRefused({ message })))
