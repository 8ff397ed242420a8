/**
 * New events of the log (docs/events.md): one reader in each process passes each event once, in the order of the log, to all followers.
 * It polls the log while there is a follower, because a notification of every process at each commit would delay other commits.
 */
import { Context, Duration, Effect, Latch, Layer, Schedule, type Scope, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import { failingWithoutDatabase, waitingForDatabase } from "../store/DatabaseClient.ts"
import { EventStore, makeEventRetention } from "../store/EventStore.ts"
import { ServerConfig } from "../ServerConfig.ts"
import type { LiveEvent } from "../domain/events/Event.ts"
import { eventsTold, noteHandedOn } from "../runtime/metrics/Metrics.ts"

/** The interval between two reads of the log. */
const INTERVAL = "50 millis"
const PAGE = 500
/** The longest time that a request waits until followers have received its own events. */
const PATIENCE = "2 seconds"

/** By then, the data that followers wrote within this turn of the event loop was sent. */
const sent = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Receives events in order; must not throw and not wait. */
export type Follower = (events: ReadonlyArray<LiveEvent>) => void

const make = Effect.gen(function* () {
  const { log } = yield* EventStore
  const followers = new Set<Follower>()
  const isFollowed = yield* Latch.make()
  const turn = yield* Semaphore.make(1)
  let position = 0
  const note = () => noteHandedOn(followers.size === 0 ? null : position)

  const handOn = (events: ReadonlyArray<LiveEvent>) =>
    Effect.forEach([...followers], (follower) =>
      Effect.try({ try: () => follower(events), catch: (error) => error }).pipe(
        Effect.catch((error) => Effect.logError("A follower of the events failed", { error: String(error) }))
      )
    )

  const readPage = Effect.gen(function* () {
    const { complete, events } = yield* log.after(position, PAGE)
    // a restored or failed-over database assigns numbers again
    if (complete < position && (yield* log.newest) < position) position = complete
    if (events.length > 0) yield* handOn(events)
    position = events.length < PAGE ? Math.max(position, complete) : (events.at(-1)?.id ?? position)
    eventsTold.add(events.length)
    note()
    return events.length
  })

  const readOn = readPage.pipe(Effect.repeat({ while: (count) => count === PAGE }), turn.withPermits(1))

  const leave = (follower: Follower) =>
    Effect.suspend(() => {
      followers.delete(follower)
      note()
      return followers.size === 0 ? isFollowed.close : Effect.void
    })

  const join = Effect.fnUntraced(function* (follower: Follower) {
    if (followers.size === 0) position = yield* log.complete
    followers.add(follower)
    note()
    yield* isFollowed.open
    return position
  }, turn.withPermits(1))

  yield* isFollowed.await.pipe(
    Effect.andThen(waitingForDatabase(readOn)),
    Effect.catchCause((cause) => Effect.logWarning("New events could not be read", cause)),
    Effect.repeat(Schedule.spaced(INTERVAL)),
    Effect.forkScoped
  )

  return EventFeed.of({
    follow: (follower) => Effect.acquireRelease(join(follower), () => leave(follower)),
    flushed: Effect.suspend(() =>
      followers.size === 0
        ? Effect.void
        : failingWithoutDatabase(readOn).pipe(Effect.timeout(PATIENCE), Effect.ignore, Effect.andThen(sent))
    ).pipe(Effect.withSpan("EventFeed.flushed"))
  })
})

/** New events of this and of all other processes. */
export class EventFeed extends Context.Service<
  EventFeed,
  {
    /**
     * Passes every event after the yielded number to the follower, until the scope closes. Older events can be read from the log, up to
     * and including that number.
     */
    readonly follow: (follower: Follower) => Effect.Effect<number, SqlError.SqlError, Scope.Scope>
    /** Waits until the followers of this process have received all events committed so far, or for a moment if that is impossible. */
    readonly flushed: Effect.Effect<void>
  }
>()("switchyard/events/EventFeed") {
  static readonly layer = Layer.effect(EventFeed, make)
}

// Removes events older than EVENT_DAYS while the server runs (docs/events.md#retention).

/** The longest interval in seconds: frequent runs remove few rows each. */
const LONGEST = 600

/** Works until the server stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { EVENT_DAYS, UPKEEP_INTERVAL } = yield* ServerConfig
    const retention = yield* makeEventRetention
    if (EVENT_DAYS === 0) return
    yield* retention.remove(EVENT_DAYS).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old events could not be removed", cause)),
      Effect.repeat(Schedule.spaced(Duration.seconds(Math.min(UPKEEP_INTERVAL, LONGEST)))),
      Effect.forkScoped
    )
  })
)
