/**
 * Effects as the steps of a statechart: the logic of an invoked xstate actor that runs an Effect. What it succeeds with is the
 * step's output, what it fails with is the step's error as the whole `Cause`. Leaving the state interrupts it. Who runs the steps
 * of an actor, with which services and in which scope, is said by `LiveActor.start`.
 */
import { type Cause, type Effect, Exit, type Fiber } from "effect"
import type { StepLogic } from "../../machines/StepLogic.ts"

/** Runs the steps of one root actor and of its children. */
export interface StepRunner<E, R> {
  readonly run: <A>(step: Effect.Effect<A, E, R>) => Fiber.Fiber<A, E>
  /** Hears of every step that fails, before the machine does. */
  readonly failed: (cause: Cause.Cause<E>) => void
}

/** Steps that may fail with `E` and need the services `R`. */
export interface EffectActors<E, R> {
  /** The logic of a step: `work` is given the step's input. */
  readonly fromEffect: <A, I>(work: (input: I) => Effect.Effect<A, E, R>) => StepLogic<A, I>
  /** Says who runs the steps of the actors of a system. */
  readonly runBy: (system: object, runner: StepRunner<E, R>) => void
}

const ENDED = "step.ended"

/** A family of steps; one serves all actors of a process. */
export const make = <E = never, R = never>(): EffectActors<E, R> => {
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
        // a step that was interrupted by itself has failed as well: its machine must not wait for it
        runners.get(system)?.failed(exit.cause)
        return { ...snapshot, status: "error", error: exit.cause, input: undefined }
      },
      getPersistedSnapshot: (snapshot) => snapshot
    }
  }

  return { fromEffect, runBy: (system, runner) => runners.set(system, runner) }
}
