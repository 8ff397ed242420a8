/**
 * Watches the transitions of the devices' live actors, for the log at level DEBUG, the live feed and other subscribers. Watching
 * costs an unwatched actor nothing.
 */
import { Clock, Context, Effect, Layer, References, Scope } from "effect"
import type { Actor, AnyMachineSnapshot, AnyStateMachine, InspectionEvent, Snapshot, Subscription } from "xstate"
import { LiveFeed } from "../runtime/LiveFeed.ts"
import { eventName, placeOf } from "../../machines/Chart.ts"

/** The device of an actor, and the job that it works for. */
export interface ActorOwner {
  readonly device: string
  readonly job: number | null
}

/** An event that a statechart has taken. */
export interface ActorTransition extends ActorOwner {
  /** Which statechart: `device` or `change`. */
  readonly machine: string
  readonly event: string
  /** Where the statechart is now. */
  readonly state: string
}

type Listener = (transition: ActorTransition) => void

const isOfMachine = (snapshot: Snapshot<unknown>): snapshot is AnyMachineSnapshot => "value" in snapshot

/** The transition of an inspection event, if it is one. A microstep carries the raised event, a snapshot only its cause. */
const transitionOf = (event: InspectionEvent, owner: () => ActorOwner): ActorTransition | null => {
  if (event.type !== "@xstate.microstep" || !isOfMachine(event.snapshot)) return null
  const name = eventName(event.event.type)
  if (name === null) return null
  const { snapshot } = event
  return { ...owner(), machine: snapshot.machine.id, event: name, state: placeOf(snapshot) }
}

interface ActorWatch {
  readonly actor: Actor<AnyStateMachine>
  readonly owner: () => ActorOwner
  inspection: Subscription | null
}

const make = Effect.gen(function* () {
  const listeners = new Set<Listener>()
  const actors = new Set<ActorWatch>()
  const warn = Effect.runForkWith(yield* Effect.context<never>())

  const tell = (transition: ActorTransition) => {
    for (const listener of listeners) {
      // an error of a listener would end the actor
      try {
        listener(transition)
      } catch (error) {
        warn(Effect.logWarning("A listener of the device actors failed", { error: String(error) }))
      }
    }
  }

  const inspect = (watched: ActorWatch) => {
    if (listeners.size === 0 || watched.inspection !== null) return
    watched.inspection = watched.actor.system.inspect((event) => {
      const transition = listeners.size === 0 ? null : transitionOf(event, watched.owner)
      if (transition !== null) tell(transition)
    })
  }

  const watch = Effect.fnUntraced(function* (actor: Actor<AnyStateMachine>, owner: () => ActorOwner) {
    const watched: ActorWatch = { actor, owner, inspection: null }
    const end = Effect.sync(() => {
      actors.delete(watched)
      watched.inspection?.unsubscribe()
    })
    // not as a finalizer of an effect, which would keep all services for each of thousands of devices
    yield* Scope.addFinalizer(yield* Effect.scope, end)
    actors.add(watched)
    inspect(watched)
  })

  const subscribe = (listener: Listener) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => {
          listeners.add(listener)
          for (const watched of actors) inspect(watched)
        }),
        () => Effect.sync(() => listeners.delete(listener))
      )
    )

  return ActorInspection.of({ watch, subscribe })
})

/** Writes every transition to the log, if lines of its level are logged. */
const logging = Effect.gen(function* () {
  const inspection = yield* ActorInspection
  const level = yield* References.MinimumLogLevel
  if (level !== "All" && level !== "Trace" && level !== "Debug") return
  const write = Effect.runForkWith(yield* Effect.context<never>())
  yield* inspection.subscribe(({ device, job, ...transition }) => {
    write(Effect.annotateLogs(Effect.logDebug("Transition", transition), job === null ? { device } : { device, job }))
  })
})

/** The transitions of the live actors of this process. */
export class ActorInspection extends Context.Service<
  ActorInspection,
  {
    /** Watches an actor until the scope closes. */
    readonly watch: (actor: Actor<AnyStateMachine>, owner: () => ActorOwner) => Effect.Effect<void, never, Scope.Scope>
    /** Receives every transition from now on, until the scope closes. */
    readonly subscribe: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
  }
>()("switchyard/devices/ActorInspection") {
  static readonly layer = Layer.effectDiscard(logging).pipe(Layer.provideMerge(Layer.effect(ActorInspection, make)))
}

const feedSteps = Effect.gen(function* () {
  const feed = yield* LiveFeed
  const inspection = yield* ActorInspection
  const clock = yield* Clock.Clock
  const subscribe = inspection.subscribe(({ device: hostname, event, job, machine, state }) =>
    feed.publish({ kind: "step", at: clock.currentTimeMillisUnsafe(), hostname, job, machine, event, state })
  )
  yield* Effect.forkScoped(feed.whileListening(subscribe))
})

/** Publishes the steps of device actors in the live feed while a client listens (docs/events.md#what-is-told). */
export const stepFeedLayer = Layer.effectDiscard(feedSteps)
