/** Where log lines go and in which form. No spans are made, which nobody would read, unless `Traces.ts` has a receiver for them. */
import { Cause, Effect, Formatter, Layer, Logger, References } from "effect"
import { ServerConfig } from "../ServerConfig.ts"

/** True for the details that stand beside a message: `Effect.logInfo("Job ended", { status })`. */
const isDetails = (part: unknown): part is object =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

const shown = (value: unknown): string => (typeof value === "string" ? value : Formatter.format(value))

const quoted = (text: string): string => (/[\s"=]/.test(text) ? JSON.stringify(text) : text)

/** `key=value` pairs; a key that is taken gets `_` behind it, so that none stands twice in a line. */
const written = (pairs: ReadonlyArray<readonly [key: string, value: string]>): string => {
  const taken = new Set<string>()
  return pairs
    .map(([key, value]) => {
      let name = key.replaceAll(/[\s="]/g, "_")
      while (taken.has(name)) name += "_"
      taken.add(name)
      return `${name}=${quoted(value)}`
    })
    .join(" ")
}

/** A line of https://brandur.org/logfmt: the texts of the message are one value, its details are keys of their own. */
const logfmt = Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) => {
  const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  const texts = parts.filter((part) => !isDetails(part))
  const spans = fiber.getRef(References.CurrentLogSpans)
  const details = [...parts.filter(isDetails), fiber.getRef(References.CurrentLogAnnotations)]
  return written([
    ["timestamp", date.toISOString()],
    ["level", logLevel.toUpperCase()],
    ["fiber", `#${fiber.id}`],
    ...(texts.length === 0 ? [] : [["message", texts.map(shown).join(" ")] as const]),
    ...(cause.reasons.length === 0 ? [] : [["cause", Cause.pretty(cause)] as const]),
    ...spans.map(([label, started]) => [label, `${date.getTime() - started}ms`] as const),
    ...details.flatMap((one) => Object.entries(one).map(([key, value]) => [key, shown(value)] as const))
  ])
})

const loggers = {
  pretty: Logger.consolePretty(),
  logfmt: Logger.withConsoleLog(logfmt),
  json: Logger.consoleJson
}

/** Log format and level as the configuration says, and no spans. */
export const layer = Layer.unwrap(
  Effect.map(ServerConfig, ({ LOG_FORMAT, LOG_LEVEL }) =>
    Layer.mergeAll(
      Logger.layer([loggers[LOG_FORMAT]]),
      Layer.succeed(References.MinimumLogLevel, LOG_LEVEL),
      Layer.succeed(References.TracerEnabled, false)
    )
  )
)
