/**
 * Abandoned sessions of Switchyard on switches (docs/operations.md#doctor), found by drift checks. It only adds objects:
 * servers of the previous release continue to work, and the next check no longer finds the sessions that they remove.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table left_session (
      device_id integer not null references device on delete cascade,
      name text not null,
      job_id integer not null,
      is_timed boolean not null,
      first_seen timestamptz not null default now(),
      last_seen timestamptz not null default now(),
      primary key (device_id, name)
    )`
  yield* sql`comment on column left_session.job_id is 'the job that its name tells; it need not be known any more'`
  yield* sql`comment on column left_session.is_timed is 'it was committed, and its timer ran when it was seen last'`
})
