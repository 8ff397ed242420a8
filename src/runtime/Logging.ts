/** Where log lines go and in which form. No spans are made, which nobody would read, unless `Traces.ts` has a receiver for them. */
import { Cause, Effect, Layer, Logger, LogLevel, References } from "effect"
import { ServerConfig } from "../ServerConfig.ts"
import { isToldAlready, pairsOf, partsOf, written } from "./LogText.ts"

/** A line of https://brandur.org/logfmt: the texts of the message are one value, its details are keys of their own. */
const logfmt = Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) => {
  const { details, text } = partsOf(message)
  const spans = fiber.getRef(References.CurrentLogSpans)
  return written([
    ["timestamp", date.toISOString()],
    ["level", logLevel.toUpperCase()],
    ["fiber", `#${fiber.id}`],
    ...(text === null ? [] : [["message", text] as const]),
    ...(cause.reasons.length === 0 ? [] : [["cause", Cause.pretty(cause)] as const]),
    ...spans.map(([label, started]) => [label, `${date.getTime() - started}ms`] as const),
    ...pairsOf([...details, fiber.getRef(References.CurrentLogAnnotations)])
  ])
})

const loggers = {
  pretty: Logger.consolePretty(),
  logfmt: Logger.withConsoleLog(logfmt),
  json: Logger.consoleJson
}

/** The logger without lines whose cause it has told already; who wants to see more sees them. */
const once = (logger: Logger.Logger<unknown, void>) =>
  Logger.make<unknown, void>((line) => {
    const wantsAll = LogLevel.isLessThanOrEqualTo(line.fiber.getRef(References.MinimumLogLevel), "Debug")
    if (wantsAll || !isToldAlready(line.cause)) logger.log(line)
  })

/** Log format and level as the configuration says, and no spans. */
export const layer = Layer.unwrap(
  Effect.map(ServerConfig, ({ LOG_FORMAT, LOG_LEVEL }) =>
    Layer.mergeAll(
      Logger.layer([once(loggers[LOG_FORMAT])]),
      Layer.succeed(References.MinimumLogLevel, LOG_LEVEL),
      Layer.succeed(References.TracerEnabled, false)
    )
  )
)
