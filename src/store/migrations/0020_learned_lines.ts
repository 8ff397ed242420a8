/** The observed spelling of lines by release. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table learned_line (
      platform text not null,
      release text not null,
      shape text not null,
      shown text,
      learned_at timestamptz not null default now(),
      primary key (platform, release, shape)
    )`
  yield* sql`comment on column learned_line.shape is 'headings and line, numbers as # where shown tells where they go'`
  yield* sql`comment on column learned_line.shown is 'lines by which it is shown; null: the switch does not take it'`
})
