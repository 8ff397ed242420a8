/** Removes events older than EVENT_DAYS while the server runs (docs/events.md#retention). */
import { Effect, Layer, Schedule } from "effect"
import { ServerConfig } from "../ServerConfig.ts"
import { EventRetention } from "../store/EventRetention.ts"

/** Often, so that little is removed at a time. */
const INTERVAL = "10 minutes"

/** Works until the server stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { EVENT_DAYS } = yield* ServerConfig
    const retention = yield* EventRetention
    if (EVENT_DAYS === 0) return
    yield* retention.remove(EVENT_DAYS).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old events could not be removed", cause)),
      Effect.repeat(Schedule.spaced(INTERVAL)),
      Effect.forkScoped
    )
  })
).pipe(Layer.provide(EventRetention.layer))
