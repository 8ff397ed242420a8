/**
 * The outcomes of jobs, with failed devices and numbers. Jobs of earlier releases get the outcome that their rows show: jobs for images
 * had it only in the text of their result.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job
    add column outcome text constraint job_outcome_known check (outcome in ('success', 'partial', 'failed', 'aborted')),
    add column failed_devices jsonb, add column counts jsonb`
  yield* sql`comment on column job.outcome is 'null while the job has not ended'`
  yield* sql`
    update job set failed_devices = told.failed_devices, counts = told.counts
    from (select j.id, coalesce(jsonb_agg(d.hostname order by d.hostname) filter (where d.failed), '[]') as failed_devices,
        jsonb_build_object('devices', count(d), 'succeeded', count(d) filter (where not d.failed),
          'failed', count(d) filter (where d.failed),
          'changed', count(d) filter (where d.changed and not d.failed)) as counts
      from job j left join job_device d on d.job_id = j.id where j.start_time is not null group by j.id) told
    where job.id = told.id`
  yield* sql`
    update job set outcome = case
      when status = 'ABORTED' then 'aborted'
      when status = 'EXCEPTION' then case when (counts ->> 'succeeded')::int > 0 then 'partial' else 'failed' end
      when (counts ->> 'failed')::int > 0
        then case when (counts ->> 'succeeded')::int > 0 then 'partial' else 'failed' end
      when function_name = 'get_firmware' then case when result #>> '{}' like 'File downloaded from: %'
        then 'success' else 'failed' end
      when function_name = 'get_firmware_chksum' then case when result #>> '{}' ~* '^[0-9a-f]{40}$'
        then 'success' else 'failed' end
      when function_name = 'remove_file' then case when result #>> '{}' like 'File % removed'
        then 'success' else 'failed' end
      when counts is not null then 'success' end
    where status in ('FINISHED', 'EXCEPTION', 'ABORTED')`
  yield* sql`create index job_outcome on job (outcome, id)`
})
