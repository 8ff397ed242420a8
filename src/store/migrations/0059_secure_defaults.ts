/**
 * Whether what nobody has set counts as its safe value (docs/security.md#secure-defaults). A database that this release makes says yes; one that
 * was there before says no, so that an upgrade, and a restore of an older backup, changes nothing of an existing installation.
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
  // set by the run that makes a database, for its transaction (Migrations.ts)
  yield* sql`insert into secure_defaults (counts)
    values (coalesce(current_setting('switchyard.made_new', true), '') = 'true')`
})
