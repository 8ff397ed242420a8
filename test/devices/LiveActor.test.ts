/** Effects as steps of a live statechart: how they end, how they are interrupted, and what time they go by. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { createActor, raise, setup } from "xstate"
import { endOfStep, unprovided } from "../../machines/StepLogic.ts"
import * as LiveActor from "../../src/devices/LiveActor.ts"

class Refused extends Schema.TaggedError<Refused>()("Refused", { why: Schema.String }) {}

/** The steps of one actor, and their log. */
class Script extends Context.Service<
  Script,
  { readonly first: Effect.Effect<StepEvent, Refused>; readonly second: Effect.Effect<StepEvent, Refused> }
>()("Script") {}

type StepEvent = { readonly type: "DONE"; readonly text: string } | { readonly type: "ODD" }

const steps = LiveActor.makeSteps<Refused, Script>()

const machine = setup({
  types: { context: {} as object, events: {} as StepEvent | { readonly type: "SKIP" } },
  actors: {
    first: unprovided<StepEvent, { readonly n: number }>("first"),
    second: unprovided<StepEvent, { readonly n: number }>("second")
  }
}).createMachine({
  context: {},
  initial: "first",
  states: {
    first: {
      invoke: { src: "first", input: { n: 1 }, onDone: { actions: raise(endOfStep) } },
      on: { DONE: "second", SKIP: "second" }
    },
    second: {
      invoke: { src: "second", input: { n: 2 }, onDone: { actions: raise(endOfStep) } },
      on: { DONE: "resting" }
    },
    resting: { after: { 60_000: "over" } },
    over: { type: "final" }
  }
})

const provided = machine.provide({
  actors: {
    first: steps.fromEffect(() => Effect.flatMap(Script, ({ first }) => first)),
    second: steps.fromEffect(() => Effect.flatMap(Script, ({ second }) => second))
  }
})

const done: StepEvent = { type: "DONE", text: "done" }

const start = (
  first: Effect.Effect<StepEvent, Refused>,
  second: Effect.Effect<StepEvent, Refused> = Effect.succeed(done)
) =>
  LiveActor.start(steps, (options) => createActor(provided, options)).pipe(
    Effect.provideService(Script, { first, second })
  )

const endOf = (first: Effect.Effect<StepEvent, Refused>) => Effect.exit(Effect.flatMap(start(first), ({ end }) => end))

describe("A live actor", () => {
  it.effect("continues when its steps end, and waits by the clock of Effect", () =>
    Effect.gen(function* () {
      const { actor, end } = yield* start(Effect.as(Effect.sleep("3 seconds"), done))
      assert.strictEqual(actor.getSnapshot().value, "first")
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(actor.getSnapshot().value, "resting")
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(actor.getSnapshot().value, "resting")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* end).value, "over")
    }).pipe(Effect.scoped)
  )

  it.effect("fails with the whole cause of a failed step", () =>
    Effect.gen(function* () {
      const failed = yield* endOf(Effect.fail(new Refused({ why: "no" })))
      assert.deepStrictEqual(failed, Exit.fail(new Refused({ why: "no" })))
      const both = Effect.ensuring(Effect.fail(new Refused({ why: "no" })), Effect.die(new Error("cleanup")))
      const cause = Exit.isFailure(yield* endOf(both)) ? yield* endOf(both) : assert.fail("ended well")
      assert.isTrue(Exit.isFailure(cause) && Cause.hasDies(cause.cause))
      assert.isTrue(Exit.hasDies(yield* endOf(Effect.die(new Error("boom")))))
    }).pipe(Effect.scoped)
  )

  it.effect("ends with a step that interrupts itself, instead of waiting for it forever", () =>
    Effect.gen(function* () {
      assert.isTrue(Exit.hasInterrupts(yield* endOf(Effect.interrupt)))
    }).pipe(Effect.scoped)
  )

  it.effect("ends with a defect when a step reports an unexpected result", () =>
    Effect.gen(function* () {
      const exit = yield* endOf(Effect.succeed({ type: "ODD" } as const))
      assert.match(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", /The state "first" takes no ODD/)
    }).pipe(Effect.scoped)
  )

  it.effect("is stopped with its scope, which waits until the interrupted step has cleaned up", () =>
    Effect.gen(function* () {
      const notes: Array<string> = []
      const cleanup = Effect.andThen(
        Effect.sleep("5 seconds"),
        Effect.sync(() => notes.push("cleaned up"))
      )
      const closing = yield* Effect.forkChild(Effect.scoped(start(Effect.onInterrupt(Effect.never, () => cleanup))))
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual([notes, closing.pollUnsafe()], [[], undefined])
      yield* TestClock.adjust("1 second")
      const { actor } = yield* Fiber.join(closing)
      assert.deepStrictEqual([notes, actor.getSnapshot().status], [["cleaned up"], "stopped"])
    })
  )

  it.effect("begins a step only after the previous one has cleaned up", () =>
    Effect.gen(function* () {
      const notes: Array<string> = []
      const note = (text: string) => Effect.sync(() => notes.push(text))
      const cleaning = yield* Deferred.make<void>()
      const first = Effect.onInterrupt(Effect.never, () =>
        Effect.andThen(Deferred.await(cleaning), note("first is done"))
      )
      const { actor, quiet } = yield* start(first, Effect.andThen(note("second begins"), Effect.never))
      actor.send({ type: "SKIP" })
      assert.strictEqual(actor.getSnapshot().value, "second")
      yield* Effect.yieldNow
      assert.deepStrictEqual(notes, [])
      yield* Deferred.succeed(cleaning, undefined)
      const waiting = yield* Effect.forkChild(quiet)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(notes, ["first is done", "second begins"])
      assert.isUndefined(waiting.pollUnsafe())
    }).pipe(Effect.scoped)
  )

  it.effect("does not begin without a runner for its steps", () =>
    Effect.sync(() => {
      const errors: Array<unknown> = []
      const actor = createActor(provided)
      actor.subscribe({ error: (error) => errors.push(error) })
      actor.start()
      assert.match(String(errors[0]), /was not started by LiveActor/)
    })
  )
})
