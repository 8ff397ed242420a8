/**
 * Starts a statechart as a live actor, supervised by a scope: when the scope closes the actor is stopped and the step that it
 * was at is interrupted and waited for. Its delays run on Effect's clock. One step runs at a time: when the machine goes on
 * because of an event, the next step begins after the last one has cleaned up.
 */
import { Cause, Deferred, Effect, Exit, type Fiber, FiberSet, type Scope, Semaphore } from "effect"
import type { Actor, ActorOptions, AnyStateMachine, SnapshotFrom } from "xstate"
import type { EffectActors } from "./EffectActor.ts"

/** What the maker of an actor has to pass on to `createActor`. */
export type LiveOptions = Pick<ActorOptions<AnyStateMachine>, "clock">

/** A started actor. */
export interface Live<M extends AnyStateMachine, E> {
  readonly actor: Actor<M>
  /** The last snapshot of the actor. Fails when a step does and the machine does not handle it; interrupted with the actor. */
  readonly end: Effect.Effect<SnapshotFrom<M>, E>
  /** Waits until no step runs, such as one that was interrupted and cleans up. */
  readonly quiet: Effect.Effect<void>
  /** The cause of what a machine reports as the error of a child. */
  readonly causeOf: (error: unknown) => Cause.Cause<E>
}

type Fork<E, R> = <A>(work: Effect.Effect<A, E, R>) => Fiber.Fiber<A, E>

const clockOf = <E, R>(fork: Fork<E, R>): NonNullable<LiveOptions["clock"]> => ({
  setTimeout: (fire: () => void, millis: number) => fork(Effect.andThen(Effect.sleep(millis), Effect.sync(fire))),
  clearTimeout: (timer: Fiber.Fiber<void, E>) => timer.interruptUnsafe()
})

/** Starts the actor that `create` makes of a machine whose steps come from `steps`. */
export const start = Effect.fnUntraced(function* <M extends AnyStateMachine, E, R>(
  steps: EffectActors<E, R>,
  create: (options: LiveOptions) => Actor<M>
): Effect.fn.Return<Live<M, E>, never, R | Scope.Scope> {
  const fork: Fork<E, R> = yield* FiberSet.makeRuntime<R, unknown, E>()
  const turn = Semaphore.makeUnsafe(1)
  const ended = Deferred.makeUnsafe<SnapshotFrom<M>, E>()
  let failed: Cause.Cause<E> | null = null
  let isStopped = false
  const causeOf = (error: unknown) => (failed !== null && error === failed ? failed : Cause.die(error))

  const actor = create({ clock: clockOf(fork) })
  steps.runBy(actor.system, {
    run: (step) => fork(turn.withPermit(step)),
    failed: (cause) => {
      failed = cause
    }
  })
  actor.subscribe({
    complete: () => Deferred.doneUnsafe(ended, isStopped ? Exit.interrupt() : Exit.succeed(actor.getSnapshot())),
    error: (error) => Deferred.doneUnsafe(ended, Exit.failCause(causeOf(error)))
  })
  // finalizers run in reverse: first the actor is stopped, then the set waits for the step that this interrupts
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isStopped = true
      actor.stop()
    })
  )
  actor.start()
  return { actor, end: Deferred.await(ended), quiet: turn.withPermit(Effect.void), causeOf }
})
