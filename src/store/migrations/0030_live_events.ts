/**
 * Events for clients that follow the network live (docs/events.md): changes outside the audit also become events, written by the statements
 * that change the rows. A device's event holds its record after the change, so a follower need not read it.
 *
 * Numbers are assigned before other transactions can see them. So each transaction that writes events first shows, by a lock until its end,
 * that its numbers are above the newest number at that time; `events_complete` is the number up to which no further event can appear.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The upper bits of the key of that lock; the lower bits are the number. */
const LOCK_CLASS = 20_311

/** The columns of a device whose changes migration 28 reports; they are not reported again. */
const AUDITED =
  "hostname site_id description management_ip secondary_management_ip dhcp_ip infra_ip oob_ip serial ztp_mac platform vendor model os_version synchronized state device_type port".split(
    " "
  )

/** The number up to which the log is complete. Callers read the rows in a separate statement afterwards. */
const completeness = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`${sql.literal(`
    create function event_begins() returns trigger language plpgsql as $$
      declare
        newest bigint;
      begin
        if coalesce(current_setting('switchyard.events_after', true), '') = '' then
          select case when is_called then last_value else 0 end into newest from event_id_seq;
          perform set_config('switchyard.events_after', newest::text, true);
          perform pg_advisory_xact_lock_shared((${LOCK_CLASS}::bigint << 48) | newest);
        end if;
        return null;
      end
    $$`)}`
  yield* sql`create trigger event_begins before insert on event for each statement execute function event_begins()`
  yield* sql`${sql.literal(`
    create function events_complete() returns bigint language plpgsql volatile as $$
      declare
        newest bigint;
        oldest_open bigint;
      begin
        select case when is_called then last_value else 0 end into newest from event_id_seq;
        select min(((classid::bigint & 65535) << 32) | objid::bigint) into oldest_open from pg_locks
          where locktype = 'advisory' and objsubid = 1 and classid::bigint >> 16 = ${LOCK_CLASS}
            and database = (select oid from pg_database where datname = current_database());
        return least(newest, oldest_open);
      end
    $$`)}`
})

/** Devices: each change of a row, with the record of the API. */
const devices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table event add column object jsonb`
  yield* sql`comment on column event.object is 'the record after the change, or as it was before it was deleted; not part of the chain'`
  yield* sql`
    create or replace function audit_row() returns trigger language plpgsql as $$
      declare
        old_row jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
        new_row jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
        one jsonb := coalesce(new_row, old_row);
        is_device boolean := tg_table_name = 'device';
        before jsonb;
        after jsonb;
      begin
        select jsonb_object_agg(k, shown_value(k, old_row -> k)), jsonb_object_agg(k, shown_value(k, new_row -> k))
          into before, after from unnest(tg_argv[0]::text[]) k
          where coalesce(old_row -> k, 'null') is distinct from coalesce(new_row -> k, 'null');
        if after is null then return null; end if;
        insert into event (kind, action, device_id, hostname, is_audit, data, object)
          select coalesce(tg_argv[2], tg_table_name), case when tg_op = 'INSERT' then 'created' when tg_op = 'DELETE' then 'deleted'
              when after ? 'revoked_at' then 'revoked' when is_device and after ? 'state' then 'state' else 'updated' end, about.id,
            coalesce((select hostname from device where device.id = about.id), one ->> 'hostname'),
            coalesce(acting('way'), 'server') <> 'server' or tg_argv[1]::boolean
              or (is_device and (tg_op <> 'UPDATE' or after ? 'state' or after ? 'hostname')),
            jsonb_strip_nulls(jsonb_build_object('key', coalesce(one -> 'id', one -> 'name'),
              'name', case when tg_argv[2] is not null then one -> 'name' end))
              || case when old_row is null then '{}' else jsonb_build_object('before', before) end
              || case when new_row is null then '{}' else jsonb_build_object('after', after) end,
            case when is_device then one || jsonb_build_object('last_seen', space_time((one ->> 'last_seen')::timestamptz)) end
          from (select (case tg_table_name when 'device' then one ->> 'id' else one ->> 'device_id' end)::integer
              where tg_table_name not in ('linknet', 'mgmtdomain')
            union select (one ->> end_of)::integer from unnest(array['device_a_id', 'device_b_id']) end_of
              where tg_table_name in ('linknet', 'mgmtdomain')) as about (id);
        return null;
      end
    $$`
  yield* sql`
    create function tell_device() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, device_id, hostname, is_audit, data, object) values ('device', 'updated', new.id, new.hostname,
          false, '{}', to_jsonb(new) || jsonb_build_object('last_seen', space_time(new.last_seen)));
        return null;
      end
    $$`
  const audited = (row: string) => `(${AUDITED.map((name) => `${row}.${name}`).join(", ")})`
  yield* sql`${sql.literal(`create trigger tell_update after update on device for each row
    when (old.* is distinct from new.* and ${audited("old")} is not distinct from ${audited("new")}) execute function tell_device()`)}`
})

/** Jobs: every status, the result of each device, and the commits that a refresh refused or warned about. */
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
          from (select case jsonb_typeof(new.start_arguments) when 'object' then new.start_arguments ->> 'hostname' end) as named (hostname);
        if refresh is not null and new.memo -> 'refused' is not null then
          insert into event (kind, action, actor, way, job_id, is_audit, data) values ('repository', 'refused', new.scheduled_by,
            coalesce(new.scheduled_way, 'server'), new.id, true,
            jsonb_build_object('repository', refresh, 'message', left(new.memo -> 'refused' ->> 'message', 2000)));
        elsif refresh is not null and jsonb_array_length(coalesce(new.memo -> 'warnings', '[]')) > 0 then
          insert into event (kind, action, actor, way, job_id, is_audit, data) values ('repository', 'warnings', new.scheduled_by,
            coalesce(new.scheduled_way, 'server'), new.id, false,
            jsonb_build_object('repository', refresh, 'count', jsonb_array_length(new.memo -> 'warnings')));
        end if;
        return null;
      end
    $$`
  yield* sql`drop trigger audit_status on job`
  yield* sql`create trigger audit_status after update of status on job for each row
    when (old.status is distinct from new.status and new.status <> 'SCHEDULED') execute function audit_job()`
  yield* sql`
    create function tell_job_devices() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, actor, way, job_id, hostname, device_id, is_audit, data)
          select told.kind, told.action, coalesce(job.scheduled_by, 'server'), coalesce(job.scheduled_way, 'server'), told_device.job_id,
            told_device.hostname, device.id, false, jsonb_strip_nulls(jsonb_build_object('function', job.function_name,
              'failed', told_device.failed, 'changed', told_device.changed, 'score', told_device.score, 'waiting', told_device.waiting))
          from told_device join job on job.id = told_device.job_id left join device on device.hostname = told_device.hostname
            cross join lateral (values ('job', 'device'), ('drift', 'found')) told (kind, action)
          where told.kind = 'job' or (job.function_name = 'device_drift' and told_device.changed)
          order by device.id;
        return null;
      end
    $$`
  yield* sql`create trigger tell_job_devices_added after insert on job_device referencing new table as told_device
    for each statement execute function tell_job_devices()`
  yield* sql`create trigger tell_job_devices_changed after update on job_device referencing new table as told_device
    for each statement execute function tell_job_devices()`
})

