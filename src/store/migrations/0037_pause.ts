/** Paused rollouts: the user, the reason and the time in the job's row, and events for pause and resume. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column pause jsonb`
  yield* sql`
    create function tell_job_paused() returns trigger language plpgsql as $$
      declare paused boolean := new.pause is not null;
      begin
        insert into event (kind, action, actor, way, job_id, is_audit, data)
          values ('job', case when paused then 'paused' else 'resumed' end, coalesce(acting('name'), new.pause ->> 'by', new.scheduled_by, 'server'),
            coalesce(acting('way'), new.scheduled_way, 'server'), new.id, true,
            jsonb_strip_nulls(jsonb_build_object('function', new.function_name, 'status', new.status, 'scheduled_by', new.scheduled_by,
              'reason', coalesce(new.pause, old.pause) ->> 'why', 'paused_by', coalesce(new.pause, old.pause) ->> 'by')));
        return null;
      end
    $$`
  yield* sql`create trigger tell_job_paused after update of pause on job for each row
    when ((old.pause is null) <> (new.pause is null)) execute function tell_job_paused()`
})
