/**
 * Renders from a snapshot: the whole configuration of a device, or one of the templates with a fixed name. Pure; every failure is a value
 * with template, line and column, and its sentence contains no secrets. `Renderer` carries the renderings out, within bounds of time and
 * memory (docs/templates.md#the-language).
 */
import { Result } from "effect"
import type { Failure, LogEntry, UndefinedPrint } from "../jinja/Jinja.ts"
import { deviceVariables } from "./DeviceVariables.ts"
import {
  MAPPING_FILE,
  type MappingEntry,
  platformOf,
  RepoStructureError,
  type TemplateError,
  templateError,
  type TemplatePlatform,
  type TemplateSnapshot
} from "./TemplateSnapshot.ts"
import {
  type DerivedSecrets,
  HIDDEN,
  hideDerived,
  hideForms,
  hideSecrets,
  maskSecrets,
  noSecrets
} from "./TemplateSecrets.ts"
import type { SiteInputs, TemplateVariables, VariableInputs, VariablesError } from "./VariableInputs.ts"
import { replaceSecrets } from "../drivers/SecretMask.ts"

/** A rendered text, with what the templates asked to be logged. */
export interface RenderedText {
  readonly text: string
  readonly log: ReadonlyArray<LogEntry>
  /** Where undefined values were printed as nothing; templates are named by their path in the platform's directory. */
  readonly undefinedPrints: ReadonlyArray<UndefinedPrint>
}

/** Templates with fixed names, all from the main checkout (docs/templates.md#files). */
export type FixedTemplate = "hostname.j2" | "bounce-down.j2" | "bounce-up.j2"

/** One file of a platform, and the variables for its rendering. */
export interface RenderTask {
  readonly platform: TemplatePlatform
  readonly file: string
  readonly variables: TemplateVariables
}

/** Why a task failed, in words for people. */
export const taskError = ({ platform, variables }: RenderTask, failure: Failure): TemplateError => {
  const { files, name } = platform
  return templateError(
    failure,
    name,
    (template) => files.get(template),
    (text) => hideForms(maskSecrets(text, variables))
  )
}

/** The mapping's entry for a device type. Fails with RepoStructureError. */
const mappingEntryOf = (
  snapshot: TemplateSnapshot,
  platformName: string,
  deviceType: string
): Result.Result<{ readonly platform: TemplatePlatform; readonly entry: MappingEntry }, RepoStructureError> =>
  Result.flatMap(platformOf(snapshot, platformName), ({ mapping, platform }) => {
    const entry = mapping.get(deviceType)
    if (entry !== undefined) return Result.succeed({ platform, entry })
    const message = `KeyError: '${deviceType}' not found in ${platform.directory}/${MAPPING_FILE}`
    return Result.fail(new RepoStructureError({ message }))
  })

/** The whole configuration of a device of this platform and type, from its mapping's entry point. */
export const configurationTask = (
  snapshot: TemplateSnapshot,
  platformName: string,
  deviceType: string,
  variables: TemplateVariables
): Result.Result<RenderTask, RepoStructureError> =>
  Result.map(mappingEntryOf(snapshot, platformName, deviceType), ({ entry, platform }) => ({
    platform,
    file: entry.entrypoint,
    variables
  }))

/** A template with a fixed name; its variables are few, such as `host` and `interfaces` (names) for a bounce. */
export const fixedTask = (
  snapshot: TemplateSnapshot,
  platformName: string,
  file: FixedTemplate,
  variables: Readonly<Record<string, unknown>>
): Result.Result<RenderTask, RepoStructureError> => {
  const platform = snapshot.platforms.get(platformName)
  if (platform === undefined || !platform.files.has(file)) {
    const message = `File ${snapshot.root}/${platformName}/${file} not found in template repo`
    return Result.fail(new RepoStructureError({ message }))
  }
  return Result.succeed({ platform, file, variables: new Map(Object.entries(variables)) })
}

/** A device's configuration and its variables, with secrets in clear text, and remarks for the log. */
export interface RenderedDevice extends RenderedText {
  readonly variables: TemplateVariables
  readonly warnings: ReadonlyArray<string>
}

/** The rendering of a device's configuration, with remarks for the log. */
interface DeviceTask extends RenderTask {
  readonly warnings: ReadonlyArray<string>
}

/** The configuration of a device from its rows and settings: for a sync, a preview, or with `inputs.init` for init step 1. */
export const deviceTask = (
  snapshot: TemplateSnapshot,
  inputs: VariableInputs,
  site: SiteInputs
): Result.Result<DeviceTask, VariablesError | RepoStructureError> =>
  Result.gen(function* () {
    const { variables, warnings } = yield* deviceVariables(inputs, site)
    const { device, init } = inputs
    const platform = device.platform ?? "None"
    const type = init?.device_type ?? device.device_type
    return { ...(yield* configurationTask(snapshot, platform, type, variables)), warnings }
  })

// The answer of `generate_config`: the configuration and its variables, without secrets (docs/templates.md#composition).

/** `data.config` of the answer. */
interface ConfigPreview {
  readonly hostname: string
  readonly generated_config: string
  readonly available_variables: Readonly<Record<string, unknown>>
}

const isPlain = (value: unknown): value is object => typeof value === "object" && value !== null

/** A value as plain JSON, without secrets in its texts; mappings become objects. */
const toJson = (value: unknown): unknown => {
  if (typeof value === "string") return replaceSecrets(value, () => HIDDEN)
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Map) return fromPairs(value)
  return isPlain(value) ? fromPairs(Object.entries(value)) : value
}

// Names come from repositories, so one of them may be `__proto__`; fromEntries makes it a key like any other.
const fromPairs = (pairs: Iterable<readonly [unknown, unknown]>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Array.from(pairs, ([key, value]) => [String(key), toJson(value)]))

/** Variables for people, as plain JSON: secrets are replaced. */
export const shownVariables = (variables: TemplateVariables): Readonly<Record<string, unknown>> =>
  fromPairs(hideSecrets(variables))

/** A rendered configuration for people; secrets are replaced in the variables and in the text. */
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
