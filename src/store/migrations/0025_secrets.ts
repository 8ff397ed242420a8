/**
 * No column holds a secret in clear text. Texts that are used again are sealed (`runtime/SecretKey.ts`) in their old columns, or in separate
 * columns if the old ones are displayed. Secret settings may be stored here, sealed.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job_device add column sealed_tasks text`
  yield* sql`comment on column job_device.sealed_tasks is 'job_tasks with their secrets, sealed; null when there are none'`
  yield* sql`alter table job add column sealed_arguments text`
  yield* sql`comment on column job.sealed_arguments is 'start_arguments with their secrets, sealed; null when there are none'`
  yield* sql`
    create table derived_secret (
      device_id integer primary key references device on delete cascade,
      sealed text not null
    )`
  yield* sql`comment on table derived_secret is 'what templates have made of secrets in the configuration of a device'`
  yield* sql`
    create table secret (
      name text primary key,
      sealed text not null,
      set_at timestamptz not null default now(),
      set_by text not null default coalesce(acting('name'), 'server')
    )`
  yield* sql`comment on table secret is 'settings that are secret, by the name of their variable'`
})
