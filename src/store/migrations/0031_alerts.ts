/**
 * Alerts (docs/alerts.md): the place up to which the log of events was read, the alerts, and each message to each receiver until it
 * arrives. The place in the log moves in the transaction that writes the alerts, so each event counts exactly once.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table alert_position (one boolean primary key default true check (one), event_id bigint not null)`
  yield* sql`
    create table alert (
      id bigint generated always as identity primary key,
      rule text not null,
      key text not null,
      level text not null,
      title text,
      receivers text[] not null,
      events jsonb not null,
      count integer not null,
      subjects text[] not null,
      opened_at timestamptz not null default now(),
      send_at timestamptz not null,
      sent_at timestamptz,
      resolved_at timestamptz
    )`
  yield* sql`comment on column alert.events is 'the first events; count has all'`
  yield* sql`comment on column alert.subjects is 'what has not ended yet, for rules that know an end'`
  yield* sql`create unique index alert_open on alert (rule, key) where sent_at is null`
  yield* sql`create index alert_sent on alert (rule, key, sent_at) where sent_at is not null`
  yield* sql`create index alert_due on alert (send_at) where sent_at is null`
  yield* sql`
    create table alert_delivery (
      id text primary key default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
      alert_id bigint not null references alert (id) on delete cascade,
      receiver text not null,
      action text not null check (action in ('trigger', 'resolve')),
      state text not null default 'waiting' check (state in ('waiting', 'sent', 'dead')),
      attempts integer not null default 0,
      created_at timestamptz not null default now(),
      retry_from timestamptz not null default now(),
      next_at timestamptz not null default now(),
      ended_at timestamptz,
      answer text
    )`
  yield* sql`comment on column alert_delivery.next_at is 'not before; a claim moves it behind the longest attempt'`
  yield* sql`comment on column alert_delivery.retry_from is 'since when it is tried: when it was made or replayed'`
  yield* sql`create index alert_delivery_due on alert_delivery (receiver, next_at) where state = 'waiting'`
  yield* sql`create index alert_delivery_dead on alert_delivery (ended_at) where state = 'dead'`
  yield* sql`create index alert_delivery_alert on alert_delivery (alert_id)`
  yield* sql`
    create table alert_mute (
      id integer generated always as identity primary key,
      hostname text,
      group_name text,
      rule text,
      reason text not null,
      begins_at timestamptz not null,
      ends_at timestamptz not null,
      created_by text not null,
      created_at timestamptz not null default now()
    )`
  yield* sql`
    create table watched (
      name text primary key,
      value text not null,
      seen_at timestamptz not null default now()
    )`
  yield* sql`comment on table watched is 'what was told of by an event already, such as a full disk'`
  yield* sql`
    create table device_unreachable (
      device_id integer primary key references device (id) on delete cascade,
      since timestamptz not null default now()
    )`
})
