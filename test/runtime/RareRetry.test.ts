import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { rareRetry } from "../../src/runtime/BackgroundWork.ts"

/** Work that fails until its `good`th try, and how often it was tried. */
const failingUntil = (good: number) => {
  let tries = 0
  const work = Effect.suspend(() => (++tries < good ? Effect.fail(`try ${tries}`) : Effect.succeed(tries)))
  return { work, tries: () => tries }
}

describe("a rare retry", () => {
  it.effect("does not ask how to retry when the first try succeeds", () =>
    Effect.gen(function* () {
      const { work } = failingUntil(1)
      const answer = yield* rareRetry(work, () => Effect.die("asked"))
      expect(answer).toBe(1)
    })
  )

  it.effect("counts the first try like any other and ends with the last failure", () =>
    Effect.gen(function* () {
      const { tries, work } = failingUntil(9)
      const failed = yield* Effect.flip(rareRetry(work, Effect.retry({ times: 2 })))
      expect(failed).toBe("try 3")
      expect(tries()).toBe(3)
    })
  )

  it.effect("does not retry after a final failure", () =>
    Effect.gen(function* () {
      const { tries, work } = failingUntil(9)
      yield* Effect.flip(rareRetry(work, Effect.retry({ times: 2, while: (error) => error !== "try 1" })))
      expect(tries()).toBe(1)
    })
  )

  it.effect("begins anew each time it is run", () =>
    Effect.gen(function* () {
      const { tries, work } = failingUntil(5)
      const twice = rareRetry(work, Effect.retry({ times: 1 }))
      yield* Effect.flip(twice)
      expect(yield* Effect.flip(twice)).toBe("try 4")
      expect(yield* twice).toBe(5)
      expect(tries()).toBe(5)
    })
  )
})
