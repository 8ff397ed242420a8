/**
 * The parts that commands share at the terminal: answers as a table for people, or as JSON or comma-separated values for programs;
 * questions; and refusals. Colours only on a terminal.
 */
import { textOf as wordText, type Words } from "../../domain/words/Word.ts"
import { Console, Effect, Option, Runtime, Schema } from "effect"
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
/** `--json` of a command whose answer is JSON anyway, so that programs can say it to every command. */
export const jsonAlways = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON, as without it"),
  Flag.withDefault(false)
)

/** A flag with one of these values, in any case. Another one is refused with all of them. */
export const oneOf = <Value extends string>(name: string, values: ReadonlyArray<Value>, description: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (sent) => Option.fromUndefinedOr(values.find((value) => value.toLowerCase() === sent.toLowerCase())),
      () => `Expected one of: ${values.join(", ")}`
    ),
    Flag.withDescription(`${description}: ${values.join(", ")}`)
  )

export interface Format {
  readonly json: boolean
  readonly csv: boolean
}

/** Whether a person sees progress bars on this stream; the other stream may be a file. */
export const isTerminal = (stream: { readonly isTTY?: boolean } = process.stdout): boolean =>
  stream.isTTY === true && process.env["TERM"] !== "dumb"

const CODES = { bad: 31, good: 32, warn: 33, bold: 1 } as const

/** A text in a colour, on a terminal whose user wants colours. */
export const colored = (
  tone: keyof typeof CODES,
  text: string,
  stream: { readonly isTTY?: boolean } = process.stdout
): string => (isTerminal(stream) && !process.env["NO_COLOR"] ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text)

/** A value of the program that people read as a word; comma-separated values keep the value. */
export class Said {
  readonly value: string
  readonly text: string
  constructor(value: string, text: string) {
    this.value = value
    this.text = text
  }
}

/** The word of a value in a table of words. */
export const said = (table: Words<string>, value: string): Said => new Said(value, wordText(table, value))

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (value instanceof Said) return value.text
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

const cellOf = (value: unknown): string =>
  csvCell(value instanceof Said ? value.value : textOf(value), typeof value !== "number")

/** Lines of comma-separated values (RFC 4180). */
const csvLines = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>): ReadonlyArray<string> => [
  columns.map(([head]) => cellOf(head)).join(","),
  ...rows.map((row) => columns.map(([, of]) => cellOf(of(row))).join(","))
]

const GAP = 2
/** A column is made narrower than its texts, but no narrower than this. */
const NARROWEST = 12

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((one, other) => one + other, 0)

/**
 * The widths of a table's columns in a terminal of `room` characters: the widest give way first, then the last columns are left out. The
 * first column, which names the row, is never cut.
 */
