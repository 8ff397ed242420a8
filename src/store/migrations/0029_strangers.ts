/**
 * Devices that this server did not provision: their host key may be known without being pinned (`refused_fingerprint` alone), until
 * an operator approves it. `is_provisioned` is true once this server has moved a new switch to its address.
 * The login that was accepted last may also be a key.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table host_key alter column fingerprint drop not null,
    add column is_provisioned boolean not null default false`
  yield* sql`alter table accepted_login drop constraint accepted_login_slot_check,
    add constraint accepted_login_slot_check check (slot in ('key', 'current', 'next'))`
  yield* sql`
    create table certificate (
      serial text primary key,
      job_id integer not null,
      device_id integer references device (id) on delete set null,
      hostname text not null,
      address text not null,
      issued_at timestamptz not null,
      not_after timestamptz not null,
      revoked_at timestamptz,
      reason text
    )`
  yield* sql`create index certificate_device on certificate (device_id) where device_id is not null`
  yield* sql`create index certificate_revoked on certificate (revoked_at) where revoked_at is not null`
})
