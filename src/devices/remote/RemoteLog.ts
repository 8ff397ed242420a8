/**
 * Log lines from SSH workers: written down in the worker, logged in the main thread as if the caller had logged them, with
 * its annotations and spans. Details are sent as text, so that a secret that is hidden when shown stays hidden.
 */
import { Cause, Context, Effect, Formatter, Layer, Logger, References } from "effect"
import type { FromWorker, LogDetails, LogLine, LogPart } from "./Messages.ts"

/** The call that a fiber of the worker serves. */
export const CurrentCall = Context.Reference<number | null>("switchyard/devices/remote/CurrentCall", {
  defaultValue: () => null
})

const plain = (value: unknown): string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : Formatter.format(value)

const details = (given: object): LogDetails =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key, plain(value)]))

const part = (value: unknown): LogPart => {
  if (typeof value === "string") return value
  const isDetails = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isDetails ? details(value) : String(plain(value))
}

/** Makes `send` the only logger. */
export const layerSending = (send: (message: FromWorker) => void): Layer.Layer<never> =>
  Logger.layer([
    Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
      if (logLevel === "All" || logLevel === "None") return
      const annotations = details(fiber.getRef(References.CurrentLogAnnotations))
      const parts = (Array.isArray(message) ? message : [message]).map(part)
      if (cause.reasons.length > 0) parts.push(Cause.pretty(cause))
      send({ _tag: "Log", call: fiber.getRef(CurrentCall), level: logLevel, parts, annotations })
    })
  ])

/** Logs a line of a worker. */
export const relog = ({ annotations, level, parts }: LogLine): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWithLevel(level)(...parts), annotations)
