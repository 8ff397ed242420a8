/**
 * kill -9 at each step of a live sync of ten switches and at random instants (promises 3, 4 and 5). `CHAOS_RUNS=200` makes a
 * campaign of it, `CHAOS_SEED` repeats one.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { randomOf } from "../../support/Random.ts"
import * as SyncScene from "./SyncScene.ts"
import { seconds } from "../../support/Patience.ts"

const RANDOM_RUNS = Number(process.env["CHAOS_RUNS"] ?? "6")
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261121")
/** A sync of the scene takes about this long, in milliseconds. */
const SYNC_MS = 700
const AGAIN_MS = 800

const command = (name: string, pattern: RegExp): SyncScene.Kill => ({
  name,
  reached: ({ commands }) => commands.some((line) => pattern.test(line))
})
const commit = (name: string, pattern: RegExp): SyncScene.Kill => ({
  name,
  reached: ({ commits }) => commits.some((line) => pattern.test(line))
})

const steps: ReadonlyArray<SyncScene.Kill> = [
  command("when the first switch is logged in to", /^show running-config/),
  command("before the load", /^configure session job\d+$/),
  command("after the load", /^show session-config diffs/),
  command("as the commit is sent", /commit timer/),
  commit("after the commit", /^commitTimer /),
  command("while it is compared", /-check$/),
  commit("before the confirmation", /^abort job\d+-check/),
  commit("after the confirmation", /^confirm /),
  command("before the row is written", /^write memory/)
]

/** Steps of a sync that confirms all switches together. */
const together: ReadonlyArray<SyncScene.Kill> = [
  commit("after the commit", /^commitTimer /),
  commit("when the first waits for the others", /^abort job\d+-check/),
  commit("after the first confirmation", /^confirm /),
  command("while the first is saved", /^write memory/)
]

/** Steps of a sync without commit timers. */
const atOnce: ReadonlyArray<SyncScene.Kill> = [
  command("as the commit is sent", /^configure session job\d+ commit$/),
  commit("after the commit", /^commit /),
  command("while the first is saved", /^write memory/)
]

const summary = (outcomes: ReadonlyArray<SyncScene.RunOutcome>) => {
  const having = (text: string) =>
    outcomes.filter(({ violations }) => violations.some((line) => line.includes(text))).length
  const times = outcomes.filter(({ killed }) => killed).map(({ recoveryMs }) => recoveryMs)
  return {
    runs: outcomes.length,
    killed: times.length,
    lostJobs: having("lost job"),
    doubleCommits: having("double commit"),
    falseSuccesses: having("false success"),
    unknownStates: having("neither"),
    violated: outcomes.filter(({ violations }) => violations.length > 0).length,
    honestFailures: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    longestRecoveryMs: Math.max(0, ...times)
  }
}

const play = (mode: 0 | 1 | 2, kills: ReadonlyArray<SyncScene.Kill>, randomRuns: number) =>
  Effect.gen(function* () {
    const scene = yield* SyncScene.make(mode)
    const random = randomOf(SEED + mode)
    const outcomes: Array<SyncScene.RunOutcome> = []
    for (const step of kills) outcomes.push(yield* scene.run(step))
    for (let index = 0; index < randomRuns; index += 1) {
      const afterMs = Math.round(random() * SYNC_MS * Math.max(1, mode))
      const again = random() < 0.3 ? Math.round(random() * AGAIN_MS) : undefined
      outcomes.push(yield* scene.run({ name: `${afterMs} ms after the start`, afterMs }, again))
    }
    if (process.env["CHAOS_RUNS"] !== undefined) yield* Console.log(summary(outcomes))
    assert.deepStrictEqual(
      outcomes.flatMap(({ kill, violations }) => violations.map((text) => `killed ${kill}: ${text}`)),
      []
    )
    assert.isAtLeast(outcomes.filter(({ killed }) => killed).length, kills.length)
    assert.strictEqual(yield* scene.stop, 0)
  }).pipe(Effect.scoped)

it.live(
  "brings every switch to the old or the new configuration, and says which, wherever the server is killed",
  () => play(1, steps, RANDOM_RUNS),
  seconds(900 + RANDOM_RUNS * 60)
)

it.live(
  "does so as well when changes are committed without a timer",
  () => play(0, atOnce, Math.ceil(RANDOM_RUNS / 4)),
  seconds(900 + RANDOM_RUNS * 60)
)

it.live(
  "confirms all switches or none, and says so, wherever the server is killed",
  () => play(2, together, Math.ceil(RANDOM_RUNS / 2)),
  seconds(900 + RANDOM_RUNS * 60)
)
