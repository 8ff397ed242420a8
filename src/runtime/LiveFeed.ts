/**
 * Lines of the log and steps of the live actors for clients that listen now (docs/events.md). They are not stored, and cost nothing while
 * there are no listeners.
 */
import { Context, Effect, Latch, Layer, type Scope } from "effect"

/** Levels of lines as clients know them, the least first. */
export const liveLevels = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] as const
export type LiveLevel = (typeof liveLevels)[number]

/** A line of the log; `at` is in epoch milliseconds. */
export interface LogLine {
  readonly kind: "log"
  readonly at: number
  readonly level: LiveLevel
  /** The subject: the function of its job, or `server`. */
  readonly module: string
  readonly job: number | null
  readonly text: string
}

/** A step of a device's live actor. */
export interface ActorStep {
  readonly kind: "step"
  readonly at: number
  readonly hostname: string
  readonly job: number | null
  /** The kind of statechart: `device` or `change`. */
  readonly machine: string
  readonly event: string
  /** The present state of the statechart. */
  readonly state: string
}

export type LiveItem = LogLine | ActorStep

/** Receives what is published; must not throw and must not wait. */
export type Listener = (thing: LiveItem) => void

/** Listeners: to everything, or to this process's own publications. */
interface Listeners {
  readonly all: Set<Listener>
  readonly own: Set<Listener>
}

const make = Effect.sync(() => {
  const { all, own }: Listeners = { all: new Set(), own: new Set() }
  const withListeners = Latch.makeUnsafe()
  const untilListened = Latch.makeUnsafe()
  const withoutListeners = Latch.makeUnsafe(true)

  const turnLatches = () => {
    const hasListeners = all.size + own.size > 0
    if (hasListeners) withListeners.openUnsafe()
    else withListeners.closeUnsafe()
    if (hasListeners) withoutListeners.closeUnsafe()
    else withoutListeners.openUnsafe()
    if (all.size > 0) untilListened.openUnsafe()
    else untilListened.closeUnsafe()
  }

  const listening = (listeners: Set<Listener>) => (listener: Listener) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => {
          listeners.add(listener)
          turnLatches()
        }),
        () =>
          Effect.sync(() => {
            listeners.delete(listener)
            turnLatches()
          })
      )
    )

  const publishReceived = (thing: LiveItem) => {
    for (const listener of all) listener(thing)
  }

  return LiveFeed.of({
    hasListeners: () => all.size + own.size > 0,
    publish: (thing) => {
      publishReceived(thing)
      for (const listener of own) listener(thing)
    },
    publishReceived,
    listen: listening(all),
    listenToOwn: listening(own),
    whileListening: (work) =>
      withListeners.await.pipe(
        Effect.andThen(Effect.scoped(Effect.andThen(work, withoutListeners.await))),
        Effect.forever
      ),
    untilListened: untilListened.await
  })
})

/** The live feed of this process. */
export class LiveFeed extends Context.Service<
  LiveFeed,
  {
    /** Whether there are listeners: otherwise publishing is unnecessary. */
    readonly hasListeners: () => boolean
    readonly publish: (thing: LiveItem) => void
    /** Publishes here what another process has published. */
    readonly publishReceived: Listener
    /** Listens to everything from now on, until the scope closes. */
    readonly listen: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
    /** The same for this process's own publications, to send them to other processes. */
    readonly listenToOwn: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
    /** Runs this work while there are listeners, in a scope that closes when the last one leaves. Never ends. */
    readonly whileListening: <E, R>(work: Effect.Effect<void, E, R>) => Effect.Effect<never, E, Exclude<R, Scope.Scope>>
    /** Waits until a listener of this process listens to everything. */
    readonly untilListened: Effect.Effect<void>
  }
>()("switchyard/runtime/LiveFeed") {
  static readonly layer = Layer.effect(LiveFeed, make)
}
