/** What `generate_config` answers: the configuration and its variables, without secrets (docs/templates.md#composition). */
import type { RenderedDevice } from "./Rendering.ts"
import { replaceSecrets } from "../drivers/SecretMask.ts"
import { type DerivedSecrets, hideDerived, noSecrets } from "./DerivedSecrets.ts"
import { HIDDEN, hideSecrets, maskSecrets } from "./TemplateSecrets.ts"
import type { TemplateVariables } from "./VariableInputs.ts"

/** `data.config` of the answer. */
export interface ConfigPreview {
  readonly hostname: string
  readonly generated_config: string
  readonly available_variables: Readonly<Record<string, unknown>>
}

const isPlain = (value: unknown): value is object => typeof value === "object" && value !== null

/** A value as JSON shows it, without secrets in its texts; mappings become objects. */
const toJson = (value: unknown): unknown => {
  if (typeof value === "string") return replaceSecrets(value, () => HIDDEN)
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Map) return fromPairs(value)
  return isPlain(value) ? fromPairs(Object.entries(value)) : value
}

// Names come from repositories, so one of them may be `__proto__`; fromEntries makes it a key like any other.
const fromPairs = (pairs: Iterable<readonly [unknown, unknown]>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Array.from(pairs, ([key, value]) => [String(key), toJson(value)]))

/** Variables as people may see them, as plain JSON: secrets are replaced. */
export const shownVariables = (variables: TemplateVariables): Readonly<Record<string, unknown>> =>
  fromPairs(hideSecrets(variables))

/** A rendered configuration as people may see it; secrets are replaced in the variables and in the text. */
export const configPreview = (
  hostname: string,
  { text, variables }: RenderedDevice,
  derived: DerivedSecrets = noSecrets
): ConfigPreview => {
  const hidden = (shown: string) =>
    replaceSecrets(
      maskSecrets(
        hideDerived(shown, derived, () => HIDDEN),
        variables
      ),
      () => HIDDEN
    )
  const running = variables.get("running_config")
  const shown = typeof running === "string" ? new Map([...variables, ["running_config", hidden(running)]]) : variables
  return { hostname, generated_config: hidden(text), available_variables: shownVariables(shown) }
}
