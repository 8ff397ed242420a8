/**
 * Data of ports with a secret in one of their texts (docs/security.md#what-is-stored): `data` has marks in the place of secrets, so that
 * events and lists show none, and the data itself stands sealed beside it.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table interface add column sealed_data text`
  yield* sql`comment on column interface.sealed_data is 'the data, sealed; null when no text in it has a secret, so that data is all of it'`
})
