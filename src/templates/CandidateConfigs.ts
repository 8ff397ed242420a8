/**
 * Renders the configurations that devices should run, from the settings and templates in force and the database, which are read once for
 * many devices. A sync, a preview and the provisioning of a switch all render through here, so that all three mean the same configuration.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import { Remark } from "../domain/Repository.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { ActiveSettings } from "../settings/ActiveSettings.ts"
import type { SettingsSnapshot } from "../settings/SettingsSnapshot.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { NetworkStore } from "../store/NetworkStore.ts"
import { ActiveTemplates, type NoTemplates } from "./ActiveTemplates.ts"
import { type DerivedSecrets, noSecrets } from "./TemplateSecrets.ts"
import { makeRendererAside, NOT_AGAIN, type Render as RenderTemplate, Renderer } from "./Renderer.ts"
import { commonMessage, derivedIn, otherTask } from "./Provenance.ts"
import { configPreview, deviceTask, type RenderedDevice, type RenderTask } from "./Rendering.ts"
import {
  describeTemplateError,
  errorRemark,
  type RepoStructureError,
  TemplateError,
  type TemplateSnapshot
} from "./TemplateSnapshot.ts"
import { UndefinedPrints } from "./UndefinedPrints.ts"
import type { InitInputs, VariablesError } from "./VariableInputs.ts"
import { loadVariableInputs, type VariableRequest } from "./VariableInputsLoader.ts"

/** A device's configuration cannot be rendered. `type` and `message` are for the task list; the message may have several lines. */
export class RenderFailed extends Schema.TaggedError<RenderFailed>()("RenderFailed", {
  type: Schema.String,
  message: Schema.String,
  /** The place in a template, if a template failed. */
  place: Schema.optionalKey(Remark)
}) {}

/** No device can be rendered: no settings or no templates are in force. */
export class NothingToRender extends Schema.TaggedError<NothingToRender>()("NothingToRender", {
  message: Schema.String
}) {}

/** A configuration, and the templates that it was rendered from. */
export interface RenderedCandidate extends RenderedDevice {
  readonly snapshot: TemplateSnapshot
  /**
   * The secrets that the templates have derived in it. They cost a second rendering, so only code that stores or shows the text reads them.
   */
  readonly secrets: Effect.Effect<DerivedSecrets>
}

/** A device's configuration, or why there is none. */
export type Candidate = Result.Result<RenderedCandidate, RenderFailed>

/** The sources of a rendering; branch null is the repository's own ref. */
export interface Sources {
  readonly settings: SettingsSnapshot
  readonly templates: (branch: string | null) => Effect.Effect<TemplateSnapshot, NoTemplates | SqlError.SqlError>
}

/**
 * Renders one of the prepared devices, once: its inputs are released then, which matters for thousands of devices. All devices of one
 * preparation share a budget of processor time.
 */
export type Render = (device: Device) => Effect.Effect<Candidate>

const asFailed = (error: VariablesError | RepoStructureError | TemplateError): RenderFailed =>
  error._tag === "TemplateError"
    ? new RenderFailed({ type: error._tag, message: describeTemplateError(error), place: errorRemark(error) })
    : new RenderFailed({ type: error._tag, message: error.message })

/** The secrets that the templates have derived in the rendered text. */
const secretsIn = (render: RenderTemplate, task: RenderTask, text: string): Effect.Effect<DerivedSecrets> => {
  const other = otherTask(task)
  if (other === undefined) return Effect.succeed(noSecrets)
  return Effect.matchEffect(render(other), {
    onSuccess: (rendered) => Effect.succeed(derivedIn(text, rendered.text)),
    // its message about the other secrets reveals the true ones
    onFailure: () =>
      Effect.as(
        Effect.logWarning(
          `${task.file} of ${task.platform.name} cannot be rendered with other secrets, so only the secrets themselves are hidden in what is stored`
        ),
        noSecrets
      )
  })
}

