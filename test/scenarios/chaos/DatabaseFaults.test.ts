/**
 * Everything that can happen to PostgreSQL, while jobs run (promises 3 to 5 and 8): whatever was accepted comes to a truthful
 * end once the database is back, without a restart of the server. `CHAOS_RUNS=200` makes a campaign of it, `CHAOS_SEED`
 * repeats one.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { randomOf } from "../../support/Random.ts"
import { type DatabaseFault, FULL_DISK, several } from "./DatabaseFaults.ts"
import * as DatabaseScene from "./DatabaseScene.ts"
import { seconds } from "../../support/Patience.ts"

const LONG_RUNS = process.env["CHAOS_RUNS"]
const ONLY = process.env["CHAOS_FAULT"]
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261122")
/** A sync of the scene takes about this long, in milliseconds. */
const SYNC_MS = 1_200

/** Each kind of harm once: connections that break, a missing database, one that refuses, one that does not answer. */
const SHORT = [
  "three fast restarts",
  "a killed backend",
  "a read-only database",
  "answers lost after the commit",
  FULL_DISK
]

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

/** Rounds of the long form: each fault in turn, sometimes with others, at any instant, sometimes with an abort. */
const longRound = (faults: ReadonlyArray<DatabaseFault>, index: number, random: () => number): DatabaseScene.Round => {
  const any = <A>(list: ReadonlyArray<A>, fallback: A) => list[Math.floor(random() * list.length)] ?? fallback
  const [first] = faults
  assert.isDefined(first)
  const fault = faults[index % faults.length] ?? first
  return {
    work: any(works, 1),
    fault: random() < 0.25 ? several([fault, any(faults, fault)]) : fault,
    afterMs: Math.round(random() * SYNC_MS),
    ...(random() < 0.15 ? { abortMs: Math.round(random() * 2 * SYNC_MS) } : {})
  }
}

const shortRound = (fault: DatabaseFault, index: number): DatabaseScene.Round => ({
  work: works[index % works.length] ?? 1,
  fault,
  afterMs: 200 + index * 100
})

it.live(
  "brings all accepted work to a true end, whatever happens to the database",
  () =>
    Effect.gen(function* () {
      const random = randomOf(SEED)
      const scene = yield* DatabaseScene.make(random)
      const faults = scene.faults.filter(isWanted)
      if (!scene.faults.some(({ name }) => name === FULL_DISK)) {
        yield* Console.log(`Left out: ${FULL_DISK}, because only root can make a small file system`)
      }
      const isLong = LONG_RUNS !== undefined
      const rounds = isLong
        ? Array.from({ length: Number(LONG_RUNS) }, (_, index) => longRound(faults, index, random))
        : faults.map(shortRound)
      const outcomes: Array<DatabaseScene.RoundOutcome> = []
      for (const round of rounds) {
        const outcome = yield* scene.run(round)
        outcomes.push(outcome)
        if (isLong) yield* Console.log(JSON.stringify(outcome))
        // the next sync would only wait for the lock
        if (outcome.violations.some((text) => text.startsWith("lost job"))) break
      }
      if (isLong) yield* Console.log(summary(outcomes))
      assert.deepStrictEqual(
        outcomes.flatMap(({ name, violations }) => violations.map((text) => `${name}: ${text}`)),
        [],
        scene.log()
      )
    }).pipe(Effect.scoped),
  seconds(300 + Number(LONG_RUNS ?? SHORT.length) * 300)
)
