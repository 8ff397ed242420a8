/**
 * A database that is struck while a new switch is initialised (promises 3 to 5 and 8): it becomes MANAGED exactly once and
 * as ever, without a restart of the server. `CHAOS_RUNS=200` strikes so often, `CHAOS_SEED` repeats a campaign.
 */
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Console, Effect, Redacted, Schedule } from "effect"
import * as PostgresProcess from "../../support/PostgresProcess.ts"
import { randomOf } from "../../support/Random.ts"
import { clientBackends, possible } from "./DatabaseFaults.ts"
import { kinds } from "./InitKinds.ts"
import * as InitScene from "./InitScene.ts"
import { seconds } from "../../support/Patience.ts"

/** An initialisation takes as long as many syncs, and each needs a switch and ports of its own. */
const LONG_RUNS = process.env["CHAOS_RUNS"]
const RUNS = LONG_RUNS === undefined ? 2 : Math.min(40, Math.ceil(Number(LONG_RUNS) / 5))
const SEED = Number(process.env["CHAOS_SEED"] ?? "20261122")
/** So long ones would let the switch give up, which is another story. */
const TOO_LONG = "a long outage"

it.live(
  "makes a switch MANAGED exactly once whatever happens to the database",
  () =>
    Effect.gen(function* () {
      const postgres = yield* PostgresProcess.make
      const random = randomOf(SEED)
      const client = PgClient.layer({
        url: Redacted.make(postgres.url),
        maxConnections: 1,
        applicationName: "tester"
      })
      const backends = clientBackends.pipe(
        Effect.provide(client),
        Effect.retry(Schedule.spaced("200 millis")),
        Effect.orDie
      )
      const faults = possible(postgres).filter(({ name }) => name !== TOO_LONG)
      const scene = yield* InitScene.make(kinds.access, RUNS + 1, postgres.url)
      const { left: unharmed, ms } = yield* (yield* scene.next).attempt(null)
      assert.deepInclude(unharmed, { reservations: 0, strays: 0, locks: 0, openChanges: 0 })
      for (let index = 0; index < RUNS; index += 1) {
        const fault = faults[Math.floor(random() * faults.length)]
        assert.isDefined(fault)
        const afterMs = Math.round(random() * ms)
        const { attempt } = yield* scene.next
        const strike = Effect.suspend(() => fault?.strike({ postgres, random, backends }) ?? Effect.void)
        const name = `${fault?.name} ${afterMs} ms after the start`
        const { jobs, left, recoveryMs } = yield* attempt({ what: strike, when: { name, afterMs } })
        if (LONG_RUNS !== undefined) yield* Console.log(name, `done after ${recoveryMs} ms`)
        assert.deepStrictEqual(left, unharmed, `${name}: ${JSON.stringify(jobs)}`)
      }
    }).pipe(Effect.scoped),
  seconds(300 + RUNS * 300)
)
