/** The counts of the overview over time, through the API and the upkeep that writes them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OverviewHistory } from "../../src/domain/OverviewHistory.ts"
import { makeOverviewHistory } from "../../src/store/FleetViews.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"

const points = Effect.fnUntraced(function* (query: string) {
  const { body } = yield* (yield* ApiClient).get(`/overview/history?${query}`)
  return Schema.decodeUnknownSync(Schema.Struct({ data: OverviewHistory }))(body).data.points
})

layer(ApiServer(), { excludeTestServices: true })("The counts of the overview over time", (it) => {
  it.effect("are kept once an hour, removed when they are old, and end with the present ones", () =>
    Effect.gen(function* () {
      yield* setScene()
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from overview_history`
      const history = yield* makeOverviewHistory
      yield* history.add
      yield* history.add
      assert.lengthOf(yield* sql`select from overview_history`, 1)
      yield* sql`update overview_history set at = now() - interval '7 hours'`
      yield* sql`insert into overview_history (at, counts) select now() - interval '91 days', counts from overview_history`
      yield* sql`insert into sync_event (hostname, cause, happened_at, by) values ('dist1', 'drift', 1, 'scheduler')`
      yield* sql`update device set synchronized = false where hostname = 'dist1'`
      yield* history.add
      assert.lengthOf(yield* sql`select from overview_history`, 2)
      const all = yield* points("hours=24&step=6")
      assert.deepEqual(
        all.map(({ drifted, in_sync, total, unsynchronized_by }) => ({
          drifted,
          in_sync,
          total,
          by: unsynchronized_by
        })),
        [
          { drifted: 0, in_sync: 4, total: 9, by: { refresh_settings: 1, unknown: 1 } },
          { drifted: 1, in_sync: 3, total: 9, by: { refresh_settings: 1, unknown: 1, drift: 1 } }
        ]
      )
      assert.lengthOf(yield* points("hours=1"), 1)
    })
  )
})