/** Running changes: each phase that the audit does not report. */
const changes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tell = (where: string) => `
    insert into event (kind, action, actor, way, job_id, hostname, device_id, is_audit, data)
      select 'change', moved.phase, coalesce(job.scheduled_by, 'server'), coalesce(job.scheduled_way, 'server'), moved.job_id,
        device.hostname, moved.device_id, false, jsonb_build_object('function', job.function_name)
      from moved join job on job.id = moved.job_id join device on device.id = moved.device_id ${where} order by moved.id;`
  yield* sql`${sql.literal(`
    create function tell_changes_added() returns trigger language plpgsql as $$
      begin
        ${tell("")}
        return null;
      end
    $$`)}`
  yield* sql`${sql.literal(`
    create function tell_changes_moved() returns trigger language plpgsql as $$
      begin
        ${tell(`join stood on stood.id = moved.id where stood.phase is distinct from moved.phase
          and moved.phase not in ('confirmed', 'reverted', 'unknown')`)}
        return null;
      end
    $$`)}`
  yield* sql`create trigger tell_changes_added after insert on config_change referencing new table as moved
    for each statement execute function tell_changes_added()`
  yield* sql`create trigger tell_changes_moved after update on config_change referencing old table as stood new table as moved
    for each statement execute function tell_changes_moved()`
})

/** The reasons why a device must be synchronized, with the time and the job of its history. */
const causes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create or replace function audit_sync_events() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, actor, hostname, device_id, job_id, is_audit, data)
          select 'sync', 'needed', coalesce(acting('name'), added.by), added.hostname, device.id, coalesce(added.job_id, acting('job')::integer), true,
            jsonb_build_object('cause', added.cause, 'by', added.by, 'timestamp', added.happened_at, 'job_id', added.job_id,
              'commit', (select commit from repository where name = 'settings' and ref = ''))
          from added left join device on device.hostname = added.hostname order by added.id;
        return null;
      end
    $$`
})

/** Locks and firmware. */
const others = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create function tell_lock() returns trigger language plpgsql as $$
      declare
        one joblock := coalesce(new, old);
      begin
        insert into event (kind, action, job_id, is_audit, data) values ('lock', case tg_op when 'INSERT' then 'taken' else 'released' end,
          one.job_id, false, jsonb_build_object('name', one.name));
        return null;
      end
    $$`
  yield* sql`create trigger tell_lock after insert or delete on joblock for each row execute function tell_lock()`
  yield* sql`
    create function tell_upgrade() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, actor, way, job_id, hostname, device_id, is_audit, data)
          select 'firmware', 'progress', coalesce(job.scheduled_by, 'server'), coalesce(job.scheduled_way, 'server'), new.job_id, new.hostname,
            (select id from device where device.hostname = new.hostname), false,
            jsonb_strip_nulls(jsonb_build_object('file', new.progress -> 'file', 'step', new.progress -> 'begun',
              'ended', jsonb_array_length(new.progress -> 'tasks'), 'rebooting', new.progress -> 'waitingSince' <> 'null'))
          from job where job.id = new.job_id;
        return null;
      end
    $$`
  yield* sql`create trigger tell_upgrade after insert or update on device_upgrade for each row execute function tell_upgrade()`
})

/** One word for a thing: `commit` and `joblock` were the tables' names. */
const names = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create or replace function audit_commit() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, is_audit, data) values ('repository', 'in force', true, jsonb_build_object(
          'repository', new.name, 'ref', new.ref, 'before', case when tg_op = 'UPDATE' then old.commit end, 'after', new.commit));
        return null;
      end
    $$`
  yield* sql`
    create or replace function audit_lock() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, job_id, is_audit, data) values ('lock', 'deleted', old.job_id, true, jsonb_build_object('name', old.name));
        return null;
      end
    $$`
  yield* sql`create index event_kind on event (kind, id)`
})

export default Effect.gen(function* () {
  yield* completeness
  yield* devices
  yield* jobs
  yield* changes
  yield* causes
  yield* others
  yield* names
})
