/**
 * The configuration that a device would get, rendered exactly as a sync would, without contacting it
 * (docs/templates.md#trying-templates).
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { configPreview } from "../../templates/Rendering.ts"
import { CandidateConfigs } from "./CandidateConfigs.ts"

/** The configuration cannot be rendered; `message` has no secrets and no prefix. */
export class PreviewFailed extends Schema.TaggedError<PreviewFailed>()("PreviewFailed", {
  message: Schema.String
}) {}

/** A rendered configuration with the variables that templates saw; secrets are masked. Plain JSON. */
export interface Preview {
  readonly generated_config: string
  readonly available_variables: Readonly<Record<string, unknown>>
}

const make = Effect.gen(function* () {
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
    /** Reads what it takes, as it is now; the rendering follows when its effect is run. */
    readonly prepare: (
      device: Device
    ) => Effect.Effect<Effect.Effect<Preview, PreviewFailed>, PreviewFailed | SqlError.SqlError>
  }
>()("switchyard/jobs/Previews") {
  static readonly layer = Layer.effect(Previews, make)
}
