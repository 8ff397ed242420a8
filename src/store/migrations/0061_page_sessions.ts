/**
 * Sessions of users in the page (docs/sign-on.md#the-page): their sealed login, and how often their cookie was exchanged. The
 * browser has only the cookie, so a deleted row ends the session. It only adds objects: earlier releases ignore it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table page_session (
      id uuid primary key,
      sealed text not null,
      generation integer not null default 0,
      begun_at timestamptz not null default now(),
      rotated_at timestamptz not null default now(),
      ends_at timestamptz not null
    )`
  yield* sql`create index page_session_ends on page_session (ends_at)`
})
