/** How the parts of a log message become text: its sentences, its details as `key=value`, what went wrong. */
import { Formatter } from "effect"

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
