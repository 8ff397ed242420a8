/** The trace of a job's work, so it is recorded there at any time and on any replica (docs/monitoring.md#traces). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column trace text`
})
