/**
 * Starts a statechart as a live actor, supervised by a scope: when the scope closes the actor is stopped and the step that it
 * was at is interrupted and waited for. Its delays run on Effect's clock. One step runs at a time: when the machine goes on
 * because of an event, the next step begins after the last one has cleaned up.
 */
import { Cause, Deferred, Effect, Exit, Fiber, Scope } from "effect"
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

/** Steps one after the other: one that begins while the last one cleans up waits for it. */
const inTurn = <E, R>(fork: Fork<E, R>) => {
  let last: Fiber.Fiber<unknown, E> | null = null
  const run: Fork<E, R> = (step) => {
    const before = last
    const isCleaning = before !== null && before.pollUnsafe() === undefined
    // not to be interrupted: whoever waits for this step waits for the one before it, too
    const fiber = fork(isCleaning ? Effect.andThen(Effect.uninterruptible(Fiber.await(before)), step) : step)
    last = fiber
    return fiber
  }
  const ended = Effect.suspend(() => (last === null ? Effect.void : Effect.asVoid(Fiber.await(last))))
  /** Interrupts the step that runs, and waits until it has cleaned up. */
  const stop = Effect.suspend(() => (last === null ? Effect.void : Fiber.interrupt(last)))
  return { run, ended, stop }
}

/** Starts the actor that `create` makes of a machine whose steps come from `steps`. */
export const start = Effect.fnUntraced(function* <M extends AnyStateMachine, E, R>(
  steps: EffectActors<E, R>,
  create: (options: LiveOptions) => Actor<M>
): Effect.fn.Return<Live<M, E>, never, R | Scope.Scope> {
  const fork: Fork<E, R> = Effect.runForkWith(yield* Effect.context<R>())
  const turns = inTurn(fork)
  const ended = Deferred.makeUnsafe<SnapshotFrom<M>, E>()
  let failed: Cause.Cause<E> | null = null
  let isStopped = false
  const causeOf = (error: unknown) => (failed !== null && error === failed ? failed : Cause.die(error))

  const actor = create({ clock: clockOf(fork) })
  steps.runBy(actor.system, {
    run: turns.run,
    failed: (cause) => {
      failed = cause
    }
  })
  actor.subscribe({
    complete: () => Deferred.doneUnsafe(ended, isStopped ? Exit.interrupt() : Exit.succeed(actor.getSnapshot())),
    error: (error) => Deferred.doneUnsafe(ended, Exit.failCause(causeOf(error)))
  })
  // not as a finalizer of an effect, which would keep all services for each of thousands of devices
  yield* Scope.addFinalizer(
    yield* Effect.scope,
    Effect.suspend(() => {
      isStopped = true
      actor.stop()
      return turns.stop
    })
  )
  actor.start()
  return { actor, end: Deferred.await(ended), quiet: turns.ended, causeOf }
})
