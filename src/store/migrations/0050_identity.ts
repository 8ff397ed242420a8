/**
 * The identity of devices (docs/security.md#identity-of-devices): indexes to find the owner of a host key and the devices with the same proved
 * configuration, and whether an operator has accepted the key of a device.
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