/** The failure without texts that templates have derived from secrets. */
const hiddenFailure = (render: RenderTemplate, task: RenderTask, error: TemplateError) => {
  const saying = (sentence: string) => asFailed(new TemplateError({ ...error, sentence }))
  // sentences about limits quote nothing, and a rendering that took too long is not repeated
  const other = error.kind === "LimitExceeded" ? undefined : otherTask(task)
  if (other === undefined) return Effect.succeed(asFailed(error))
  return Effect.match(render(other), {
    onSuccess: () => saying("fails with the secrets that it is given, and not with others"),
    // a task that was not rendered again has no other secrets to compare with, and names a limit only
    onFailure: ({ sentence }) =>
      sentence === `${NOT_AGAIN}${error.sentence}` ? asFailed(error) : saying(commonMessage(error.sentence, sentence))
  })
}

const nothing = (error: { readonly _tag: string; readonly message: string } | SqlError.SqlError) =>
  SqlError.isSqlError(error) ? error : new NothingToRender({ message: error.message })

const make = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  const prints = yield* UndefinedPrints
  const { renderer } = yield* Renderer
  const services = yield* Effect.context<
    DeviceStore | NetworkStore | InterfaceStore | ServerConfig | SqlClient.SqlClient
  >()

  const branchOf = (snapshot: SettingsSnapshot, { device, init }: VariableRequest): string | null =>
    // the first configuration comes from the main branch, whatever group the new name belongs to
    init === undefined ? snapshot.layering.membership(device).primary.templates_branch : null

  /** Templates by branch; a missing branch of a group concerns the devices of that group alone. */
  const snapshotsOf = Effect.fnUntraced(function* (
    templatesOf: Sources["templates"],
    branches: ReadonlySet<string | null>
  ) {
    const found = new Map<string | null, Result.Result<TemplateSnapshot, RenderFailed>>()
    for (const branch of branches) {
      const snapshot = yield* Effect.result(templatesOf(branch))
      if (Result.isFailure(snapshot) && (branch === null || SqlError.isSqlError(snapshot.failure))) {
        return yield* snapshot.failure
      }
      found.set(
        branch,
        Result.mapError(snapshot, ({ _tag, message }) => new RenderFailed({ type: _tag, message }))
      )
    }
    return found
  })

  const prepareFrom = Effect.fn("CandidateConfigs.prepareFrom")(function* (
    { settings: active, templates: templatesOf }: Sources,
    requests: ReadonlyArray<VariableRequest>
  ) {
    const byBranch = yield* snapshotsOf(templatesOf, new Set(requests.map((request) => branchOf(active, request))))
    const { byDevice, site } = yield* Effect.provideContext(loadVariableInputs(active, requests), services)
    const branches = new Map(requests.map((request) => [request.device.id, branchOf(active, request)]))
    const renderTask = yield* renderer

    const renderPrepared = Effect.fnUntraced(function* (device: Device) {
      const inputs = byDevice.get(device.id)
      byDevice.delete(device.id)
      const snapshot = byBranch.get(branches.get(device.id) ?? null)
      if (inputs === undefined || snapshot === undefined) {
        return yield* new RenderFailed({ type: "NotPrepared", message: `${device.hostname} was not prepared` })
      }
      const used = yield* Effect.fromResult(snapshot)
      const ready = yield* Effect.mapError(Effect.fromResult(inputs), asFailed)
      const task = yield* Effect.mapError(Effect.fromResult(deviceTask(used, ready, site)), asFailed)
      const rendered = yield* Effect.catch(renderTask(task), (error) =>
        Effect.flip(hiddenFailure(renderTask, task, error))
      )
      const { variables, warnings } = task
      const secrets = secretsIn(renderTask, task, rendered.text)
      return { ...rendered, variables, warnings, snapshot: used, secrets } satisfies RenderedCandidate
    })

    const render: Render = (device) => Effect.result(renderPrepared(device))
    return render
  }, Effect.mapError(nothing))

  /** Renders from settings and templates in force; undefined variables are kept for those who look at them. */
  const prepare = Effect.fn("CandidateConfigs.prepare")(function* (requests: ReadonlyArray<VariableRequest>) {
    const active = yield* Effect.mapError(settings.snapshot, nothing)
    const render = yield* prepareFrom({ settings: active, templates: templates.snapshot }, requests)
    const note = ({ hostname, platform }: Device, candidate: Candidate) => {
      if (Result.isFailure(candidate)) return
      prints.note(hostname, candidate.success.snapshot, platform ?? "", candidate.success.undefinedPrints)
    }
    const noting: Render = (device) =>
      Effect.tap(render(device), (candidate) => Effect.sync(() => note(device, candidate)))
    return noting
  })

  const renderInit = Effect.fn("CandidateConfigs.renderInit")(function* (device: Device, init: InitInputs) {
    const prepared = yield* Effect.result(prepare([{ device, init }]))
    if (Result.isSuccess(prepared)) return yield* prepared.success(device)
    const error = prepared.failure
    if (SqlError.isSqlError(error)) return yield* error
    return Result.fail(new RenderFailed({ type: error._tag, message: error.message }))
  })

  return CandidateConfigs.of({
    prepare: (devices) => prepare(devices.map((device) => ({ device }))),
    prepareFrom: (sources, devices) =>
      prepareFrom(
        sources,
        devices.map((device) => ({ device }))
      ),
    renderInit
  })
})

