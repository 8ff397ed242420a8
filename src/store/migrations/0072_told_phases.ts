/**
 * Events of the phases of changes: the statement that stores or claims a change writes them itself, which costs less than triggers. Such
 * a statement writes a claim token that begins with `told`. For any other statement, such as those of a server of the previous release,
 * triggers write them as before, now row by row.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const AUDITED = "('confirmed', 'reverted', 'unknown')"

/** The phase of `new` has changed, and the statement has not written the event. */
const UNTOLD =
  "old.phase is distinct from new.phase and (new.claim_token is not distinct from old.claim_token or not starts_with(new.claim_token, 'told'))"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`comment on column config_change.claim_token is 'identifies the statement that was granted the phase; told…: it has written the event too'`
  yield* sql`
    create function tell_change() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, actor, way, job_id, hostname, device_id, is_audit, data)
          select 'change', new.phase, coalesce(job.scheduled_by, 'server'), coalesce(job.scheduled_way, 'server'), new.job_id,
            device.hostname, new.device_id, false, jsonb_build_object('function', job.function_name)
          from job, device where job.id = new.job_id and device.id = new.device_id;
        return null;
      end
    $$`
  yield* sql`drop trigger tell_changes_added on config_change`
  yield* sql`drop trigger tell_changes_moved on config_change`
  yield* sql`drop trigger audit_change on config_change`
  yield* sql`drop function tell_changes_added()`
  yield* sql`drop function tell_changes_moved()`
  yield* sql`${sql.literal(`create trigger tell_change_added after insert on config_change for each row
    when (new.claim_token is null or not starts_with(new.claim_token, 'told')) execute function tell_change()`)}`
  yield* sql`${sql.literal(`create trigger tell_change_moved after update on config_change for each row
    when (${UNTOLD} and new.phase not in ${AUDITED}) execute function tell_change()`)}`
  yield* sql`${sql.literal(`create trigger audit_change after update of phase on config_change for each row
    when (${UNTOLD} and new.phase in ${AUDITED}) execute function audit_change()`)}`
})
