/** Removes old jobs and what they have done while the server runs, and notes what is there (docs/operations.md#retention). */
import { Effect, Layer, Schedule } from "effect"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobRetention } from "../../store/JobRetention.ts"
import { RetainedFigures } from "../../store/RetainedFigures.ts"

const INTERVAL = "1 hour"

/** Works until the server stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* ServerConfig
    const retention = yield* JobRetention
    const figures = yield* RetainedFigures
    const pass = Effect.andThen(Effect.flatMap(retention.remove(config), figures.noteRemoved), figures.look)
    yield* pass.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old jobs could not be removed", cause)),
      Effect.repeat(Schedule.spaced(INTERVAL)),
      Effect.forkScoped
    )
  })
).pipe(Layer.provide(RetainedFigures.layer), Layer.provide(JobRetention.layer))
