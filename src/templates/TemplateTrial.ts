/**
 * The variables of a device, and templates tried with them before they are committed (docs/templates.md#trying-templates). Nothing
 * of it comes into force or is stored.
 */
import { Effect, Result, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import { replaceSecrets } from "../drivers/SecretMask.ts"
import * as ThreadPool from "../runtime/ThreadPool.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { ActiveSettings } from "../settings/ActiveSettings.ts"
import type { DeviceStore } from "../store/DeviceStore.ts"
import type { InterfaceStore } from "../store/InterfaceStore.ts"
import { ActiveTemplates } from "./ActiveTemplates.ts"
import { configurationTask, type RenderedText, type RenderTask, shownVariables, taskError } from "./Rendering.ts"
import { deviceVariables } from "./DeviceVariables.ts"
import { HIDDEN, hideSecrets, isSecretVariable } from "./TemplateSecrets.ts"
import {
  errorRemark,
  type RepoStructureError,
  type TemplateError,
  type TemplatePlatform,
  type TemplateSnapshot
} from "./TemplateSnapshot.ts"
import type { TemplateVariables, VariablesError } from "./VariableInputs.ts"
import { loadVariableInputs } from "./VariableInputsLoader.ts"
import type { EffectiveSettings } from "../settings/Layering.ts"
import { originLevel, type SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { placesIn as settingPlacesIn } from "../settings/SettingsProblem.ts"
import { markTemplate, placesIn, type TracedLine } from "./LinePlaces.ts"
import { cellsPerMegabyte, type Failure } from "../jinja/Jinja.ts"
import { ownModule } from "../runtime/OwnModule.ts"
import { packRequest, RenderRpc, unpackAnswer } from "./RenderRpc.ts"
import type { NetworkStore } from "../store/NetworkStore.ts"
import { type DeviceVariable, Remark, remark, type VariableSource } from "../domain/Repository.ts"

// Renders a text that was just written and not checked: in threads of its own, so that no job waits for it, under the budget of one device,
// and with marks in the place of secrets, so that no template can reveal them.

/** The engine stops a rendering; if it does not, the thread is ended so many milliseconds later. */
const GRACE_MILLIS = 1_000
const MOST_MILLIS = 5_000
const MOST_OUTPUT = 2 * 1024 * 1024

const THREADS = {
  name: "live render",
  threads: 1,
  waiting: 8,
  program: ownModule("./renderMain", import.meta.url),
  megabytes: 512
}

const SENTENCES = { time: "rendering took too long", memory: "rendering needed too much memory" } as const

/**
 * Renders texts that are not in force. The result has `<hidden>` in the place of each secret. Fails with ThreadsBusy if too many others
 * wait.
 */
const makeLiveRender = Effect.gen(function* () {
  const { RENDER_DEVICE_SECONDS, RENDER_MEMORY } = yield* ServerConfig
  const threads = yield* ThreadPool.make(RenderRpc, THREADS)
  const limits = {
    deadline: Math.min(RENDER_DEVICE_SECONDS * 1000, MOST_MILLIS),
    cells: RENDER_MEMORY * cellsPerMegabyte,
    output: MOST_OUTPUT
  }
  // each text is new, so compiled templates cannot be reused
  let number = 0

  return Effect.fn("TemplateTrial.renderLive")(function* (
    task: RenderTask
  ): Effect.fn.Return<RenderedText, TemplateError | ThreadPool.ThreadsBusy> {
    const masked = { ...task, variables: hideSecrets(task.variables) }
    number += 1
    const { file, platform, variables } = masked
    const request = packRequest({ platform: number, files: platform.files, file, variables, limits })
    const { result } = yield* threads
      .run({ cpuMillis: limits.deadline + GRACE_MILLIS }, (client) => client.Render({ request }))
      .pipe(
        Effect.map(unpackAnswer),
        Effect.catchTag("CalculationStopped", ({ message, reason }) =>
          Effect.succeed({ result: { ok: false, failure: stopped(task.file, reason, message) } as const })
        )
      )
    return result.ok ? result.value : yield* taskError(masked, result.failure)
  })
})

const stopped = (file: string, reason: "time" | "memory" | "ended", message: string): Failure => ({
  kind: "LimitExceeded",
  message: reason === "ended" ? message : SENTENCES[reason],
  position: { template: file, line: 1, column: 1 },
  via: []
})

// The origin of each template variable of a device: the lines of the settings files that set it, the database, or the server
// (docs/templates.md#trying-templates). Pure.

interface Origins {
  readonly snapshot: SettingsSnapshot
  readonly effective: EffectiveSettings
  readonly override: Readonly<Record<string, unknown>>
}

const sourceOf = (
  name: string,
  value: unknown,
  settings: ReadonlyMap<string, unknown>,
  { effective, override }: Origins
): VariableSource => {
  if (Object.hasOwn(override, name) && name !== "host") return "override"
  if (isSecretVariable(name)) return "secret"
  if (!settings.has(name)) return "database"
  if (settings.get(name) === value) return "settings"
  return effective.sources.has(name) ? "computed" : "database"
}

const placesOf = (name: string, { effective, snapshot }: Origins): DeviceVariable["places"] =>
  (effective.sources.get(name) ?? []).map((file) => {
    const place = settingPlacesIn(snapshot.files.get(file)?.text ?? "")([name], true)
    return { file, line: place?.exact === true ? place.line : null }
  })

/** The variables with their origins, by name; `shown` are the same variables for people. */
const withOrigins = (
  variables: TemplateVariables,
  shown: Readonly<Record<string, unknown>>,
  origins: Origins
): ReadonlyArray<DeviceVariable> => {
  const settings = new Map<string, unknown>(Object.entries(origins.effective.settings))
  return [...variables]
    .map(([name, value]) => {
      const source = sourceOf(name, value, settings, origins)
      const isOfSettings = source === "settings" || source === "computed"
      const origin = isOfSettings ? origins.effective.origins.get(name) : undefined
      return {
        name,
        value: shown[name],
        source,
        // a setting that no file sets has the value of the model
        level: isOfSettings ? originLevel(origin ?? "default") : null,
        places: isOfSettings ? placesOf(name, origins) : []
      }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** It cannot be rendered; `problems` have the places. It contains no secrets. */
export class TrialFailed extends Schema.TaggedError<TrialFailed>()("TrialFailed", {
  message: Schema.String,
  problems: Schema.Array(Remark)
}) {}

/** The subject of a trial: a template of the device's platform, a text in its place or on its own, or the whole configuration with it. */
interface Trial {
  /** Path in the platform's directory. */
  readonly template?: string
  readonly text?: string
  /** The device's own entry point is rendered, with the text in the place of the template. */
  readonly whole?: boolean
}

/** The result of a trial. `template` is the rendered one, null for a text on its own. */
interface TrialResult {
  readonly template: string | null
  readonly text: string
  readonly log: ReadonlyArray<{ readonly level: string; readonly text: string }>
  /** Places that printed undefined values as nothing. */
  readonly warnings: ReadonlyArray<Remark>
}

/** The sources of a device's rendering. */
interface VariablesOfDevice {
  readonly group: string
  /** Branch of the templates; null is the repository's own. */
  readonly branch: string | null
  readonly platform: string | null
  /** The entry point of its configuration, a path in the repository; null without one. */
  readonly template: string | null
  readonly variables: ReadonlyArray<DeviceVariable>
}

/** A rendered configuration with its origins. `files` are the templates of the platform, `settings` the files of the settings. */
interface TracedConfig {
  readonly platform: string
  /** Branch of the templates; null is the repository's own. */
  readonly branch: string | null
  readonly files: ReadonlyMap<string, string>
  readonly settings: ReadonlyMap<string, { readonly text: string }>
  readonly lines: ReadonlyArray<TracedLine>
}

/** Stands for a text without a file. No file has this name. */
const TEXT = "(text)"

const failed = (error: { readonly message: string }) =>
  new TrialFailed({ message: error.message, problems: [remark(error.message)] })

const failedAt = (own: string | null) => (error: TemplateError | RepoStructureError) => {
  const place = errorRemark(error)
  return new TrialFailed({ message: error.message, problems: [{ ...place, file: fileOf(own, place.file) }] })
}

/** A text on its own has no file. */
const fileOf = (own: string | null, file: string | null): string | null =>
  file === null || file === `${own ?? ""}/${TEXT}` ? null : file

/** A template with marks; other files of the platform as they are. */
const markedFile = (text: string, name: string, number: number): readonly [name: string, text: string] => [
  name,
  name.endsWith(".j2") ? markTemplate(text, number) : text
]

const unavailable = (error: { readonly _tag: string; readonly message: string } | SqlError.SqlError) =>
  SqlError.isSqlError(error) ? error : failed(error)

/** Trials of templates: the variables of a device, and renderings with them in threads that live as long as the scope. */
export const makeTemplateTrial = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  const renderLive = yield* makeLiveRender
  const { SETTINGS_OVERRIDE } = yield* ServerConfig
  const services = yield* Effect.context<
    DeviceStore | NetworkStore | InterfaceStore | ServerConfig | SqlClient.SqlClient
  >()

  const variablesOf = Effect.fnUntraced(function* (device: Device) {
    const snapshot = yield* settings.snapshot
    const { byDevice, site } = yield* Effect.provideContext(loadVariableInputs(snapshot, [{ device }]), services)
    const loaded = byDevice.get(device.id) ?? Result.fail<VariablesError | { readonly message: string }>(NOT_LOADED)
    const inputs = yield* Effect.fromResult(loaded).pipe(Effect.mapError(failed))
    const { variables } = yield* Effect.fromResult(deviceVariables(inputs, site)).pipe(Effect.mapError(failed))
    return { snapshot, variables }
  })

  /** The templates for the device; the platform is undefined without templates for it. */
  const templatesOf = Effect.fnUntraced(function* (device: Device) {
    const { primary } = yield* settings.membership(device)
    const branch = primary.templates_branch
    const snapshot = yield* templates.snapshot(branch)
    return { group: primary.name, branch, snapshot, platform: snapshot.platforms.get(device.platform ?? "") }
  })

  const entryOf = (snapshot: TemplateSnapshot, device: Device) =>
    configurationTask(snapshot, device.platform ?? "None", device.device_type, new Map())

  /** The variables that the templates of this device get, with their origins; secrets are hidden. */
  const variables = Effect.fn("TemplateTrial.variables")(function* (
    device: Device
  ): Effect.fn.Return<
    VariablesOfDevice,
    Effect.Error<ReturnType<typeof templatesOf>> | Effect.Error<ReturnType<typeof variablesOf>>
  > {
    const { branch, group, snapshot: templateSnapshot } = yield* templatesOf(device)
    const { snapshot, variables } = yield* variablesOf(device)
    const effective = yield* settings.ofDevice(device)
    const origins = { snapshot, effective, override: SETTINGS_OVERRIDE ?? {} }
    const entry = Result.getOrUndefined(entryOf(templateSnapshot, device))
    return {
      group,
      branch,
      platform: device.platform,
      template: entry === undefined ? null : `${entry.platform.name}/${entry.file}`,
      variables: withOrigins(variables, shownVariables(variables), origins)
    }
  }, Effect.mapError(unavailable))

  /** The task of a trial, with the requested file. */
  const taskOf = (
    snapshot: TemplateSnapshot,
    platform: TemplatePlatform,
    device: Device,
    { template, text, whole = false }: Trial
  ): Result.Result<Omit<RenderTask, "variables">, TrialFailed> => {
    const file = template ?? TEXT
    if (template !== undefined && text === undefined && !platform.files.has(template)) {
      return Result.fail(failed({ message: `There is no template ${template} for platform ${platform.name}` }))
    }
    const files = text === undefined ? platform.files : new Map([...platform.files, [file, text]])
    const used = { ...platform, files }
    if (!whole && (template !== undefined || text !== undefined)) return Result.succeed({ platform: used, file })
    return Result.mapBoth(entryOf(snapshot, device), {
      onFailure: failedAt(platform.name),
      onSuccess: (entry) => ({ platform: used, file: entry.file })
    })
  }

  /** Renders a text with them. The result is neither stored nor used. */
  const render = Effect.fn("TemplateTrial.render")(function* (
    device: Device,
    trial: Trial
  ): Effect.fn.Return<TrialResult, TrialFailed | ThreadPool.ThreadsBusy | SqlError.SqlError> {
    const { platform, snapshot } = yield* Effect.mapError(templatesOf(device), unavailable)
    if (platform === undefined) {
      return yield* failed({ message: `There are no templates for platform ${device.platform ?? "None"}` })
    }
    const { variables } = yield* Effect.mapError(variablesOf(device), unavailable)
    const task = yield* Effect.fromResult(taskOf(snapshot, platform, device, trial))
    const rendered = yield* renderLive({ ...task, variables }).pipe(
      Effect.mapError((error) => (error._tag === "ThreadsBusy" ? error : failedAt(platform.name)(error)))
    )
    const place = (template: string) => (template === TEXT ? null : `${platform.name}/${template}`)
    return {
      template: place(task.file),
      text: replaceSecrets(rendered.text, () => HIDDEN),
      log: rendered.log.map(({ level, text }) => ({ level, text })),
      warnings: rendered.undefinedPrints.map(({ at, message }) =>
        remark(message, { file: place(at.template), line: at.line, column: at.column })
      )
    }
  })

  /** The device's configuration from what is in force, with the template lines that wrote each line; secrets are hidden. */
  const trace = Effect.fn("TemplateTrial.trace")(function* (
    device: Device
  ): Effect.fn.Return<TracedConfig, TrialFailed | ThreadPool.ThreadsBusy | SqlError.SqlError> {
    const { branch, platform, snapshot } = yield* Effect.mapError(templatesOf(device), unavailable)
    if (platform === undefined) return yield* failed({ message: `There are no templates for ${device.hostname}` })
    const { snapshot: settingsNow, variables } = yield* Effect.mapError(variablesOf(device), unavailable)
    const task = yield* Effect.fromResult(taskOf(snapshot, platform, device, { whole: true }))
    const names = [...platform.files.keys()]
    const marked = new Map(names.map((name, number) => markedFile(platform.files.get(name) ?? "", name, number)))
    const hidden = (text: string) => replaceSecrets(text, () => HIDDEN)
    const atPlace = (error: TemplateError | ThreadPool.ThreadsBusy) =>
      error._tag === "ThreadsBusy" ? error : failedAt(platform.name)(error)
    const plain = yield* Effect.mapError(renderLive({ ...task, variables }), atPlace)
    // a template that takes the marks for its own text may fail
    const second = yield* renderLive({ ...task, platform: { ...platform, files: marked }, variables }).pipe(
      Effect.map(({ text }) => text),
      Effect.catch((error) => (error._tag === "ThreadsBusy" ? Effect.fail(error) : Effect.succeed("")))
    )
    return {
      platform: platform.name,
      branch,
      files: platform.files,
      settings: settingsNow.files,
      lines: placesIn(plain.text, second, names).map(({ places, text }) => ({ text: hidden(text), places }))
    }
  })

  return { variables, render, trace }
})

const NOT_LOADED = { message: "The device was not found any more" }
