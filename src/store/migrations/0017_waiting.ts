/** What a job waits for before it begins: `waiting_for` of the API, as the process that waits has written it last. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column waiting_for jsonb`
})
