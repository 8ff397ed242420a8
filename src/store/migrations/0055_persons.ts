/**
 * Persons with their roles, last visits and withdrawals; the owners of tokens, jobs and approvals; and requests that wait for
 * another person because they would undermine approvals. An earlier token belongs to the local user with its creator's name, or to a
 * machine account if it was created at the database.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table person (
      key text primary key,
      way text not null,
      name text not null,
      roles text[] not null,
      attributes jsonb not null,
      first_seen timestamptz not null default now(),
      seen_at timestamptz not null default now(),
      withdrawn_at timestamptz,
      withdrawn_by text
    )`
  yield* sql`comment on column person.key is 'local user, subject of an issuer, or machine account (src/domain/access/Person.ts)'`
  yield* sql`alter table api_token add column owner text, add column is_machine boolean not null default false`
  yield* sql`update api_token set is_machine = true where created_by like '% (command line)'`
  yield* sql`update api_token set owner = 'local:' || created_by
    where not is_machine and created_by in (select name from local_user)`
  yield* sql`create index api_token_owner on api_token (owner) where revoked_at is null`
  yield* sql`alter table job add column scheduled_person text default acting('person')`
  yield* sql`alter table job_approval add column asked_person text default acting('person'),
    add column asked_at timestamptz not null default now()`
  yield* sql`
    create table request_approval (
      id integer generated always as identity primary key,
      operation text not null,
      method text not null,
      path text not null,
      sealed_body text not null default '',
      shown_body jsonb,
      asked_by text not null,
      asked_person text not null,
      asked_identity jsonb not null,
      asked_at timestamptz not null default now(),
      expires_at timestamptz not null,
      decision text,
      decided_by text,
      decided_at timestamptz,
      comment text,
      answer jsonb
    )`
  yield* sql`create index request_approval_open on request_approval (id) where decision is null`
})
