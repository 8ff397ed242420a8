/** Stored values of a provider, and their lifetime. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeRefreshedValue } from "../../../src/http/oidc/Provider.ts"

const MINUTE = 60_000
const times = { fresh: 10 * MINUTE, usable: 60 * MINUTE, between: 5000 }

/** Something that counts how often it was fetched, and can be away. */
const makeSource = () => {
  const source = { fetched: 0, isAway: false }
  const fetch = Effect.suspend(() => {
    source.fetched += 1
    return source.isAway ? Effect.fail("away" as const) : Effect.succeed(source.fetched)
  })
  return { source, fetch }
}

it.effect("a value is fetched once, and renewed in the background when an old one is requested", () =>
  Effect.gen(function* () {
    const { fetch, source } = makeSource()
    const { get } = yield* makeRefreshedValue(fetch, times)
    assert.deepEqual(yield* Effect.all([get, get, get], { concurrency: "unbounded" }), [1, 1, 1])
    yield* TestClock.adjust(11 * MINUTE)
    assert.strictEqual(yield* get, 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* get, 2)
    assert.strictEqual(source.fetched, 2)
  }).pipe(Effect.scoped)
)

it.effect("while its owner is unreachable it stays valid for an hour, and no longer", () =>
  Effect.gen(function* () {
    const { fetch, source } = makeSource()
    const { get } = yield* makeRefreshedValue(fetch, times)
    assert.strictEqual(yield* get, 1)
    source.isAway = true
    yield* TestClock.adjust(59 * MINUTE)
    assert.strictEqual(yield* get, 1)
    yield* TestClock.adjust(2 * MINUTE)
    assert.strictEqual(yield* Effect.flip(get), "away")
    const asked = source.fetched
    assert.strictEqual(yield* Effect.flip(get), "away")
    assert.strictEqual(source.fetched, asked, "not asked again at once")
    source.isAway = false
    yield* TestClock.adjust(times.between)
    assert.isNumber(yield* get)
  }).pipe(Effect.scoped)
)

it.effect("callers that miss a value in it share one attempt", () =>
  Effect.gen(function* () {
    const { fetch, source } = makeSource()
    const { get, renewed } = yield* makeRefreshedValue(fetch, times)
    yield* get
    const waiting = yield* Effect.forkChild(Effect.all([renewed, renewed, renewed], { concurrency: "unbounded" }))
    yield* TestClock.adjust(times.between - 1)
    assert.strictEqual(source.fetched, 1)
    yield* TestClock.adjust(1)
    assert.deepEqual(yield* Fiber.join(waiting), [2, 2, 2])
    assert.strictEqual(source.fetched, 2)
  }).pipe(Effect.scoped)
)
