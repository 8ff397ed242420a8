/**
 * Answers that do not end by themselves: how many may be open, for one caller and in all, and their end when the server stops, which would
 * wait for them (docs/events.md#limits).
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { eventSubscribers } from "../../runtime/metrics/EventMetrics.ts"

/** Browsers open one for each page that somebody has open. */
const MAX_OF_CALLER = 100
const MAX_IN_ALL = 1000

/** How long a stop waits for streams whose readers take their last message. */
const PATIENCE = "2 seconds"

/** Ends a stream; must not throw and not wait. */
export type End = () => void

const make = Effect.sync(() => {
  const open = new Map<string, Set<End>>()
  let count = 0
  let isStopping = false

  const enter = (caller: string, end: End): void => {
    open.set(caller, (open.get(caller) ?? new Set()).add(end))
    count += 1
    eventSubscribers.add(1, "sse")
    if (isStopping) end()
  }
  const leave = (caller: string, end: End): void => {
    const ends = open.get(caller)
    if (ends?.delete(end) === true) {
      count -= 1
      eventSubscribers.add(-1, "sse")
    }
    if (ends?.size === 0) open.delete(caller)
  }

  return OpenStreams.of({
    refusalOf: (caller) => {
      if ((open.get(caller)?.size ?? 0) >= MAX_OF_CALLER) return `You have ${MAX_OF_CALLER} streams open already`
      return count >= MAX_IN_ALL ? `${MAX_IN_ALL} streams are open already, try again later` : undefined
    },
    count: () => count,
    hold: (caller, end) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => enter(caller, end)),
          () => Effect.sync(() => leave(caller, end))
        )
      ),
    endAll: Effect.suspend(() => {
      isStopping = true
      for (const end of [...open.values()].flatMap((ends) => [...ends])) end()
      const gone = Effect.repeat(Effect.sleep("10 millis"), { until: () => count === 0 })
      return count === 0 ? Effect.void : Effect.ignore(Effect.timeout(gone, PATIENCE))
    })
  })
})

/** The streams that are open in this process. */
export class OpenStreams extends Context.Service<
  OpenStreams,
  {
    /** Why this caller may not open another stream now; undefined when they may. */
    readonly refusalOf: (caller: string) => string | undefined
    readonly count: () => number
    /** Counts a stream of this caller until the scope closes; `end` is called when the server stops. */
    readonly hold: (caller: string, end: End) => Effect.Effect<void, never, Scope.Scope>
    /** Ends all of them, and those that come later; waits for them a moment. */
    readonly endAll: Effect.Effect<void>
  }
>()("switchyard/http/core/OpenStreams") {
  static readonly layer = Layer.effect(OpenStreams, make)
}
