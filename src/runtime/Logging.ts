/** The destination and the form of log lines. Spans are made only if `Traces.ts` has a receiver for them. */
import { Cause, Context, Effect, Formatter, Layer, Logger, LogLevel, References } from "effect"
import { ServerConfig } from "../ServerConfig.ts"
import { LiveFeed, type LiveLevel, type LogLine } from "./LiveFeed.ts"

// Turns the parts of a log message into text: its sentences, its details as `key=value`, and errors.

/** An error that blocks all work alike and that the log has reported once: a line for each affected work would hide all others. */
export class AlreadyLogged extends Error {}

const isAlreadyLoggedError = (error: unknown): boolean => {
  if (error instanceof AlreadyLogged) return true
  if (typeof error !== "object" || error === null) return false
  return (
    ("reason" in error && isAlreadyLoggedError(error.reason)) || ("cause" in error && isAlreadyLoggedError(error.cause))
  )
}

/** Whether a line has no other cause than one that the log has reported already. */
const isAlreadyLogged = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.length > 0 &&
  cause.reasons.every((reason) =>
    Cause.isFailReason(reason)
      ? isAlreadyLoggedError(reason.error)
      : Cause.isDieReason(reason) && isAlreadyLoggedError(reason.defect)
  )

/** True for details that accompany a message: `Effect.logInfo("Job ended", { status })`. */
const isDetails = (part: unknown): part is object =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

/** A value as text. */
const shown = (value: unknown): string => (typeof value === "string" ? value : Formatter.format(value))

