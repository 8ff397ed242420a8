/** The commit of each repository that is in force, with its files, so a restart or a lost remote changes nothing. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table repository (
      name text not null,
      ref text not null default '',
      url text not null,
      commit text not null,
      description text not null,
      files jsonb not null,
      applied_at timestamptz not null default now(),
      primary key (name, ref)
    )`
})
