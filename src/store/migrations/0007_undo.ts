/** Data for an undo: the configuration before a change, and the results of a job that still wait for other devices. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table config_change add column old_config text`
  yield* sql`comment on column config_change.old_config is 'what ran before the change; dropped when the change came to nothing'`
  yield* sql`alter table job_device add column waiting boolean not null default false`
  yield* sql`comment on column job_device.waiting is 'committed with a timer and proved, but neither confirmed nor reverted yet'`
})
