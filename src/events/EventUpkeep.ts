/** Removes events older than EVENT_DAYS while the server runs (docs/events.md#retention). */
import { Duration, Effect, Layer, Schedule } from "effect"
import { ServerConfig } from "../ServerConfig.ts"
import { EventRetention } from "../store/EventRetention.ts"

/** Seconds, at most: often, so that little is removed at a time. */
const LONGEST = 600

/** Works until the server stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { EVENT_DAYS, UPKEEP_INTERVAL } = yield* ServerConfig
    const retention = yield* EventRetention
    if (EVENT_DAYS === 0) return
    yield* retention.remove(EVENT_DAYS).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old events could not be removed", cause)),
      Effect.repeat(Schedule.spaced(Duration.seconds(Math.min(UPKEEP_INTERVAL, LONGEST)))),
      Effect.forkScoped
    )
  })
).pipe(Layer.provide(EventRetention.layer))
