/** Reading `windows.yml`: at the start, after changes, when it is invalid, and when it is deleted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChangeWindows } from "../../src/access/ChangeWindows.ts"
import { configOf } from "../support/ApiServer.ts"
import { keepLines } from "../support/LogLines.ts"
import { type RuleFolder, withRuleFile } from "./RuleFolder.ts"

const named = (name: string) =>
  `windows: { ${name}: { all: true, timezone: UTC, weekly: [{ from: "22:00", to: "04:00" }] } }\n`

/** Runs with the windows of a folder. */
const inFolder = <A, E, R>(first: string | null, run: (write: RuleFolder["write"]) => Effect.Effect<A, E, R>) =>
  withRuleFile("windows.yml", first, ({ DATA_DIR, write }) =>
    Effect.provide(run(write), ChangeWindows.layer.pipe(Layer.provide(configOf({ DATA_DIR }))))
  )

const read = Effect.gen(function* () {
  yield* TestClock.adjust("3 seconds")
  const { problem, rules } = yield* (yield* ChangeWindows).inForce
  return { windows: rules?.windows.map(({ name }) => name).join(" ") ?? "none", problem }
})

describe("windows.yml", () => {
  it.effect("is reloaded when it changes, and stays in force when it becomes invalid or is deleted", () =>
    Effect.gen(function* () {
      const { lines, layer } = keepLines("Warn")
      const seen = inFolder(named("a"), (write) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* read, { windows: "a", problem: null })
          yield* write(named("b"))
          assert.deepStrictEqual(yield* read, { windows: "b", problem: null })
          for (const wrong of ["windows: [", "", named("c").replace("UTC", "Mars/Base"), null]) {
            yield* write(wrong)
            const { problem, windows } = yield* read
            assert.strictEqual(windows, "b")
            assert.include(problem ?? "", "cannot be used")
          }
          yield* write(named("d"))
          assert.deepStrictEqual(yield* read, { windows: "d", problem: null })
        })
      )
      yield* Effect.provide(seen, layer)
      const said = lines.filter(({ text }) => text.includes("stay in force"))
      assert.strictEqual(said.length, 4, JSON.stringify(said))
    })
  )

  it.effect("is reloaded although the clock was set back", () =>
    inFolder(named("a"), (write) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(3_600_000)
        assert.strictEqual((yield* read).windows, "a")
        yield* TestClock.setTime(0)
        yield* write(named("b"))
        assert.strictEqual((yield* read).windows, "b")
      })
    )
  )

  it.effect("stops the start if it is invalid, and limits nothing while it is missing", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(inFolder("windows: 5", () => read))
      assert.include(String(failed), "cannot be used")
      const seen = inFolder(null, (write) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* read, { windows: "none", problem: null })
          yield* write(named("a"))
          assert.deepStrictEqual(yield* read, { windows: "a", problem: null })
        })
      )
      yield* seen
    })
  )
})
