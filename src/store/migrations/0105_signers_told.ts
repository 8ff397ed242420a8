/**
 * Events that name a commit get its signature, too (docs/settings-repository.md#who-signed): new functions, and new fields that existing
 * triggers write into later events. Earlier releases read none of them.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The signature of a commit as the API shows it, and those of the commits of a job; as far as they were verified. */
const functions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function signature_of(repository_name text, hash text) returns jsonb language sql stable as $$
      select jsonb_build_object('state', state, 'signer', signer, 'key', key, 'why', why)
        from commit_signature where repository = repository_name and commit = hash
    $$`
  yield* sql`
    create function signatures_of_job(settings text, templates text) returns jsonb language sql stable as $$
      select case when of_settings is null then '{}' else jsonb_build_object('settings_signature', of_settings) end
        || case when of_templates is null then '{}' else jsonb_build_object('templates_signature', of_templates) end
      from (select signature_of('settings', settings) as of_settings, signature_of('templates', templates) as of_templates) found
    $$`
})

/** Commits that come into force, wait, or make a synchronization necessary. */
const commits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create or replace function audit_commit() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, is_audit, data) values ('repository', 'in force', true, jsonb_build_object(
          'repository', new.name, 'ref', new.ref, 'before', case when tg_op = 'UPDATE' then old.commit end, 'after', new.commit,
          'signature', signature_of(new.name, new.commit)));
        return null;
      end
    $$`
  yield* sql`
    create or replace function tell_waiting_commit() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' then
          -- asked about again
          if new.commit = old.commit then return null; end if;
        end if;
        insert into event (kind, action, actor, way, job_id, is_audit, data) values ('repository', 'waiting',
          coalesce(acting('name'), new."by", 'server'), coalesce(acting('way'), 'server'), new.job_id, true,
          jsonb_build_object('repository', new.repository, 'commit', new.commit, 'message', left(new.message, 2000),
            'signature', signature_of(new.repository, new.commit)));
        return null;
      end
    $$`
  yield* sql`
    create or replace function audit_sync_events() returns trigger language plpgsql as $$
      declare
        present text := (select commit from repository where name = 'settings' and ref = '');
      begin
        insert into event (kind, action, actor, hostname, device_id, job_id, is_audit, data)
          select 'sync', 'needed', coalesce(acting('name'), added.by), added.hostname, device.id, coalesce(added.job_id, acting('job')::integer), true,
            jsonb_build_object('cause', added.cause, 'by', added.by, 'found_by', coalesce(added.found_by, added.by), 'made_by', added.made_by,
              'timestamp', added.happened_at, 'job_id', added.job_id, 'commit', present, 'signature', signature_of('settings', present))
          from added left join device on device.hostname = added.hostname order by added.id;
        return null;
      end
    $$`
})

/** As in migration 35, with the signatures, and with the commit that a refresh has refused. */
const jobs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create or replace function audit_job() returns trigger language plpgsql as $$
      declare
        what text := case when tg_op = 'INSERT' then 'started' when new.status = 'RUNNING' then 'running'
          when new.status = 'ABORTING' or (new.status = 'ABORTED' and old.status = 'SCHEDULED') then 'aborted' else 'ended' end;
        refresh text := case when new.function_name = 'refresh_repo' and what = 'ended' then new.memo ->> 'repository' end;
      begin
        insert into event (kind, action, actor, way, job_id, hostname, device_id, is_audit, data)
          select 'job', what,
            coalesce(acting('name'), case when what = 'aborted' then new.aborted_by end, new.scheduled_by, 'server'),
            coalesce(acting('way'), new.scheduled_way, 'server'), new.id, named.hostname, (select id from device where device.hostname = named.hostname),
            what <> 'running', jsonb_strip_nulls(jsonb_build_object('function', new.function_name, 'status', new.status,
                'scheduled_by', new.scheduled_by, 'comment', new.comment, 'ticket_ref', new.ticket_ref)
              || case what
                when 'started' then jsonb_build_object('arguments',
                  case when length(new.start_arguments::text) < 4000 then without_secrets(new.start_arguments) end)
                when 'running' then '{}'
                when 'aborted' then jsonb_build_object('reason', new.abort_reason, 'aborted_by', new.aborted_by)
                else jsonb_build_object('outcome', new.outcome, 'settings_commit', new.settings_commit,
                  'templates_commit', new.templates_commit, 'counts', new.counts, 'abort_reason', new.abort_reason, 'aborted_by', new.aborted_by,
                  'next_job_id', new.next_job_id, 'failed_devices',
                  case when jsonb_array_length(coalesce(new.failed_devices, '[]')) <= 100 then new.failed_devices end,
                  'exception', left(new.exception ->> 'message', 2000))
                end)
              || case what when 'ended' then signatures_of_job(new.settings_commit, new.templates_commit) else '{}' end
          from (select case jsonb_typeof(new.start_arguments) when 'object' then new.start_arguments ->> 'hostname' end) as named (hostname);
        if refresh is not null and new.memo -> 'refused' is not null then
          insert into event (kind, action, actor, way, job_id, is_audit, data) values ('repository',
            case when new.memo #>> '{refused,status}' = '400' or new.memo -> 'refused' ? 'problems' then 'refused' else 'failed' end,
            new.scheduled_by, coalesce(new.scheduled_way, 'server'), new.id, true,
            jsonb_build_object('repository', refresh, 'message', left(new.memo -> 'refused' ->> 'message', 2000))
              || case when new.memo -> 'refused' ? 'commit' then jsonb_build_object('commit', new.memo #> '{refused,commit}',
                'signature', signature_of(refresh, new.memo #>> '{refused,commit}')) else '{}' end);
        elsif refresh is not null and jsonb_array_length(coalesce(new.memo -> 'warnings', '[]')) > 0 then
          insert into event (kind, action, actor, way, job_id, is_audit, data) values ('repository', 'warnings', new.scheduled_by,
            coalesce(new.scheduled_way, 'server'), new.id, false,
            jsonb_build_object('repository', refresh, 'count', jsonb_array_length(new.memo -> 'warnings')));
        end if;
        return null;
      end
    $$`
})

export default Effect.gen(function* () {
  yield* functions
  yield* commits
  yield* jobs
})
