/**
 * Switches that are onboarded (docs/onboarding.md): where each came from, what it was read to run, and how far that is from its generated
 * configuration; and the distance of all of them by commit.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table onboarding (
      device_id integer primary key references device (id) on delete cascade,
      source text not null,
      origin text not null,
      added_at timestamptz not null default now(),
      added_by text not null,
      failure text,
      shown jsonb,
      config text,
      config_from text,
      config_at timestamptz,
      is_stale boolean not null default true,
      settings_commit text,
      templates_commit text,
      measured_at timestamptz,
      unrendered text,
      lines integer,
      extra integer,
      missing integer,
      difference text,
      secrets jsonb
    )`
  yield* sql`comment on column onboarding.config is 'what the switch was read to run, sealed'`
  yield* sql`comment on column onboarding.shown is 'an OnboardedFacts of domain/Onboarding.ts'`
  yield* sql`comment on column onboarding.difference is 'pieces of onboarding/Distance.ts without secrets'`
  yield* sql`
    create table onboarding_distance (
      id integer generated always as identity primary key,
      measured_at timestamptz not null default now(),
      settings_commit text,
      templates_commit text,
      devices integer not null,
      reached integer not null,
      unrendered integer not null,
      lines integer not null,
      differing integer not null
    )`
})
