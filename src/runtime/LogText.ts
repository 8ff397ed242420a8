/** How the parts of a log message become text: its sentences, its details as `key=value`, what went wrong. */
import { Cause, Formatter } from "effect"

/** Something that holds up all work alike, which the log has said once: a line for each work that meets it would hide all others. */
export class ToldOnce extends Error {}

const isToldOnce = (error: unknown): boolean => {
  if (error instanceof ToldOnce) return true
  if (typeof error !== "object" || error === null) return false
  return ("reason" in error && isToldOnce(error.reason)) || ("cause" in error && isToldOnce(error.cause))
}

/** Whether a line has no other cause than what the log has said already. */
export const isToldAlready = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.length > 0 &&
  cause.reasons.every((reason) =>
    Cause.isFailReason(reason) ? isToldOnce(reason.error) : Cause.isDieReason(reason) && isToldOnce(reason.defect)
  )

/** True for the details that stand beside a message: `Effect.logInfo("Job ended", { status })`. */
const isDetails = (part: unknown): part is object =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype

/** A value as text. */
const shown = (value: unknown): string => (typeof value === "string" ? value : Formatter.format(value))

const quoted = (text: string): string => (/[\s"=]/.test(text) ? JSON.stringify(text) : text)

/** `key=value` pairs; a key that is taken gets `_` behind it, so that none stands twice in a line. */
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
