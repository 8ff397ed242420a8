/**
 * Calls of plugins are tried again: how often a call was begun, and when the next attempt is due. What is told of a device that was
 * removed belongs to no device any more.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table plugin_run add column attempts integer not null default 1, add column next_at timestamptz`
  yield* sql`create index plugin_run_failed on plugin_run (plugin, started_at) where error is not null`
  yield* sql`alter table device_action alter column device_id drop not null`
})
