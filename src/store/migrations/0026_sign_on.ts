/**
 * Logins of our own: tokens of programs, and users with a name and a password. Neither is stored in clear text: only the SHA-256 of a token
 * and the scrypt hash of a password. `session` changes with the password, so earlier sessions end. A row of `login_attempt`
 * counts failures for a name, or from an address.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table api_token (
      id integer generated always as identity primary key,
      name text not null,
      hash text not null unique,
      roles text[] not null,
      created_by text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      last_used timestamptz,
      revoked_at timestamptz
    )`
  yield* sql`create unique index api_token_name on api_token (name) where revoked_at is null`
  yield* sql`
    create table local_user (
      name text primary key,
      hash text not null,
      roles text[] not null,
      break_glass boolean not null,
      session uuid not null default gen_random_uuid(),
      created_at timestamptz not null default now()
    )`
  yield* sql`
    create table login_attempt (
      subject text primary key,
      failures integer not null,
      last_at timestamptz not null,
      locked_until timestamptz not null
    )`
})
