/**
 * Corrected events (docs/events.md#kinds): a refresh refuses a commit only if its content is wrong, and a lock that is passed
 * to another job is taken by that job.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** As in migration 30, except for the repository: an unreachable remote or an abort does not refuse a commit. */
const refreshes = Effect.gen(function* () {
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
          from (select case jsonb_typeof(new.start_arguments) when 'object' then new.start_arguments ->> 'hostname' end) as named (hostname);
        if refresh is not null and new.memo -> 'refused' is not null then
          insert into event (kind, action, actor, way, job_id, is_audit, data) values ('repository',
            case when new.memo #>> '{refused,status}' = '400' or new.memo -> 'refused' ? 'problems' then 'refused' else 'failed' end,
            new.scheduled_by, coalesce(new.scheduled_way, 'server'), new.id, true,
            jsonb_build_object('repository', refresh, 'message', left(new.memo -> 'refused' ->> 'message', 2000)));
        elsif refresh is not null and jsonb_array_length(coalesce(new.memo -> 'warnings', '[]')) > 0 then
          insert into event (kind, action, actor, way, job_id, is_audit, data) values ('repository', 'warnings', new.scheduled_by,
            coalesce(new.scheduled_way, 'server'), new.id, false,
            jsonb_build_object('repository', refresh, 'count', jsonb_array_length(new.memo -> 'warnings')));
        end if;
        return null;
      end
    $$`
})

const locks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function tell_lock_passed() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, job_id, is_audit, data) values ('lock', 'taken', new.job_id, false,
          jsonb_build_object('name', new.name, 'from_job', old.job_id));
        return null;
      end
    $$`
  yield* sql`create trigger tell_lock_passed after update of job_id on joblock for each row
    when (old.job_id is distinct from new.job_id) execute function tell_lock_passed()`
})

export default Effect.gen(function* () {
  yield* refreshes
  yield* locks
})
