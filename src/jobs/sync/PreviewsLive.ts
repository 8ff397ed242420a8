/** Renders previews exactly as a sync would render, without secrets. */
import { Effect, Layer, Result } from "effect"
import { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { CandidateConfigs } from "./CandidateConfigs.ts"
import { configPreview } from "../../templates/ConfigPreview.ts"
import { PreviewFailed, Previews } from "./Previews.ts"

const make = Effect.gen(function* () {
  const configs = yield* CandidateConfigs
  return Previews.of({
    generate: Effect.fn("Previews.generate")(function* (device: Device) {
      const render = yield* configs
        .prepare([device])
        .pipe(
          Effect.mapError((error) =>
            SqlError.isSqlError(error) ? error : new PreviewFailed({ message: error.message })
          )
        )
      const rendered = yield* render(device)
      if (Result.isFailure(rendered)) {
        const { message, type } = rendered.failure
        return yield* new PreviewFailed({ message: `${type}: ${message}` })
      }
      const { available_variables, generated_config } = configPreview(device.hostname, rendered.success)
      return { available_variables, generated_config }
    })
  })
})

export const layer = Layer.effect(Previews, make)
