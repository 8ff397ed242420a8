/** Calls to one device take turns, in the order in which they came; those that wait can be seen. */
import { Clock, Effect, Semaphore } from "effect"
import type { DeviceCall } from "../../machines/device/DeviceLifecycle.ts"

/** The turns of one device. */
export interface DeviceTurns {
  /** Does the work when it is its turn. */
  readonly take: <A, E, R>(
    call: Pick<DeviceCall, "name" | "job">,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** The calls that wait, and since when, the first in front. */
  readonly waiting: () => ReadonlyArray<DeviceCall>
}

/** Turns of a device that nobody calls yet. */
export const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const turn = Semaphore.makeUnsafe(1)
  const waiting = new Set<DeviceCall>()

  const take: DeviceTurns["take"] = (call, work) =>
    Effect.suspend(() => {
      const entry = { ...call, since: clock.currentTimeMillisUnsafe() }
      waiting.add(entry)
      const served = Effect.suspend(() => {
        waiting.delete(entry)
        return work
      })
      return Effect.onInterrupt(turn.withPermit(served), () => Effect.sync(() => waiting.delete(entry)))
    })

  return { take, waiting: () => [...waiting] } satisfies DeviceTurns
})
