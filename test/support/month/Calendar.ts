/**
 * A calendar of the database that can be turned on by a day: `now()` of every session is the time of the machine and the days that have
 * passed. No row is moved, so seals of the audit stay what they are. To be installed before the server makes its tables, whose
 * defaults are bound then.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Makes the calendar, of sessions that begin from now on. */
export const installCalendar = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table passed_days (days integer not null)`
  yield* sql`insert into passed_days values (0)`
  for (const [name, kind] of [
    ["now", "stable"],
    ["clock_timestamp", "volatile"]
  ] as const)
    yield* sql`create function public.${sql.literal(name)}() returns timestamptz language sql ${sql.literal(kind)} as
      $$ select ${sql.literal(`pg_catalog.${name}()`)} + make_interval(days => (select days from public.passed_days)) $$`
  const [place] = yield* sql<{ name: string }>`select current_database() as name`
  // before the functions of PostgreSQL itself
  yield* sql`alter database ${sql(place?.name ?? "")} set search_path = public, pg_catalog`
})

/** A day passes. */
export const passDay = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update passed_days set days = days + 1`
})
