import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeSharedRead } from "../../src/store/GroupedStatement.ts"

/** A read that counts how often it ran and waits to be let go. */
const makeRead = () => {
  const gates: Array<Deferred.Deferred<void>> = []
  let value = 0
  const read = Effect.gen(function* () {
    const seen = value
    const gate = Deferred.makeUnsafe<void>()
    gates.push(gate)
    yield* Deferred.await(gate)
    return seen
  })
  return {
    read,
    runs: () => gates.length,
    change: () => void value++,
    release: (run: number) => Deferred.succeed(gates[run] ?? Deferred.makeUnsafe<void>(), undefined)
  }
}

describe("A shared read", () => {
  it.effect("never answers with data from before the question", () =>
    Effect.gen(function* () {
      const shared = makeSharedRead<number, never>()
      const { change, read, release, runs } = makeRead()
      const first = yield* Effect.forkChild(shared("x", read), { startImmediately: true })
      yield* Effect.yieldNow
      change()
      const late = yield* Effect.forkChild(Effect.all([shared("x", read), shared("x", read)], { concurrency: 2 }), {
        startImmediately: true
      })
      yield* Effect.yieldNow
      assert.strictEqual(runs(), 1)
      yield* release(0)
      assert.strictEqual(yield* Fiber.join(first), 0)
      yield* Effect.yieldNow
      assert.strictEqual(runs(), 2)
      yield* release(1)
      assert.deepEqual(yield* Fiber.join(late), [1, 1])
    })
  )

  it.effect("continues for the others when the first caller is cancelled", () =>
    Effect.gen(function* () {
      const shared = makeSharedRead<number, never>()
      const { read, release } = makeRead()
      const first = yield* Effect.forkChild(shared("x", read), { startImmediately: true })
      yield* Effect.yieldNow
      const second = yield* Effect.forkChild(shared("x", read), { startImmediately: true })
      yield* Fiber.interrupt(first)
      yield* release(0)
      yield* Effect.yieldNow
      yield* release(1)
      assert.strictEqual(yield* Fiber.join(second), 0)
    })
  )

  it.effect("keeps different questions apart, and forgets failures", () =>
    Effect.gen(function* () {
      const shared = makeSharedRead<string, string>()
      let away = true
      const read = Effect.suspend(() => (away ? Effect.fail("away") : Effect.succeed("back")))
      assert.strictEqual(yield* Effect.flip(shared("a", read)), "away")
      away = false
      assert.strictEqual(yield* shared("a", read), "back")
      assert.strictEqual(yield* shared("b", Effect.succeed("other")), "other")
    })
  )
})
