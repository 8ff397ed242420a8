/** Where a job's work belongs in a trace, so that it is told there whenever and wherever it runs (docs/monitoring.md#traces). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column trace text`
})
