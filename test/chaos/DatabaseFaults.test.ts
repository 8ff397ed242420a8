/**
 * Everything that can happen to PostgreSQL, while jobs run (promises 3 to 5 and 8): whatever was accepted comes to a truthful
 * end once the database is back, without a restart of the server. `CHAOS_RUNS=200` makes a campaign of it, `CHAOS_SEED`
 * repeats one.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { randomOf } from "../support/Random.ts"
import type { DatabaseFault } from "./DatabaseFaults.ts"
import * as DatabaseScene from "./DatabaseScene.ts"

const LONG_RUNS = process.env["CHAOS_RUNS"]
const ONLY = process.env["CHAOS_FAULT"]
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261122")
/** A sync of the scene takes about this long, in milliseconds. */
const SYNC_MS = 1_200

/** Each kind of harm once: connections that break, a database that is gone, one that refuses, one that does not answer. */
const SHORT = ["three fast restarts", "a killed backend", "a read-only database", "a paused database", "a full disk"]

const works: ReadonlyArray<DatabaseScene.Work> = [1, 2, 0, 1, 2, "refresh"]

const isWanted = ({ name }: DatabaseFault) =>
  ONLY === undefined ? LONG_RUNS !== undefined || SHORT.includes(name) : name.includes(ONLY)

const summary = (outcomes: ReadonlyArray<DatabaseScene.RoundOutcome>) => {
  const having = (text: string) =>
    outcomes.reduce((sum, { violations }) => sum + violations.filter((line) => line.includes(text)).length, 0)
  const total = (count: (outcome: DatabaseScene.RoundOutcome) => number) =>
    outcomes.reduce((sum, outcome) => sum + count(outcome), 0)
  return {
    faults: outcomes.length,
    acceptedJobs: total(({ accepted }) => accepted),
    refusedRequests: total(({ refused }) => refused),
    lostJobs: having("lost job"),
    leakedLocks: having("leaked lock"),
    openChanges: having("open change"),
    falseStatements: having("the record says") + having("false success") + having("synchronized is"),
    violations: total(({ violations }) => violations.length),
    honestFailures: total(({ failed }) => failed),
    longestRecoveryMs: Math.max(...outcomes.map(({ recoveryMs }) => recoveryMs))
  }
}

it.live(
  "brings everything that was accepted to a truthful end, whatever happens to the database",
  () =>
    Effect.gen(function* () {
      const random = randomOf(SEED)
      const scene = yield* DatabaseScene.make(random)
      const faults = scene.faults.filter(isWanted)
      const rounds = Number(LONG_RUNS ?? faults.length)
      const outcomes: Array<DatabaseScene.RoundOutcome> = []
      for (let index = 0; index < rounds; index += 1) {
        const fault = faults[index % faults.length]
        const work = works[LONG_RUNS === undefined ? index % works.length : Math.floor(random() * works.length)]
        if (fault === undefined || work === undefined) continue
        const outcome = yield* scene.run({ work, fault, afterMs: Math.round(random() * SYNC_MS) })
        outcomes.push(outcome)
        if (LONG_RUNS !== undefined) yield* Console.log(JSON.stringify(outcome))
        if (outcome.violations.some((text) => text.startsWith("lost job"))) break
      }
      if (LONG_RUNS !== undefined) yield* Console.log(summary(outcomes))
      assert.deepStrictEqual(
        outcomes.flatMap(({ name, violations }) => violations.map((text) => `${name}: ${text}`)),
        [],
        scene.log()
      )
    }).pipe(Effect.scoped),
  120_000 + Number(LONG_RUNS ?? SHORT.length) * 200_000
)
