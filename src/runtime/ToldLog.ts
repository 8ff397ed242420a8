/**
 * Tells the lines of the log to whoever listens (docs/events.md#log-lines): all lines that are written anyway, in the form that clients
 * know. Lines of a job name it once.
 */
import { Cause, Context, Effect, Layer, Logger, type LogLevel, References } from "effect"
import { isToldAlready, pairsOf, partsOf, written } from "./LogText.ts"
import { Told, type ToldLevel, type ToldLine } from "./Told.ts"

/** What lines of this fiber are about: the function of its job. */
export const LogModule = Context.Reference<string>("switchyard/runtime/LogModule", { defaultValue: () => "server" })

const LEVELS: Readonly<Record<LogLevel.LogLevel, ToldLevel>> = {
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

/** A logger that hands lines to whoever listens. */
export const makeLogger = ({ isHeard, tell }: Pick<Told["Service"], "isHeard" | "tell">) =>
  Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
    if (!isHeard() || isToldAlready(cause)) return
    const { job: named, ...annotations } = fiber.getRef(References.CurrentLogAnnotations)
    const job = jobOf({ job: named })
    const { details, text } = partsOf(message)
    const pairs = written(pairsOf([...details, annotations]))
    const first = [textOf(text ?? "", job), pairs].filter((part) => part !== "").join(" ")
    const whole = cause.reasons.length === 0 ? first : `${first}\n${Cause.pretty(cause)}`
    const level = LEVELS[logLevel]
    tell({
      kind: "log",
      at: date.getTime(),
      level,
      module: fiber.getRef(LogModule),
      job,
      text: whole.slice(0, MAX_TEXT)
    })
  })

/** A line as clients show it: `[2026-03-02 09:11:27,512] INFO in sync_devices job #1215: Devices selected`; times in UTC. */
export const lineText = ({ at, job, level, module, text }: ToldLine): string => {
  const time = new Date(at).toISOString().replace("T", " ").replace(".", ",").replace("Z", "")
  return `[${time}] ${level} in ${module}${job === null ? "" : ` job #${job}`}: ${text}`
}

/** Beside the loggers that there are. */
export const layer = Layer.unwrap(
  Effect.map(Told, (told) => Logger.layer([makeLogger(told)], { mergeWithExisting: true }))
)
