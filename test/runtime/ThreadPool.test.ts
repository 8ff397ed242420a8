import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Result } from "effect"
import * as ThreadPool from "../../src/runtime/ThreadPool.ts"
import { CalculationsRpc } from "./CalculationsRpc.ts"

const pool = (options: Partial<ThreadPool.ThreadPoolOptions> = {}) =>
  ThreadPool.make(CalculationsRpc, {
    program: new URL("./calculationsMain.ts", import.meta.url),
    name: "test",
    threads: 1,
    waiting: 10,
    megabytes: 64,
    ...options
  })

const enough: ThreadPool.Budget = { cpuMillis: 60_000 }

describe("A calculation in a thread", () => {
  it.live("answers, and fails with its own error", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      assert.strictEqual(yield* run(enough, (client) => client.Half({ number: 8 })), 4)
      const failed = yield* Effect.flip(run(enough, (client) => client.Half({ number: 7 })))
      assert.strictEqual(failed._tag, "Odd")
    })
  )

  it.live("that takes more than its budget of processor time is stopped, and the next one is answered", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      const stopped = yield* Effect.flip(run({ cpuMillis: 50 }, (client) => client.Spin({ cpuMillis: 3_600_000 })))
      assert.deepInclude(stopped, { _tag: "CalculationStopped", reason: "time" })
      assert.strictEqual(yield* run(enough, (client) => client.Half({ number: 2 })), 1)
    })
  )

  it.live("may use its whole budget, which the start of the thread and earlier calls do not reduce", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      for (let round = 0; round < 4; round++) {
        assert.isAbove(yield* run({ cpuMillis: 300 }, (client) => client.Spin({ cpuMillis: 150 })), 0)
      }
    })
  )

  it.live("that takes more than its memory is stopped, and the next one is answered", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      const stopped = yield* Effect.flip(run(enough, (client) => client.Fill({})))
      assert.deepInclude(stopped, { _tag: "CalculationStopped", reason: "memory" })
      assert.strictEqual(yield* run(enough, (client) => client.Half({ number: 2 })), 1)
    })
  )

  it.live("whose thread ends is reported, and the next one is answered", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      const stopped = yield* Effect.flip(run(enough, (client) => client.Exit({})))
      assert.deepInclude(stopped, { _tag: "CalculationStopped", reason: "ended" })
      assert.strictEqual(yield* run(enough, (client) => client.Half({ number: 2 })), 1)
    })
  )

  it.live("that meets a defect fails alone", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      assert.isTrue(Exit.isFailure(yield* Effect.exit(run(enough, (client) => client.Die({})))))
      assert.strictEqual(yield* run(enough, (client) => client.Half({ number: 2 })), 1)
    })
  )

  it.live("is refused when too many wait, and accepted when they have ended", () =>
    Effect.gen(function* () {
      const { run } = yield* pool({ waiting: 2 })
      const calls = yield* Effect.forEach(
        [1, 2, 3, 4, 5],
        () => Effect.forkChild(Effect.result(run(enough, (client) => client.Spin({ cpuMillis: 100 })))),
        { concurrency: 1 }
      )
      const results = yield* Fiber.joinAll(calls)
      assert.deepStrictEqual(results.map(Result.isSuccess), [true, true, true, false, false])
      const refused = results[4]
      assert.isTrue(refused !== undefined && Result.isFailure(refused) && refused.failure._tag === "ThreadsBusy")
      assert.strictEqual(yield* run(enough, (client) => client.Half({ number: 2 })), 1)
    })
  )

  it.live("that was cancelled does not delay the next one for longer than its budget", () =>
    Effect.gen(function* () {
      const { run } = yield* pool()
      const begun = yield* Deferred.make<void>()
      const left = yield* Effect.forkChild(
        run({ cpuMillis: 100 }, (client) =>
          Effect.andThen(Deferred.succeed(begun, undefined), client.Spin({ cpuMillis: 3_600_000 }))
        )
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(left)
      assert.strictEqual(yield* run(enough, (client) => client.Half({ number: 2 })), 1)
    })
  )
})
