/** Who has taken an alert on, and when (docs/alerts.md#acknowledging). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table alert add column acknowledged_at timestamptz, add column acknowledged_by text,
    add column acknowledged_comment text`
})
