/** The readings of the checks of a change at the end of their time. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { readAfter } from "../../src/devices/ChangeChecks.ts"
import { type Check, storedCheck } from "../../src/domain/checks/Check.ts"

const check: Check = {
  name: "sessions",
  description: null,
  for: { groups: null, device_types: null, platforms: null },
  when_diff: null,
  question: { reads: "bgp" },
  only: null,
  where: { is_established: true },
  condition: { must: "no_lost" },
  settle: 0,
  within: 600,
  before: "warn",
  also_neighbours: false,
  set: null
}

const DEVICE = 7

/** A device that is asked and never answers. */
const context = {
  deviceId: DEVICE,
  hostname: "lhv-a1",
  connection: null,
  neighbours: Effect.succeed([]),
  portsOf: () => Effect.succeed(new Set<string>()),
  ask: () => Effect.never,
  askOutside: () => Effect.succeed([])
}

const failed = {
  name: "sessions",
  held: false,
  before: "1 BGP session",
  now: "0 BGP sessions",
  sentence: "before 1 BGP session, now 0 BGP sessions, but none may be gone",
  tried: 3,
  seconds: 71
}

const rowWith = (results: ReadonlyArray<typeof failed>) => ({
  timerSeconds: 100,
  committedAt: 0,
  checks: [storedCheck(check)],
  checking: {
    names: ["sessions"],
    at: 0,
    before: [
      { check: "sessions", id: DEVICE, hostname: null, sample: { total: 1, items: { "default 10.0.0.1": {} } } }
    ],
    results
  }
})

/** The reading that begins one second before the margin of the timer. */
const lastReading = Effect.fnUntraced(function* (results: ReadonlyArray<typeof failed>) {
  yield* TestClock.setTime(79_000)
  const reading = yield* Effect.forkChild(readAfter(context, rowWith(results), 0))
  yield* TestClock.adjust("1 second")
  return (yield* Fiber.join(reading)).results
})

it.effect("does not let a last reading that the timer cut short hide what the one before it has seen", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* lastReading([failed]), [failed])
  })
)

it.effect("says that a check could not be read if its only reading was cut short", () =>
  Effect.gen(function* () {
    const [result] = yield* lastReading([])
    assert.deepInclude(result, { name: "sessions", held: null, tried: 1 })
    assert.match(result?.sentence ?? "", /^could not be read after the commit: CommandTimeout: /)
  })
)
