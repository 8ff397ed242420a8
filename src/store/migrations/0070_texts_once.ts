/**
 * Configurations are stored once from the beginning (docs/operations.md#stored-once): a change refers to them at once, and they are bytes,
 * which travel without base64. `whole_text` yields the same sealed text for both forms, so servers of an earlier commit can
 * continue a change of a newer one.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table stored_text alter column body drop not null, add column packed bytea`
  yield* sql`alter table stored_text alter column packed set storage external`
  yield* sql`comment on column stored_text.body is 'as text, of earlier releases; null if packed is there'`
  yield* sql`comment on column stored_text.packed is 'six bytes that name the key, zeros without one, and the sealed text'`
  yield* sql`comment on column stored_text.stored_at is 'when it was last stored, or referred to for the first time in an hour'`
  yield* sql`
    create or replace function whole_text(stored text) returns text language sql stable as $$
      select case when starts_with(stored, 'sealed:1:storedconfig:')
        then coalesce((select case when packed is null then body
            when substring(packed for 6) = '\\x000000000000' then convert_from(substring(packed from 7), 'UTF8')
            else 'sealed:1:' || encode(substring(packed for 6), 'hex') || ':' || encode(substring(packed from 7), 'base64') end
          from stored_text where hash = substr(stored, 23)), stored) else stored end
    $$`
})
