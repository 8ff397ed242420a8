/** Where log lines go and in which form. */
import { Effect, Layer, Logger, References } from "effect"
import { ServerConfig } from "./ServerConfig.ts"

const loggers = { pretty: Logger.consolePretty(), logfmt: Logger.consoleLogFmt, json: Logger.consoleJson }

/** Log format and level as the configuration says. */
export const layer = Layer.unwrap(
  Effect.map(ServerConfig, ({ LOG_FORMAT, LOG_LEVEL }) =>
    Layer.mergeAll(Logger.layer([loggers[LOG_FORMAT]]), Layer.succeed(References.MinimumLogLevel, LOG_LEVEL))
  )
)
