/**
 * Three replicas over one database in the middle of their work, and every few seconds something that they need breaks: every job ends
 * truthfully, nothing is done twice, nothing is left, and clients see only that they have to ask again. `CHAOS_MINUTES=10` makes a
 * campaign of it (`npm run chaos -- world`), with `CHAOS_SWITCHES` switches; `CHAOS_SEED` repeats the order of faults, `CHAOS_FAULT`
 * chooses those whose names hold it, `CHAOS_FAULT=none` none.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { seconds } from "../../support/Patience.ts"
import { randomOf } from "../../support/Random.ts"
import * as World from "./World.ts"
import { faults, type WorldFault } from "./WorldFaults.ts"
import { play, type Plan } from "./WorldStory.ts"

const MINUTES = process.env["CHAOS_MINUTES"]
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261124")
const ONLY = process.env["CHAOS_FAULT"]
const SWITCHES = Number(process.env["CHAOS_SWITCHES"] ?? (MINUTES === undefined ? "12" : "60"))
const EVERY_MS = 20_000
/** Broken promises that are shown: those of a thousand switches are like each other. */
const SHOWN = 100
/** One switch in so many is a new one. */
const BLANK = 10

const chosen = faults.filter(({ name }) => ONLY === undefined || name.includes(ONLY))

/** In any order. */
const shuffled = (random: () => number): ReadonlyArray<WorldFault> =>
  chosen
    .map((fault) => ({ fault, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ fault }) => fault)

/** Each kind once. */
const shortPlan = (random: () => number): Plan => {
  const kinds = new Map(shuffled(random).map((fault) => [fault.kind, fault] as const))
  return { faults: [...kinds.values()] }
}

/** Each fault as often as any other, until the time has passed. */
const longPlan = (minutes: number, random: () => number): Plan => {
  const count = Math.ceil((minutes * 60_000) / EVERY_MS)
  const drawn: Array<WorldFault> = []
  while (drawn.length < count && chosen.length > 0) {
    const fresh = shuffled(random).filter((fault) => fault.once !== true || !drawn.includes(fault))
    if (fresh.length === 0) break
    drawn.push(...fresh)
  }
  return { faults: drawn.slice(0, count), everyMs: EVERY_MS }
}

it.live(
  "continues with true records whatever fails: replicas, links between them, the database, git or switches",
  () =>
    Effect.gen(function* () {
      const random = randomOf(SEED)
      const blank = Math.min(40, Math.max(2, Math.floor(SWITCHES / BLANK)))
      const world = yield* World.make({ managed: SWITCHES - blank, blank }, random)
      const plan = MINUTES === undefined ? shortPlan(random) : longPlan(Number(MINUTES), random)
      const { counts, violations } = yield* Effect.provide(play(world, plan), world.stores)
      yield* Console.log(JSON.stringify(counts, null, 1))
      assert.deepStrictEqual(violations.slice(0, SHOWN), [], `${violations.length} broken promises\n${world.log()}`)
      assert.isAbove(counts.changed, 0)
    }).pipe(Effect.scoped),
  seconds(600) + Number(MINUTES ?? "0") * seconds(120)
)
