/**
 * Starts a statechart as a live actor, supervised by a scope: when the scope closes, the actor is stopped and its current step is
 * interrupted and awaited. Its delays use Effect's clock. One step runs at a time: when an event moves the machine, the next step
 * begins after the previous one has cleaned up.
 */
import { Cause, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import type { Actor, ActorOptions, AnyStateMachine, SnapshotFrom } from "xstate"
import type { StepLogic } from "../../machines/StepLogic.ts"

/** The options that the maker of an actor must pass to `createActor`. */
export type LiveOptions = Pick<ActorOptions<AnyStateMachine>, "clock">

/** A started actor. */
export interface Live<M extends AnyStateMachine, E> {
  readonly actor: Actor<M>
  /** The last snapshot of the actor. Fails when a step does and the machine does not handle it; interrupted with the actor. */
  readonly end: Effect.Effect<SnapshotFrom<M>, E>
  /** Waits until no step runs, such as one that was interrupted and cleans up. */
  readonly quiet: Effect.Effect<void>
  /** The cause of a child's error that a machine reports. */
  readonly causeOf: (error: unknown) => Cause.Cause<E>
}

type Fork<E, R> = <A>(work: Effect.Effect<A, E, R>) => Fiber.Fiber<A, E>

const clockOf = <E, R>(fork: Fork<E, R>): NonNullable<LiveOptions["clock"]> => ({
  setTimeout: (fire: () => void, millis: number) => fork(Effect.andThen(Effect.sleep(millis), Effect.sync(fire))),
  clearTimeout: (timer: Fiber.Fiber<void, E>) => timer.interruptUnsafe()
})

/** Runs steps one after the other: a step that begins while the previous one cleans up waits for it. */
const inTurn = <E, R>(fork: Fork<E, R>) => {
  let last: Fiber.Fiber<unknown, E> | null = null
  const run: Fork<E, R> = (step) => {
    const before = last
    const isCleaning = before !== null && before.pollUnsafe() === undefined
    // uninterruptible: a caller that waits for this step also waits for the previous one
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

// Effects as the steps of a statechart: the logic of an invoked xstate actor that runs an Effect. Its success is the step's output,
// its failure is the step's error as the whole `Cause`. Leaving the state interrupts it. `LiveActor.start` sets the services and
// the scope of an actor's steps.

/** Runs the steps of one root actor and of its children. */
export interface StepRunner<E, R> {
  readonly run: <A>(step: Effect.Effect<A, E, R>) => Fiber.Fiber<A, E>
  /** Called for every step that fails, before the machine receives it. */
  readonly failed: (cause: Cause.Cause<E>) => void
}

/** Steps that may fail with `E` and need the services `R`. */
export interface EffectActors<E, R> {
  /** The logic of a step: `work` is given the step's input. */
  readonly fromEffect: <A, I>(work: (input: I) => Effect.Effect<A, E, R>) => StepLogic<A, I>
  /** Sets the runner of the steps of a system's actors. */
  readonly runBy: (system: object, runner: StepRunner<E, R>) => void
}

const ENDED = "step.ended"

/** A family of steps; one serves all actors of a process. */
export const makeSteps = <E = never, R = never>(): EffectActors<E, R> => {
  const runners = new WeakMap<object, StepRunner<E, R>>()

  const fromEffect = <A, I>(work: (input: I) => Effect.Effect<A, E, R>): StepLogic<A, I> => {
    const fibers = new Map<object, Fiber.Fiber<A, E>>()
    return {
      getInitialSnapshot: (_scope, input) => ({ status: "active", output: undefined, error: undefined, input }),
      start: ({ input, status }, { self, system }) => {
        if (status !== "active" || input === undefined) return
        const runner = runners.get(system)
        if (runner === undefined) throw new Error("The root of this actor was not started by LiveActor")
        const fiber = runner.run(work(input))
        fibers.set(self, fiber)
        fiber.addObserver(() => {
          if (self.getSnapshot().status === "active") self.send({ type: ENDED })
        })
      },
      transition: (snapshot, { type }, { self, system }) => {
        if (snapshot.status !== "active") return snapshot
        const fiber = fibers.get(self)
        if (type === "xstate.stop") {
          fibers.delete(self)
          fiber?.interruptUnsafe()
          return { ...snapshot, status: "stopped", input: undefined }
        }
        const exit = type === ENDED ? fiber?.pollUnsafe() : undefined
        if (exit === undefined) return snapshot
        fibers.delete(self)
        if (Exit.isSuccess(exit)) return { ...snapshot, status: "done", output: exit.value, input: undefined }
        // a step that was interrupted on its own has failed as well: its machine must not wait for it
        runners.get(system)?.failed(exit.cause)
        return { ...snapshot, status: "error", error: exit.cause, input: undefined }
      },
      getPersistedSnapshot: (snapshot) => snapshot
    }
  }

  return { fromEffect, runBy: (system, runner) => runners.set(system, runner) }
}
