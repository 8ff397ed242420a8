/**
 * Shows whether a server can work with this database: the oldest release that each migration allows (`Migrations.ts`
 * writes it), and a row that health checks write.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table switchyard_migrations add column oldest_compatible text`
  yield* sql`comment on column switchyard_migrations.oldest_compatible is 'oldest release of the program that can work with the database from this migration on'`
  yield* sql`create table written_check (
    one boolean primary key default true check (one),
    written_at timestamptz not null default now()
  )`
  yield* sql`comment on table written_check is 'one row that health checks write, because only a write shows that the database can be written'`
})
