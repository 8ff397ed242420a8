/**
 * Replicas that are killed or stand still during a live sync (promises 1 to 5): the others end the job truthfully, and who
 * comes back sends nothing. `CHAOS_RUNS=100` makes a campaign of it, `CHAOS_SEED` repeats one.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { randomOf } from "../../support/Random.ts"
import * as ReplicaScene from "./ReplicaScene.ts"
import { seconds } from "../../support/Patience.ts"

const LONG_RUNS = process.env["CHAOS_RUNS"]
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261122")
const SYNC_MS = 1_500
/** A replica that stands still for longer than 6 s has lost its part of the work to the others. */
const LONGEST_PAUSE_MS = 20_000

const short: ReadonlyArray<ReplicaScene.ReplicaRound> = [
  { mode: 1, starts: 0, struck: 0, afterMs: 400, how: "kill" },
  { mode: 2, starts: 1, struck: 2, afterMs: 600, how: 10_000 }
]

const randomRound = (random: () => number): ReplicaScene.ReplicaRound => {
  const below = (bound: number) => Math.floor(random() * bound)
  const mode = below(3)
  return {
    mode: mode === 0 || mode === 1 ? mode : 2,
    starts: below(3),
    struck: below(3),
    afterMs: below(SYNC_MS),
    how: random() < 0.5 ? "kill" : 500 + below(LONGEST_PAUSE_MS)
  }
}

const summary = (outcomes: ReadonlyArray<ReplicaScene.ReplicaOutcome>) => {
  const having = (text: string) =>
    outcomes.filter(({ violations }) => violations.some((line) => line.includes(text))).length
  return {
    rounds: outcomes.length,
    lostJobs: having("lost job"),
    doubleCommits: having("double commit"),
    falseStatements: having("the record says") + having("false success"),
    violated: outcomes.filter(({ violations }) => violations.length > 0).length,
    honestFailures: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    longestRecoveryMs: Math.max(...outcomes.map(({ recoveryMs }) => recoveryMs))
  }
}

it.live(
  "brings a sync to a truthful end although a replica is killed or stands still",
  () =>
    Effect.gen(function* () {
      const scene = yield* ReplicaScene.make
      const random = randomOf(SEED)
      const rounds =
        LONG_RUNS === undefined ? short : Array.from({ length: Number(LONG_RUNS) }, () => randomRound(random))
      const outcomes: Array<ReplicaScene.ReplicaOutcome> = []
      for (const round of rounds) {
        const outcome = yield* scene.run(round)
        outcomes.push(outcome)
        if (LONG_RUNS !== undefined) yield* Console.log(JSON.stringify(outcome))
        if (outcome.violations.includes("lost job")) break
      }
      if (LONG_RUNS !== undefined) yield* Console.log(summary(outcomes))
      assert.deepStrictEqual(
        outcomes.flatMap(({ name, violations }) => violations.map((text) => `${name}: ${text}`)),
        [],
        scene.log()
      )
    }).pipe(Effect.scoped),
  seconds(300 + Number(LONG_RUNS ?? short.length) * 300)
)