export const fitWidths = (wanted: ReadonlyArray<number>, room: number): ReadonlyArray<number> => {
  const least = wanted.map((width, place) => (place === 0 ? width : Math.min(width, NARROWEST)))
  let shown = wanted.length
  const needed = (widths: ReadonlyArray<number>) => sum(widths) + GAP * (widths.length - 1)
  while (shown > 1 && needed(least.slice(0, shown)) > room) shown -= 1
  const widths = wanted.slice(0, shown)
  for (let over = needed(widths) - room; over > 0; over -= 1) {
    const spare = widths.map((width, place) => width - (least[place] ?? 0))
    const widest = widths.reduce(
      (best, width, place) => ((spare[place] ?? 0) > 0 && width > (widths[best] ?? 0) ? place : best),
      spare.findIndex((left) => left > 0)
    )
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

const cutTo = (text: string, width: number): string => (text.length <= width ? text : `${text.slice(0, width - 1)}…`)

/** Lines of a table whose columns are as wide as their widest text, or as the terminal allows; and the heads that are left out. */
const tableLines = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>, room: number) => {
  const cells = [
    columns.map(([head]) => head.toUpperCase()),
    ...rows.map((row) => columns.map(([, of]) => harmless(textOf(of(row)))))
  ]
  const widths = fitWidths(
    columns.map((_, place) => cells.reduce((widest, line) => Math.max(widest, line[place]?.length ?? 0), 0)),
    room
  )
  return {
    lines: cells.map((line) =>
      widths
        .map((width, place) => cutTo(line[place] ?? "", width).padEnd(width))
        .join(" ".repeat(GAP))
        .trimEnd()
    ),
    leftOut: columns.slice(widths.length).map(([head]) => head)
  }
}

/** The columns of a terminal; a file or another program has no limit. */
const roomOf = (stream: { readonly isTTY?: boolean; readonly columns?: number }): number =>
  stream.isTTY === true && stream.columns !== undefined && stream.columns > 0
    ? stream.columns
    : Number.POSITIVE_INFINITY

/** Shows a line on a terminal in place of the one before, such as a progress bar; an empty text removes it. */
export const showInPlace = (line: string): void =>
  void process.stderr.write(`\r\u001b[2K${cutTo(line, roomOf(process.stderr) - 1)}`)

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
  const { leftOut, lines } = tableLines(columns, rows, roomOf(process.stdout))
  const [head = "", ...rest] = lines
  const table = eachLine([colored("bold", head), ...rest])
  return leftOut.length === 0
    ? table
    : Effect.andThen(
        table,
        Console.error(`The terminal is too narrow for: ${leftOut.join(", ")}. --csv and --json have all.`)
      )
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

/** The rows of an answer without a type here: their name, their fields, and the tables of words of some fields. */
interface Listed {
  readonly name: string
  readonly fields: ReadonlyArray<string>
  readonly nothing: string
  readonly words?: Readonly<Record<string, Words<string>>>
}

/** Prints the rows that an answer has under this name, with these fields; in JSON with all fields. */
export const printListed = (wanted: Format, answer: unknown, { fields, name, nothing, words = {} }: Listed) =>
  printRows(
    wanted,
    fields.map((field): Column<Readonly<Record<string, unknown>>> => [
      field.replaceAll("_", " "),
      (row) => {
        const [value, table] = [wordsOf(row[field]), words[field]]
        return table === undefined || typeof value !== "string" ? value : said(table, value)
      }
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

/** Whether the user's program reads JSON: then also of an error. */
const wantsJson = (): boolean => process.argv.slice(2).includes("--json")

/** Prints why a command fails, on stderr: a sentence for people, one line of JSON for programs. */
export const printFailure = (message: string, exit_code: number) =>
  Console.error(
    wantsJson()
      ? jsonText({ status: "error", message, exit_code })
      : colored("bad", message.split("\n").map(harmless).join("\n"), process.stderr)
  )

/** Prints an error on stderr. A user who stops a command before its end gets a failing exit code. */
export const reported = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.tapError((error) => printFailure(error.message, Runtime.getErrorExitCode(error))),
    Effect.onInterrupt(() => Effect.sync(() => void (process.exitCode ??= STOPPED)))
  )

const isYes = (text: string): boolean => /^y(es)?$/i.test(text.trim())

/**
 * Asks, line by line, whether to do something; on standard error, so that the output can go to a file. The answer must be a yes, or the
 * word that is to be typed. No answer is no.
 */
export const makeAsking = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => createInterface({ input: process.stdin })),
    (lines) => Effect.sync(() => lines.close())
  ),
  (lines) => {
    const answers = lines[Symbol.asyncIterator]()
    return (question: string, typed: string | null = null) =>
      Effect.promise(async () => {
        process.stderr.write(`${question} ${typed === null ? "[y/N]" : `Type ${typed} to agree:`} `)
        const answer = await answers.next()
        if (answer.done === true) process.stderr.write("\n")
        return answer.done !== true && (typed === null ? isYes(answer.value) : answer.value.trim() === typed)
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
  Effect.andThen(printFailure(message, 1), Effect.fail(new CommandRefused({ message })))
