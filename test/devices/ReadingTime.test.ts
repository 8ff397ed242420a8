/** However many neighbours a check reads, a reading after the commit takes no longer than the timer leaves (docs/checks.md). */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import type { CheckedRow } from "../../machines/change/ChangeChecks.ts"
import { type CheckContext, readAfter } from "../../src/devices/ChangeChecks.ts"
import { storedCheck } from "../../src/domain/checks/Check.ts"
import { readCheckFile } from "../../src/domain/checks/CheckFile.ts"

const FILE = {
  checks: { links: { for: "all", reads: "interfaces", must: "no_lost", settle: 0, also: "neighbours" } }
}

const TARGETS = 20

/** A device that never answers. */
const context: CheckContext = {
  deviceId: 1,
  hostname: "lhv-dist1",
  connection: null,
  neighbours: Effect.succeed([]),
  portsOf: () => Effect.succeed(new Set()),
  ask: () => Effect.never,
  askOutside: (_id, questions) =>
    Effect.succeed(questions.map(() => Result.fail({ type: "NoAnswer", message: "it is away" })))
}

const sample = { total: 0, items: {} }

const row: CheckedRow = {
  timerSeconds: 60,
  committedAt: 0,
  checks: readCheckFile(FILE, {}).checks.map(storedCheck),
  checking: {
    names: ["links"],
    at: 0,
    before: Array.from({ length: TARGETS }, (_, index) => ({
      check: "links",
      id: index + 1,
      hostname: index === 0 ? null : `lhv-acc${index}`,
      sample
    }))
  }
}

it.effect("is over when the timer leaves no more time, also for devices that waited for their turn", () =>
  Effect.gen(function* () {
    const reading = yield* Effect.forkChild(readAfter(context, row, 0))
    // 60 seconds, without the fifth that belongs to the confirmation
    yield* TestClock.adjust("48 seconds")
    const { results } = yield* Fiber.join(reading)
    assert.lengthOf(results ?? [], TARGETS)
    for (const { held, sentence } of results ?? []) {
      assert.isNull(held)
      assert.include(sentence, "there was no answer in time")
    }
  })
)
