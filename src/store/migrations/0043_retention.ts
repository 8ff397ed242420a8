/**
 * The retention of jobs and their work (docs/operations.md#retention). It only adds objects, so servers of the previous release continue to
 * work: indexes to find old rows and the rows that refer to a removed job, the last count of each kind,
 * and no events for rows that retention shortens.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index job_next on job (next_job_id) where next_job_id is not null`
  yield* sql`create index proved_config_job on proved_config (job_id)`
  yield* sql`create index device_action_job on device_action (job_id) where job_id is not null`
  yield* sql`create index job_device_stored on job_device (hostname, job_id) where brief_tasks is not null`
  yield* sql`
    create table retained (
      kind text primary key,
      rows bigint not null,
      bytes bigint,
      oldest timestamptz,
      due bigint not null,
      removed bigint not null default 0,
      looked_at timestamptz not null default now()
    )`
  yield* sql`comment on table retained is 'what was last found of each kind: due is what goes within a day, removed what went since the table is there'`
  yield* sql`drop trigger tell_job_devices_changed on job_device`
  yield* sql`
    create function tell_job_devices_unless_stripped() returns trigger language plpgsql as $$
      begin
        if current_setting('switchyard.retention', true) = 'on' then return null; end if;
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
  yield* sql`create trigger tell_job_devices_changed after update on job_device referencing new table as told_device
    for each statement execute function tell_job_devices_unless_stripped()`
})
