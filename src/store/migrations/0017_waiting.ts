/** The reason why a job waits before its begin: `waiting_for` of the API, written by the waiting process. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column waiting_for jsonb`
})
