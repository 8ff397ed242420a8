/** PostgreSQL fails over to a standby by streaming replication, while switches are changed (promises 3 to 5 and 8). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { seconds } from "../../support/Patience.ts"
import * as PostgresProcess from "../../support/PostgresProcess.ts"
import { randomOf } from "../../support/Random.ts"
import * as DatabaseScene from "./DatabaseScene.ts"

it.live(
  "brings a live sync and all other jobs to a true end when the database fails over to its standby",
  () =>
    Effect.gen(function* () {
      const { failOver, postgres } = yield* PostgresProcess.makePair
      const scene = yield* DatabaseScene.make(randomOf(20261123), postgres, 20)
      const fault = { name: "a fail-over to the standby", strike: () => failOver }
      const { accepted, violations } = yield* scene.run({ work: 2, fault, afterMs: 500 })
      assert.deepStrictEqual(violations, [], scene.log())
      assert.isAbove(accepted, 1)
      assert.include(scene.log(), "The database is away")
      assert.include(scene.log(), "The database is back")
    }).pipe(Effect.scoped),
  seconds(200)
)
