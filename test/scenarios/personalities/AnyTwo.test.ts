/**
 * Any two personalities and any one fault together: whatever becomes of such a switch, its record is true and nothing of ours is
 * left on it. `CHAOS_RUNS=400` makes a campaign of it, `CHAOS_SEED` repeats one (`npm run chaos -- personalities`).
 */
import { assert, it } from "@effect/vitest"
import { Arbitrary, Console, Effect, Schema } from "effect"
import { seconds } from "../../support/Patience.ts"
import { givenUpAfter } from "../../support/SilentSwitches.ts"
import { faultCases } from "../chaos/FaultTable.ts"
import { play, type Trial } from "./AnyTwoScene.ts"
import { personalityNames } from "./PersonalityTable.ts"

const LONG_RUNS = process.env["CHAOS_RUNS"]
const RUNS = Number(LONG_RUNS ?? "40")
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261122")
/** Switches of one lab: each has a fault of its own, so that they end at about the same time. */
const AT_ONCE = 40

givenUpAfter({ connect: 6, firstPrompt: 6, show: 6, runningConfig: 6, load: 6, commit: 5, save: 5 })

const [none] = faultCases
/** What nobody can tell to the switch any more ends with its timer and 45 seconds: only a campaign has the time. */
const usable = faultCases.filter(({ ending }) => LONG_RUNS !== undefined || ending.untold !== true)

const Any = Schema.Struct({
  first: Schema.Literals(personalityNames),
  second: Schema.Literals(personalityNames),
  fault: Schema.Literals(usable.map((_, index) => index)),
  mode: Schema.Literals([0, 1])
})

/** The trials that follow from the seed, in portions for one lab each. */
const portions = Effect.gen(function* () {
  const samples = yield* Arbitrary.sampleEffect(Arbitrary.schema(Any), { count: RUNS, seed: SEED })
  const trials = samples.flatMap(({ fault, ...trial }): ReadonlyArray<Trial> => {
    const found = usable[fault]
    return found === undefined ? [] : [{ ...trial, fault: found }]
  })
  return Array.from({ length: Math.ceil(trials.length / AT_ONCE) }, (_, index) =>
    trials.slice(index * AT_ONCE, (index + 1) * AT_ONCE)
  )
})

it.live(
  `any two personalities and any one fault leave a true record (${RUNS} trials, seed ${SEED})`,
  () =>
    Effect.gen(function* () {
      assert.isDefined(none)
      const plain: Trial = { first: "plain", second: "plain", fault: none, mode: 1 }
      const played = []
      for (const portion of yield* portions) played.push(yield* play([plain, ...portion]))
      const problems = played.flatMap((one) => one.problems)
      const done = played.reduce((sum, one) => sum + one.done, 0)
      if (LONG_RUNS !== undefined) yield* Console.log({ trials: RUNS, seed: SEED, done, untrue: problems.length })
      assert.deepStrictEqual(problems, [])
      // a plain switch is among each portion
      assert.isAbove(done, played.length, "no trial went well: the records say nothing that could be untrue")
    }),
  seconds(600) + RUNS * seconds(3)
)
