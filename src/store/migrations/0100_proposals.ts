/**
 * Proposals (docs/reviewing.md): branches that are checked before they are merged, what people said about them at the forge, and which
 * differences a person has viewed. It only adds objects.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table proposal (
      id integer generated always as identity primary key,
      repository text not null,
      branch text not null,
      title text,
      state text not null default 'open',
      opened_by text not null,
      opened_there boolean not null default false,
      opened_at timestamptz not null default now(),
      ended_at timestamptz,
      ended_by text,
      why text,
      merged_commit text,
      superseded_by integer references proposal on delete set null,
      commit text,
      committer text,
      committed_at timestamptz,
      earlier jsonb not null default '[]',
      round integer not null default 1,
      check_state text not null default 'waiting',
      error text,
      checked_at timestamptz,
      checked jsonb,
      brief jsonb,
      claimed_until timestamptz,
      claimed_by text,
      forge_number integer,
      forge_url text,
      forge_at timestamptz,
      told text,
      comment_id text,
      tries integer not null default 0,
      try_at timestamptz not null default now(),
      tell_error text
    )`
  yield* sql`create unique index proposal_open on proposal (repository, branch) where state = 'open'`
  yield* sql`comment on column proposal.round is 'counts the checks that were asked for: only the result of the newest is kept'`
  yield* sql`comment on column proposal.brief is 'what lists show of the result of the check, which may be large'`
  yield* sql`comment on column proposal.opened_there is 'opened_by is a name at the forge'`
  yield* sql`comment on column proposal.told is 'commit, state and text that the forge was told last'`
  yield* sql`comment on column proposal.forge_at is 'time of the newest event of the forge: older ones change nothing'`
  yield* sql`
    create table proposal_approval (
      proposal_id integer not null references proposal on delete cascade,
      login text not null,
      decision text not null,
      commit text,
      at timestamptz not null,
      primary key (proposal_id, login)
    )`
  yield* sql`
    create table viewed_proposal (
      proposal_id integer not null references proposal on delete cascade,
      person text not null,
      key text not null,
      viewed_at timestamptz not null default now(),
      primary key (proposal_id, person, key)
    )`
  // a kept report is found by its digest (docs/reviewing.md#reports)
  yield* sql`create index event_report on event ((data ->> 'sha256')) where kind = 'report'`
})
