/** The progress of an upgrade job on each device, so it continues there after a restart. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table device_upgrade (
      job_id integer not null references job on delete cascade,
      hostname varchar(64) not null,
      progress jsonb not null,
      primary key (job_id, hostname)
    )`
})
