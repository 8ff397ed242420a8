/**
 * The retention of events (docs/events.md#retention): up to which number they were removed, so that whoever goes on from before it is told.
 * Rows go where others came long ago, so the table is vacuumed by their number and not by its size.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table event_removed (one boolean primary key default true check (one), through bigint not null)`
  yield* sql`comment on table event_removed is 'events up to this number that are not part of the audit were removed'`
  yield* sql`alter table event set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000,
    autovacuum_analyze_scale_factor = 0.02)`
})
