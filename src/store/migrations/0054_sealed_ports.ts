/**
 * Data of ports with a secret in a text (docs/security.md#what-is-stored): `data` has marks instead of secrets, so
 * events and lists show none; another column holds the sealed data.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table interface add column sealed_data text`
  yield* sql`comment on column interface.sealed_data is 'the data, sealed; empty when no text in it has a secret, so that data is all of it; null when an earlier release has stored it'`
  // sealing stored data is no change, and an event would show the old data
  yield* sql`drop trigger audit_update on interface`
  yield* sql`create trigger audit_update after update on interface for each row
    when ((old.name, old.configtype, old.data) is distinct from (new.name, new.configtype, new.data)
      and coalesce(current_setting('switchyard.sealing', true), '') = '')
    execute function audit_row('{name,configtype,data}', 'false')`
})
