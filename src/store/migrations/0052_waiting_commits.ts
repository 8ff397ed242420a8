/**
 * Commits that remove so much that they wait for an operator's confirmation (docs/settings-repository.md#confirmation), one for each
 * repository, and their event. It only adds objects: a server of the previous release brings such a commit into force, which ends the wait.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table waiting_commit (
      repository text primary key,
      commit text not null,
      message text not null,
      effects jsonb not null,
      at timestamptz not null default now(),
      by text not null,
      job_id integer not null
    )`
  yield* sql`comment on column waiting_commit.job_id is 'the refresh that has found it; its record may be gone'`
  yield* sql`
    create function tell_waiting_commit() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' then
          -- asked about again
          if new.commit = old.commit then return null; end if;
        end if;
        insert into event (kind, action, actor, way, job_id, is_audit, data) values ('repository', 'waiting',
          coalesce(acting('name'), new."by", 'server'), coalesce(acting('way'), 'server'), new.job_id, true,
          jsonb_build_object('repository', new.repository, 'commit', new.commit, 'message', left(new.message, 2000)));
        return null;
      end
    $$`
  yield* sql`create trigger tell_waiting_commit after insert or update of commit on waiting_commit
    for each row execute function tell_waiting_commit()`
  // any commit that comes into force ends the wait, also from a server of the previous release
  yield* sql`
    create function end_waiting_commit() returns trigger language plpgsql as $$
      begin
        if new.ref = '' then
          delete from waiting_commit where repository = new.name;
        end if;
        return null;
      end
    $$`
  yield* sql`create trigger end_waiting_commit after insert or update of commit on repository
    for each row execute function end_waiting_commit()`
})
