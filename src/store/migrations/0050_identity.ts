/**
 * What tells devices apart (docs/security.md#identity-of-devices): whose host key a fingerprint is and what another device was proved to
 * run are looked up, and an operator may have accepted what a device shows.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table host_key add column is_trusted boolean not null default false`
  yield* sql`create index host_key_fingerprint on host_key (fingerprint) where fingerprint is not null`
  yield* sql`create index device_serial_value on device (upper(btrim(serial))) where serial is not null`
  yield* sql`create index proved_config_hash on proved_config (hash)`
})
