/**
 * What is told to whoever listens now and is not kept (docs/events.md): lines of the log, and the steps of the live actors. Costs nothing
 * while nobody listens.
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
  /** What it is about: the function of its job, or `server`. */
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
  /** Which statechart: `device` or `change`. */
  readonly machine: string
  readonly event: string
  /** Where the statechart is now. */
  readonly state: string
}

export type LiveItem = LogLine | ActorStep

/** Hears what is told; must not throw and not wait. */
export type Listener = (thing: LiveItem) => void

/** Who listens: to everything, or to what this process tells itself. */
interface Listeners {
  readonly all: Set<Listener>
  readonly own: Set<Listener>
}

const make = Effect.sync(() => {
  const { all, own }: Listeners = { all: new Set(), own: new Set() }
  const heard = Latch.makeUnsafe()
  const heardHere = Latch.makeUnsafe()
  const unheard = Latch.makeUnsafe(true)

  const turnLatches = () => {
    const isHeard = all.size + own.size > 0
    if (isHeard) heard.openUnsafe()
    else heard.closeUnsafe()
    if (isHeard) unheard.closeUnsafe()
    else unheard.openUnsafe()
    if (all.size > 0) heardHere.openUnsafe()
    else heardHere.closeUnsafe()
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

  const passOn = (thing: LiveItem) => {
    for (const listener of all) listener(thing)
  }

  return LiveFeed.of({
    isHeard: () => all.size + own.size > 0,
    tell: (thing) => {
      passOn(thing)
      for (const listener of own) listener(thing)
    },
    passOn,
    listen: listening(all),
    listenToOwn: listening(own),
    whileHeard: (work) =>
      heard.await.pipe(Effect.andThen(Effect.scoped(Effect.andThen(work, unheard.await))), Effect.forever),
    heardHere: heardHere.await
  })
})

/** What this process tells. */
export class LiveFeed extends Context.Service<
  LiveFeed,
  {
    /** Whether anybody listens: else nothing has to be told. */
    readonly isHeard: () => boolean
    readonly tell: (thing: LiveItem) => void
    /** Tells what another process has told. */
    readonly passOn: Listener
    /** Hears everything from now on, until the scope closes. */
    readonly listen: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
    /** The same for what this process tells itself: for whoever tells it to other processes. */
    readonly listenToOwn: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
    /** Does this whenever somebody begins to listen, in a scope that closes when nobody does any more. Never ends. */
    readonly whileHeard: <E, R>(work: Effect.Effect<void, E, R>) => Effect.Effect<never, E, Exclude<R, Scope.Scope>>
    /** Waits until somebody in this process listens to everything. */
    readonly heardHere: Effect.Effect<void>
  }
>()("switchyard/runtime/LiveFeed") {
  static readonly layer = Layer.effect(LiveFeed, make)
}
