/**
 * Calls of plugins are tried again: the number of attempts, and the time of the next attempt. Calls for a removed
 * device no longer belong to a device.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table plugin_run add column attempts integer not null default 1, add column next_at timestamptz`
  yield* sql`create index plugin_run_failed on plugin_run (plugin, started_at) where error is not null`
  yield* sql`alter table device_action alter column device_id drop not null`
})
