/** Tells the steps of the live actors of devices (docs/events.md#what-is-told) while somebody listens. */
import { Clock, Effect, Layer } from "effect"
import { LiveFeed } from "../runtime/LiveFeed.ts"
import { ActorInspection } from "./ActorInspection.ts"

const make = Effect.gen(function* () {
  const told = yield* LiveFeed
  const inspection = yield* ActorInspection
  const clock = yield* Clock.Clock
  const subscribe = inspection.subscribe(({ device: hostname, event, job, machine, state }) =>
    told.tell({ kind: "step", at: clock.currentTimeMillisUnsafe(), hostname, job, machine, event, state })
  )
  yield* Effect.forkScoped(told.whileHeard(subscribe))
})

export const layer = Layer.effectDiscard(make)