const quoted = (text: string): string => (/[\s"=]/.test(text) ? JSON.stringify(text) : text)

/** `key=value` pairs; a repeated key gets `_` behind it, so that no key appears twice in a line. */
export const written = (pairs: ReadonlyArray<readonly [key: string, value: string]>): string => {
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

/** The sentences of a message, null where there are none, and its details. */
export const partsOf = (message: unknown) => {
  const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
  const texts = parts.filter((part) => !isDetails(part))
  return { text: texts.length === 0 ? null : texts.map(shown).join(" "), details: parts.filter(isDetails) }
}

/** Details as pairs of texts. */
export const pairsOf = (details: ReadonlyArray<object>) =>
  details.flatMap((one) => Object.entries(one).map(([key, value]) => [key, shown(value)] as const))

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

/** The logger without lines whose cause it has logged already; at level debug it writes all lines. */
const once = (logger: Logger.Logger<unknown, void>) =>
  Logger.make<unknown, void>((line) => {
    const wantsAll = LogLevel.isLessThanOrEqualTo(line.fiber.getRef(References.MinimumLogLevel), "Debug")
    if (wantsAll || !isAlreadyLogged(line.cause)) logger.log(line)
  })

/** Log format and level of the configuration, and no spans. */
export const layer = Layer.unwrap(
  Effect.map(ServerConfig, ({ LOG_FORMAT, LOG_LEVEL }) =>
    Layer.mergeAll(
      Logger.layer([once(loggers[LOG_FORMAT])]),
      Layer.succeed(References.MinimumLogLevel, LOG_LEVEL),
      Layer.succeed(References.TracerEnabled, false)
    )
  )
)

// Publishes the log in the live feed (docs/events.md#log-lines): all lines that are written anyway, in the form that clients know. Lines of
// a job name it once.

/** The subject of this fiber's lines: the function of its job. */
export const LogModule = Context.Reference<string>("switchyard/runtime/LogModule", { defaultValue: () => "server" })

const LIVE_LEVELS: Readonly<Record<LogLevel.LogLevel, LiveLevel>> = {
  All: "DEBUG",
  Trace: "DEBUG",
  Debug: "DEBUG",
  Info: "INFO",
  Warn: "WARNING",
  Error: "ERROR",
  Fatal: "CRITICAL",
  None: "CRITICAL"
}

/** Longest text of a line, in characters. */
const MAX_TEXT = 16_000

const jobOf = (annotations: Readonly<Record<string, unknown>>): number | null =>
  typeof annotations["job"] === "number" ? annotations["job"] : null

/** The text of a line without the number of its job, which stands before it. */
const textOf = (sentence: string, job: number | null): string =>
  job === null ? sentence : sentence.replace(new RegExp(`^job #${job}: ?`, "i"), "")

/** A logger that publishes lines in the live feed. */
const makeLiveLogger = ({ hasListeners, publish }: Pick<LiveFeed["Service"], "hasListeners" | "publish">) =>
  Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    if (!hasListeners() || isAlreadyLogged(cause)) return
    const { job: named, ...annotations } = fiber.getRef(References.CurrentLogAnnotations)
    const job = jobOf({ job: named })
    const { details, text } = partsOf(message)
    const pairs = written(pairsOf([...details, annotations]))
    const first = [textOf(text ?? "", job), pairs].filter((part) => part !== "").join(" ")
    const whole = cause.reasons.length === 0 ? first : `${first}\n${Cause.pretty(cause)}`
    const level = LIVE_LEVELS[logLevel]
    publish({
      kind: "log",
      at: date.getTime(),
      level,
      module: fiber.getRef(LogModule),
      job,
      text: whole.slice(0, MAX_TEXT)
    })
  })

/** A line as clients show it: `[2026-03-02 09:11:27,512] INFO in sync_devices job #1215: Devices selected`; times in UTC. */
export const lineText = ({ at, job, level, module, text }: LogLine): string => {
  const time = new Date(at).toISOString().replace("T", " ").replace(".", ",").replace("Z", "")
  return `[${time}] ${level} in ${module}${job === null ? "" : ` job #${job}`}: ${text}`
}

/** Adds the live logger to the existing ones. */
export const liveLayer = Layer.unwrap(
  Effect.map(LiveFeed, (feed) => Logger.layer([makeLiveLogger(feed)], { mergeWithExisting: true }))
)

// Addresses of requests in the form for the log and for a receiver of traces: without the values of parameters that carry tokens, however
// the parameter is spelled and wherever it stands. A text that cannot be parsed is masked, because more people read a log than may have a
// token.

const MASK = "***"
const MAX_URL = 500
/** No client encodes a name more often than this. */
const MAX_DECODINGS = 4

/** A name that cannot be decoded completely may be any of these. */
const SECRET_NAME = /jwt|token|secret|passw|credential|api[-_ ]?key|^code$|%/i
/** A parameter within a value, or after a separator that was encoded. */
const SECRET_INSIDE = /(?:jwt|token|secret|passw|credential|api[-_ ]?key)[^?&;#=]*=/i
/** A text that has the form of a token, whatever its parameter is called. */
const TOKEN = /eyJ[\w-]{5,}(?:\.[\w-]*)+/g
/** All paths below these serve signing in: codes, states and tokens. */
const SIGN_ON = /\/auth\//i

const decodedOnce = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The text after all decodings; undefined if there are too many of them. */
const decoded = (text: string): string | undefined => {
  let known = text
  for (let round = 0; round < MAX_DECODINGS; round++) {
    const next = decodedOnce(known)
    if (next === known) return known
    known = next
  }
  return undefined
}

/** A part between two separators with its secret masked: `name=value`, or a part of the path. */
const masked = (part: string): string => {
  const plain = decoded(part)
  const end = part.indexOf("=")
  const name = end < 0 ? "" : (decoded(part.slice(0, end)) ?? "token")
  if (end >= 0 && SECRET_NAME.test(name)) return `${part.slice(0, end)}=${MASK}`
  if (plain !== undefined && !SECRET_INSIDE.test(plain)) return part
  return `${part.slice(0, part.search(/[%=]/))}${MASK}`
}

/** The URL with the values of token parameters masked, cut to 500 characters; of a sign-on only the path. */
export const maskUrl = (url: string): string => {
  const [path = ""] = url.split(/[?;#]/, 1)
  if (SIGN_ON.test(decoded(path) ?? "/auth/")) return path.slice(0, MAX_URL)
  const parts = url.split(/([?;&#])/)
  return parts.map(masked).join("").replaceAll(TOKEN, MASK).slice(0, MAX_URL)
}
