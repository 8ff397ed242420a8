/**
 * Secrets of the environment as template variables, and their removal from texts for people (docs/templates.md#secrets and
 * docs/templates.md#composition). They are unwrapped only here, on the way into the template engine.
 */
import { Redacted, Schema } from "effect"
import { replaceSecrets } from "../drivers/SecretMask.ts"
import type { TemplateVariables } from "./VariableInputs.ts"

const PREFIX = "TEMPLATE_SECRET_"
const MAPPING = "TEMPLATE_SECRET"
/** The replacement of a secret. */
export const HIDDEN = "<hidden>"

type Secrets = ReadonlyMap<string, Redacted.Redacted>

/** Each secret with its full name, and all of them with their short names in the mapping TEMPLATE_SECRET. */
export const secretVariables = (secrets: Secrets): ReadonlyArray<readonly [name: string, value: unknown]> => {
  const full = [...secrets].map(([name, value]) => [name, Redacted.value(value)] as const)
  return [...full, [MAPPING, new Map(full.map(([name, value]) => [name.slice(PREFIX.length), value]))]]
}

/** Whether a variable is a secret, or contains all of them. */
export const isSecretVariable = (name: string): boolean => name.startsWith(MAPPING)

const hide = (name: string, value: unknown): unknown => {
  if (name === MAPPING && value instanceof Map) return new Map([...value.keys()].map((key) => [key, HIDDEN]))
  return isSecretVariable(name) ? HIDDEN : value
}

/** The same variables with every secret replaced by `<hidden>`, as `generate_config` shows them. */
export const hideSecrets = (variables: TemplateVariables): TemplateVariables =>
  new Map([...variables].map(([name, value]) => [name, hide(name, value)]))

/**
 * A text of a template or of settings, with `<hidden>` for each secret that its form reveals; text that a template prints is no secret by
 * its form.
 */
export const hideForms = (text: string): string =>
  replaceSecrets(text, (secret) => (/^["']?\{[{%]/.test(secret) ? secret : HIDDEN))

/** Shorter values would be found within harmless words. */
const SHORTEST = 4

const secretValues = (variables: TemplateVariables): ReadonlyArray<string> =>
  [...variables]
    .flatMap(([name, value]) => (name === MAPPING && value instanceof Map ? [...value.values()] : [value]))
    .filter((value) => typeof value === "string")

/**
 * The text with every value of a secret among the variables replaced by `<hidden>`, the longest first: for errors and for
 * configurations that are shown. Values of fewer than four characters stay.
 */
export const maskSecrets = (text: string, variables: TemplateVariables): string => {
  const secrets = new Map([...variables].filter(([name]) => isSecretVariable(name)))
  return secretValues(secrets)
    .filter((value) => value.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)
    .reduce((masked, value) => masked.replaceAll(value, HIDDEN), text)
}

// Texts that templates have derived from secrets, in whatever way (docs/security.md#what-is-stored): found by a second rendering with other
// secrets of the same shape, because the differences are secret. Pure.

/** A line without its indentation, of which the part from `from` to `to` is secret. */
export const SecretLine = Schema.Struct({ line: Schema.String, from: Schema.Int, to: Schema.Int })
export type SecretLine = typeof SecretLine.Type

export const DerivedSecrets = Schema.Struct({
  /** Texts that are secret wherever they stand. */
  values: Schema.Array(Schema.String),
  lines: Schema.Array(SecretLine)
})
export type DerivedSecrets = typeof DerivedSecrets.Type

/** For templates without secrets. */
export const noSecrets: DerivedSecrets = { values: [], lines: [] }

/** The number that is kept of a device: an undo brings back earlier ones. */
const MOST = 500

/** The present and earlier secrets, the newest first. */
export const together = (now: DerivedSecrets, before: DerivedSecrets): DerivedSecrets => ({
  values: [...new Set([...now.values, ...before.values])].slice(0, MOST),
  lines: [...new Map([...before.lines, ...now.lines].map((line) => [line.line, line])).values()].slice(-MOST)
})

/** The beginning of a line: its indentation, and its sign in a difference. */
const BEFORE = /^[+-]?\s*$/

/** The text with `shown` wherever `line` is the whole content of a line. Most texts have at most one, so that no other line is copied. */
const replaceLine = (text: string, line: string, shown: string): string => {
  let done = ""
  let rest = 0
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + line.length)) {
    const end = at + line.length
    const next = text.indexOf("\n", end)
    const before = text.slice(at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1, at)
    const after = text.slice(end, next < 0 ? text.length : next)
    if (!BEFORE.test(before) || after.trim() !== "") continue
    done += text.slice(rest, at) + shown
    rest = end
  }
  return done + text.slice(rest)
}

/** A configuration or a difference, with these lines and values hidden: `mark` yields the replacement of a secret. */
export const hideDerived = (
  text: string,
  { lines, values }: DerivedSecrets,
  mark: (secret: string) => string
): string => {
  const withoutLines = lines.reduce(
    (rest, { from, line, to }) =>
      rest.includes(line)
        ? replaceLine(rest, line, line.slice(0, from) + mark(line.slice(from, to)) + line.slice(to))
        : rest,
    text
  )
  return values
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, value) => (rest.includes(value) ? rest.replaceAll(value, mark(value)) : rest), withoutLines)
}
