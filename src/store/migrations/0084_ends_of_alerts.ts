/** Open alerts that have an end, among all that are kept: the server looks every few seconds whether their cause is over. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index alert_unresolved on alert (rule) where resolved_at is null`
})
