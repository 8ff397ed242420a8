/** The demo on the simulated campus, as a user starts it: each step fails it when it does not hold. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { runDemo } from "../../support/DemoProgram.ts"
import { seconds } from "../../support/Patience.ts"

it.live(
  "shows two blank switches become MANAGED, a commit become a proved change, and a check take back a commit that breaks BGP",
  () =>
    Effect.gen(function* () {
      const { code, said } = yield* runDemo()
      expect(code, said).toBe(0)
      for (const name of ["lhv-acc1", "lhv-acc2"]) {
        expect(said).toContain(`${name}: committed with a timer, proved over a new connection, confirmed`)
      }
      expect(said).toMatch(/distribution-bgp: before 1 BGP session .*now 0 BGP sessions/)
      expect(said).toContain("lhv-dist1 was taken back, and runs what it ran before")
      expect(said.trimEnd().endsWith("== Everything held"), said).toBe(true)
      expect(said).not.toContain("level=ERROR")
    }),
  seconds(300)
)
