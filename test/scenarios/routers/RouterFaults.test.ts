import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { describeReal } from "../../support/RealFabric.ts"
import { type Ending, routerFaults } from "./RouterFaults.ts"
import { type Outcome, play } from "./RouterScene.ts"

const isSuch = (outcome: Outcome, ending: Ending): boolean =>
  outcome.runs === ending.runs &&
  outcome.startsWith === ending.startsWith &&
  outcome.says === ending.says &&
  (ending.failure ?? /^/).test(outcome.failure)

describeReal("a change of a real router", () => {
  for (const { config, endings, fault, moment, strike } of routerFaults) {
    it.live(`ends as it must: ${fault}, ${moment}`, () =>
      Effect.gen(function* () {
        const outcome = yield* play(moment, strike, config)
        const fits = endings.some((ending) => isSuch(outcome, ending))
        expect(fits, JSON.stringify(outcome, undefined, 2)).toBe(true)
        expect(outcome.left).toBe("")
      })
    )
  }
})
