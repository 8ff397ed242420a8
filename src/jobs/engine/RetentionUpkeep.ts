/** Removes old jobs and what they have done while the server runs, stores texts once, and notes what is there (docs/operations.md#retention). */
import { Effect, Layer, Schedule } from "effect"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobRetention } from "../../store/JobRetention.ts"
import { SecretKey } from "../../runtime/SecretKey.ts"
import { RetainedFigures } from "../../store/RetainedFigures.ts"
import { SecretTexts } from "../../store/SecretTexts.ts"
import { TextPacking } from "../../store/TextPacking.ts"

const INTERVAL = "1 hour"

/** Works until the server stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const retention = yield* JobRetention
    const figures = yield* RetainedFigures
    const { pack } = yield* TextPacking
    yield* retention.remove(config).pipe(
      Effect.tap(() => Effect.andThen(pack, figures.look)),
      Effect.flatMap(figures.noteRemoved),
      Effect.catchCause((cause) => Effect.logWarning("Old jobs could not be removed", cause)),
      Effect.repeat(Schedule.spaced(INTERVAL)),
      Effect.forkScoped
    )
  })
).pipe(
  Layer.provide([RetainedFigures.layer, TextPacking.layer]),
  Layer.provide([JobRetention.layer, SecretTexts.layer]),
  Layer.provide(SecretKey.layer)
)
