/**
 * Secrets of the environment as template variables, and how they are kept out of what people are shown
 * (docs/templates.md#secrets and docs/templates.md#composition). They are unwrapped here, on the way into the template engine,
 * and nowhere else.
 */
import { Redacted } from "effect"
import { replaceSecrets } from "../drivers/SecretMask.ts"
import type { TemplateVariables } from "./VariableInputs.ts"

const PREFIX = "TEMPLATE_SECRET_"
const MAPPING = "TEMPLATE_SECRET"
/** Stands in the place of a secret. */
export const HIDDEN = "<hidden>"

type Secrets = ReadonlyMap<string, Redacted.Redacted>

/** Each secret under its full name, and all of them under their short names in the mapping TEMPLATE_SECRET. */
export const secretVariables = (secrets: Secrets): ReadonlyArray<readonly [name: string, value: unknown]> => {
  const full = [...secrets].map(([name, value]) => [name, Redacted.value(value)] as const)
  return [...full, [MAPPING, new Map(full.map(([name, value]) => [name.slice(PREFIX.length), value]))]]
}

/** Whether a variable is a secret, or holds all of them. */
export const isSecretVariable = (name: string): boolean => name.startsWith(MAPPING)

const hide = (name: string, value: unknown): unknown => {
  if (name === MAPPING && value instanceof Map) return new Map([...value.keys()].map((key) => [key, HIDDEN]))
  return isSecretVariable(name) ? HIDDEN : value
}

/** The same variables with every secret replaced by `<hidden>`: what `generate_config` shows. */
export const hideSecrets = (variables: TemplateVariables): TemplateVariables =>
  new Map([...variables].map(([name, value]) => [name, hide(name, value)]))

/** A text of a template or of settings with `<hidden>` for each secret that it shows by its form; what a template prints is none. */
export const hideForms = (text: string): string =>
  replaceSecrets(text, (secret) => (/^["']?\{[{%]/.test(secret) ? secret : HIDDEN))

/** Shorter values would be found in the middle of harmless words. */
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
