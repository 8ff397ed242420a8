/**
 * What PostgreSQL reports, in our log. It writes to a file, because a server that was left behind by a killed process must
 * be heard as well; here the file is read as it grows, and kept short. Only messages are taken: no statements and no details,
 * in which configurations or secrets could stand.
 */
import { Effect, Option, Schedule } from "effect"
import * as fs from "node:fs/promises"
import { attempt } from "./PostgresPrograms.ts"

/** Options with which PostgreSQL writes lines that `parseLine` understands. */
export const LOG_FLAGS = [
  "log_line_prefix=%m [%p] %e ",
  "log_error_verbosity=terse",
  "log_min_error_statement=panic",
  "log_checkpoints=off"
].flatMap((setting) => ["-c", setting])

/** A file of this size is emptied once it is read. */
const MAX_BYTES = 8 * 1024 * 1024
const INTERVAL = "500 millis"

export type Level = "Error" | "Warn" | "Debug"

/** One message with the level that it has for us. */
export interface Report {
  readonly level: Level
  readonly severity: string
  readonly sqlState: string
  readonly message: string
}

const LINE = /^\S+ \S+ \S+ \[\d+\] ([0-9A-Z]{5}) ([A-Z]+\d?):\s+(.*)$/

/** States that callers expect and handle: wrong values, violated constraints, transactions that met another one, statements given up. */
const HANDLED = /^(22|23|40|57014)/

/** Reports of level LOG that tell of a fault all the same. */
const FAULTS = [
  /was terminated by signal/,
  /exited with exit code [1-9]/,
  /^all server processes terminated/,
  /^terminating any other active server processes/,
  /^database system was (not properly shut down|interrupted)/,
  /^could not /,
  /^out of memory/
]

const levelOf = (severity: string, sqlState: string, message: string): Level => {
  if (severity === "PANIC") return "Error"
  if (severity === "FATAL" || severity === "WARNING") return "Warn"
  if (severity === "ERROR") return HANDLED.test(sqlState) ? "Debug" : "Warn"
  return severity === "LOG" && FAULTS.some((pattern) => pattern.test(message)) ? "Warn" : "Debug"
}

/** A line of PostgreSQL's log, none when it goes on from the line before. */
export const parseLine = (line: string): Option.Option<Report> => {
  const [, sqlState, severity, message] = LINE.exec(line) ?? []
  if (sqlState === undefined || severity === undefined || message === undefined) return Option.none()
  return Option.some({ level: levelOf(severity, sqlState, message), severity, sqlState, message })
}

/** Reports of the text with how often each came, in the order of their first time. */
export const summarize = (text: string): ReadonlyArray<Report & { readonly times: number }> => {
  const counted = new Map<string, Report & { readonly times: number }>()
  for (const line of text.split("\n")) {
    const report = Option.getOrUndefined(parseLine(line))
    if (report === undefined) continue
    const key = `${report.severity} ${report.message}`
    counted.set(key, { ...report, times: (counted.get(key)?.times ?? 0) + 1 })
  }
  return [...counted.values()]
}

const LOGGERS = { Error: Effect.logError, Warn: Effect.logWarning, Debug: Effect.logDebug } as const

const tell = ({ level, message, severity, sqlState, times }: Report & { readonly times: number }) =>
  LOGGERS[level](`PostgreSQL: ${severity}: ${message}`, {
    ...(sqlState === "00000" ? {} : { sqlstate: sqlState }),
    ...(times > 1 ? { times } : {})
  })

/** What was written since `from`, up to the end of its last line. */
const readSince = (file: string, from: number) =>
  attempt(`read ${file}`, async () => {
    const handle = await fs.open(file, "r")
    try {
      const { size } = await handle.stat()
      const start = size < from ? 0 : from
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size - start, MAX_BYTES)), {
        position: start
      })
      const end = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1
      return { text: buffer.subarray(0, end).toString(), next: start + end }
    } finally {
      await handle.close()
    }
  })

/** The size of the log so far, 0 when there is none. */
export const sizeOf = (file: string) =>
  Effect.orElseSucceed(
    attempt("stat", async () => (await fs.stat(file)).size),
    () => 0
  )

/** Reports what is added to the file from this place on, until it is interrupted. */
export const follow = Effect.fnUntraced(function* (file: string, from: number) {
  let place = from
  const look = Effect.gen(function* () {
    const { next, text } = yield* readSince(file, place)
    place = next
    yield* Effect.forEach(summarize(text), tell, { discard: true })
    if (place < MAX_BYTES) return
    yield* attempt(`empty ${file}`, () => fs.truncate(file, 0))
    place = 0
  })
  yield* Effect.ignore(look, { log: "Debug" }).pipe(Effect.repeat(Schedule.spaced(INTERVAL)))
})

/** The last lines of the log since `from`, to explain why a server did not start. */
export const lastWords = (file: string, from: number) =>
  Effect.match(readSince(file, from), { onSuccess: ({ text }) => text.slice(-800).trim(), onFailure: () => "" })
