/** The log lines of a server under test, kept as data. */
import { Layer, Logger, References } from "effect"

/** One line: its level, its text, and the details next to the text. */
export interface LogLine {
  readonly level: string
  readonly text: string
  readonly details: Readonly<Record<string, unknown>>
}

const isDetails = (part: unknown): part is Readonly<Record<string, unknown>> =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

/** A list that grows, and the layer that fills it with lines from this level on. */
export const keepLines = (level: "Trace" | "Info" | "Warn") => {
  const lines: Array<LogLine> = []
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
    const text = parts.filter((part) => !isDetails(part)).join(" ")
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    lines.push({ level: logLevel, text, details: Object.assign({}, annotations, ...parts.filter(isDetails)) })
  })
  return { lines, layer: Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, level)) }
}
