/**
 * Whether unset settings have their safe values (docs/security.md#secure-defaults). True in a database that this release creates; false in an
 * existing one, so an upgrade, and the restore of an older backup, do not change an existing installation.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table secure_defaults (
    only_row boolean primary key default true check (only_row),
    counts boolean not null
  )`
  yield* sql`comment on table secure_defaults is 'whether settings that nobody has set have their safe values; written once, when the schema gets this table'`
  // set by the run that creates a database, for its transaction (Migrations.ts)
  yield* sql`insert into secure_defaults (counts)
    values (coalesce(current_setting('switchyard.made_new', true), '') = 'true')`
})
