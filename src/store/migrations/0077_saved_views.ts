/** Views of lists that people save under a name (docs/api.md#saved-views), for themselves or for everybody. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table saved_view (
      id integer generated always as identity primary key,
      owner text not null,
      list text not null,
      name text not null,
      query text not null,
      shared boolean not null,
      saved_at timestamptz not null default now(),
      unique (owner, list, name)
    )`
  yield* sql`comment on column saved_view.query is 'filters, columns and order, as the query of the address of the page'`
})
