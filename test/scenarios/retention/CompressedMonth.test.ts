/** Days of a whole server within a minute: after its first ones nothing is left of a day but what is to stay. `npm run bench -- month` does thirty. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { passDay } from "../../support/month/Calendar.ts"
import { workDay } from "../../support/month/MonthDay.ts"
import { type MonthSample, takeSample } from "../../support/month/MonthSample.ts"
import { KEPT_DAYS, makeMonthSite } from "../../support/month/MonthSite.ts"
import { command } from "../../support/Program.ts"

const SWITCHES = 3
const DAYS = 7
/** The first day after which everything that a day leaves has had its end once. */
const FULL = KEPT_DAYS + 2

/**
 * Things of which nothing may remain after a day. Connections to the database open and close on their own, and the counts of the
 * overview are kept for ninety days.
 */
const counted = ({ figures: { files, threads }, rows }: MonthSample) => ({
  rows: { ...rows, onboarding: 0, onboarding_distance: 0, overview_history: 0, saved_view: 0 },
  threads,
  files
})

/** Open descriptors, except connections to the database. */
const openOf = ({ figures: { connections, descriptors, sockets } }: MonthSample) => sockets - connections + descriptors

describe("a compressed month", () => {
  it.live.skipIf(process.platform !== "linux")(
    "leaves no row, descriptor or thread of a day, and an audit that can be verified from its beginning",
    () =>
      Effect.gen(function* () {
        const site = yield* makeMonthSite(SWITCHES)
        const samples: Array<MonthSample> = []
        yield* Effect.gen(function* () {
          for (let day = 0; day < DAYS; day++) {
            yield* workDay(site, day)
            yield* passDay
            samples.push(yield* takeSample(site))
          }
          const [first, ...later] = samples.slice(FULL)
          if (first === undefined) return
          for (const day of later) assert.deepStrictEqual(counted(day), counted(first))
          // those that are just being closed are waited for; one that stays is found by the limit of the test
          while (openOf(yield* takeSample(site)) > openOf(first)) yield* Effect.sleep("100 millis")
        }).pipe(Effect.provide(site.database))

        const verdict = yield* site.ask("GET", "/audit/chain")
        assert.match(verdict.text, /"problem":null/)
        const checked = yield* command(site.env, ["audit", "verify"])
        assert.strictEqual(checked.code, 0, checked.text)
      }).pipe(Effect.scoped)
  )
})
