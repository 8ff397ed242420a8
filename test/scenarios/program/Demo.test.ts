/** The demo on the simulated campus, as a user starts it: each step fails it when it does not hold. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { runDemo } from "../../support/DemoProgram.ts"
import { seconds } from "../../support/Patience.ts"

it.live(
  "shows two blank switches become MANAGED and a commit become a proved change",
  () =>
    Effect.gen(function* () {
      const { code, said } = yield* runDemo()
      expect(code, said).toBe(0)
      for (const name of ["lhv-acc1", "lhv-acc2"]) {
        expect(said).toContain(`${name}: committed with a timer, proved over a new connection, confirmed`)
      }
      expect(said.trimEnd().endsWith("== Everything held"), said).toBe(true)
      expect(said).not.toContain("level=ERROR")
    }),
  seconds(300)
)