/** Configurations of devices. */
export class CandidateConfigs extends Context.Service<
  CandidateConfigs,
  {
    /** Reads the inputs of these devices in a bounded number of queries. */
    readonly prepare: (devices: ReadonlyArray<Device>) => Effect.Effect<Render, NothingToRender | SqlError.SqlError>
    /** The same from settings and templates that need not be in force; nothing of it is kept or published. */
    readonly prepareFrom: (
      sources: Sources,
      devices: ReadonlyArray<Device>
    ) => Effect.Effect<Render, NothingToRender | SqlError.SqlError>
    /** The base configuration of a switch that is being provisioned, with its future name, type and addresses. */
    readonly renderInit: (device: Device, init: InitInputs) => Effect.Effect<Candidate, SqlError.SqlError>
  }
>()("switchyard/jobs/CandidateConfigs") {
  static readonly layer = Layer.effect(CandidateConfigs, make)
}

/** Configurations rendered in a thread of their own, whose priority is low: for work that nobody waits for. */
export const makeConfigsAside = Effect.flatMap(makeRendererAside, (renderer) =>
  Effect.provideService(make, Renderer, renderer)
)

// The configuration that a device would get, rendered exactly as a sync would, without contacting it
// (docs/templates.md#trying-templates).

/** The configuration cannot be rendered; `message` has no secrets and no prefix. */
export class PreviewFailed extends Schema.TaggedError<PreviewFailed>()("PreviewFailed", {
  message: Schema.String
}) {}

/** A rendered configuration with the variables for its templates; secrets are masked. Plain JSON. */
export interface Preview {
  readonly generated_config: string
  readonly available_variables: Readonly<Record<string, unknown>>
}

const makePreviews = Effect.gen(function* () {
  const configs = yield* CandidateConfigs
  const prepare = Effect.fn("Previews.prepare")(function* (device: Device) {
    const render = yield* configs
      .prepare([device])
      .pipe(
        Effect.mapError((error) => (SqlError.isSqlError(error) ? error : new PreviewFailed({ message: error.message })))
      )
    return Effect.gen(function* () {
      const rendered = yield* render(device)
      if (Result.isFailure(rendered)) {
        const { message, type } = rendered.failure
        return yield* new PreviewFailed({ message: `${type}: ${message}` })
      }
      const { available_variables, generated_config } = configPreview(
        device.hostname,
        rendered.success,
        yield* rendered.success.secrets
      )
      return { available_variables, generated_config } satisfies Preview
    })
  })
  return Previews.of({ prepare, generate: (device) => Effect.flatten(prepare(device)) })
})

/** Renders configurations for people. */
export class Previews extends Context.Service<
  Previews,
  {
    readonly generate: (device: Device) => Effect.Effect<Preview, PreviewFailed | SqlError.SqlError>
    /** Reads the present inputs; the rendering follows when its effect is run. */
    readonly prepare: (
      device: Device
    ) => Effect.Effect<Effect.Effect<Preview, PreviewFailed>, PreviewFailed | SqlError.SqlError>
  }
>()("switchyard/jobs/Previews") {
  static readonly layer = Layer.effect(Previews, makePreviews)
}
