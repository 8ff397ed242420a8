/**
 * The retention of events (docs/events.md#retention): the number up to which events were removed, so a client that continues from an earlier
 * number is informed. Old rows are removed in small parts of a large table, so vacuum starts by the number of rows and not by the table's size.
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
