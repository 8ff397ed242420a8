/**
 * Open streams, which have no end of their own: how many a caller, a person with all their tokens, and all callers may have, so that one
 * person cannot take them all; and their end at the shutdown, which would otherwise wait for them (docs/events.md#limits).
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { Identity } from "../../domain/access/Identity.ts"
import { mayHoldAnother } from "../../runtime/FairPlaces.ts"
import { eventSubscribers } from "../../runtime/metrics/Metrics.ts"

/** Browsers open one for each page. */
const MAX_OF_CALLER = 100
const MAX_IN_ALL = 1000

/** How long the shutdown waits for readers to receive their last message. */
const PATIENCE = "2 seconds"

/** Ends a stream; must neither throw nor wait. */
type End = () => void

const make = Effect.sync(() => {
  const open = new Map<string, Set<End>>()
  const ofPersons = new Map<string, number>()
  let count = 0
  let isStopping = false

  const keyOf = ({ name, way }: Identity): string => `${way} ${name}`

  const enter = (caller: Identity, end: End): void => {
    const key = keyOf(caller)
    open.set(key, (open.get(key) ?? new Set()).add(end))
    ofPersons.set(caller.person, (ofPersons.get(caller.person) ?? 0) + 1)
    count += 1
    eventSubscribers.add(1, "sse")
    if (isStopping) end()
  }
  const leave = (caller: Identity, end: End): void => {
    const ends = open.get(keyOf(caller))
    if (ends?.delete(end) === true) {
      count -= 1
      const left = (ofPersons.get(caller.person) ?? 1) - 1
      if (left === 0) ofPersons.delete(caller.person)
      else ofPersons.set(caller.person, left)
      eventSubscribers.add(-1, "sse")
    }
    if (ends?.size === 0) open.delete(keyOf(caller))
  }

  return OpenStreams.of({
    refusalOf: (caller) => {
      if ((open.get(keyOf(caller))?.size ?? 0) >= MAX_OF_CALLER) return `You have ${MAX_OF_CALLER} streams open already`
      if (count >= MAX_IN_ALL) return `${MAX_IN_ALL} streams are open already, try again later`
      const own = ofPersons.get(caller.person) ?? 0
      return mayHoldAnother({ own, all: count, most: MAX_IN_ALL })
        ? undefined
        : `You have ${own} streams open with all your tokens, and the others are for other people`
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
    /** Why this caller may not open another stream now; undefined if they may. */
    readonly refusalOf: (caller: Identity) => string | undefined
    readonly count: () => number
    /** Counts a stream of this caller until the scope closes; `end` is called when the server stops. */
    readonly hold: (caller: Identity, end: End) => Effect.Effect<void, never, Scope.Scope>
    /** Ends all streams, also later ones, and waits briefly for them. */
    readonly endAll: Effect.Effect<void>
  }
>()("switchyard/http/core/OpenStreams") {
  static readonly layer = Layer.effect(OpenStreams, make)
}

// Times of a stream of events, in milliseconds (docs/events.md#server-sent-events).

export interface StreamTimes {
  /** Silence after which a heartbeat is sent. */
  readonly heartbeat: number
  /** The interval at which the caller's permissions are read again. */
  readonly renewal: number
  /** The time after which the connection of a client that does not read is closed. */
  readonly stuck: number
}

/** Times of streams; tests replace them. */
export const StreamTimes = Context.Reference<StreamTimes>("switchyard/http/core/StreamTimes", {
  defaultValue: () => ({ heartbeat: 15_000, renewal: 60_000, stuck: 60_000 })
})
