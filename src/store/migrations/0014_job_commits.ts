/**
 * The commits that a job works on, and the files of replaced commits while an unfinished job works on them. Servers of earlier releases
 * ignore these columns.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column settings_commit text, add column templates_commit text, add column pinned jsonb`
  yield* sql`comment on column job.pinned is 'set when the commits are: those of branches of the templates, and the newest sync event then'`
  yield* sql`
    create table repository_kept (
      name text not null,
      commit text not null,
      files jsonb not null,
      primary key (name, commit)
    )`
})
