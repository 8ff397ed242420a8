/**
 * The log of events, which never change: each event has its actor and is written in the transaction of its change. `at` is the time of the
 * statement; `transaction` shows readers how far the log is complete: a row counts once no older transaction is open.
 * The client sets the actor of each transaction (`DatabaseClient.ts`); without a caller the actor is the server.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function acting(field text) returns text language sql stable as $$
      select nullif(current_setting('switchyard.acting', true), '')::jsonb ->> field
    $$`
  yield* sql`
    create table event (
      id bigint generated always as identity primary key,
      transaction xid8 not null default pg_current_xact_id(),
      at timestamptz not null default clock_timestamp(),
      kind text not null,
      action text not null,
      actor text not null default coalesce(acting('name'), 'server'),
      way text not null default coalesce(acting('way'), 'server'),
      address text default acting('address'),
      device_id integer,
      hostname text,
      job_id integer default acting('job')::integer,
      is_audit boolean not null,
      data jsonb not null
    )`
  yield* sql`create index event_device on event (device_id, id) where device_id is not null`
  yield* sql`create index event_job on event (job_id, id) where job_id is not null`
  yield* sql`create index event_audit on event (id) where is_audit`
  yield* sql`
    create function event_is_final() returns trigger language plpgsql as $$
      begin
        if current_setting('switchyard.retention', true) = 'on' and tg_op = 'DELETE' then return old; end if;
        raise exception 'events are never changed';
      end
    $$`
  yield* sql`create trigger event_is_final before update or delete on event for each row execute function event_is_final()`
  yield* sql`create trigger event_stays before truncate on event for each statement execute function event_is_final()`
})
