/**
 * The finder of a deviation in addition to its author (docs/api.md#sync-history): a drift check finds changes of other
 * authors. `by` stays unchanged for clients. The author of older rows is unknown.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table sync_event add column found_by text, add column made_by text`
  yield* sql`update sync_event set found_by = by`
  yield* sql`comment on column sync_event.found_by is 'who noticed it; null when a server of an earlier release wrote the row, which means by'`
  yield* sql`comment on column sync_event.made_by is 'who made the change that it is about; null when nobody knows'`
  yield* sql`
    create or replace function audit_sync_events() returns trigger language plpgsql as $$
      begin
        insert into event (kind, action, actor, hostname, device_id, job_id, is_audit, data)
          select 'sync', 'needed', coalesce(acting('name'), added.by), added.hostname, device.id, coalesce(added.job_id, acting('job')::integer), true,
            jsonb_build_object('cause', added.cause, 'by', added.by, 'found_by', coalesce(added.found_by, added.by), 'made_by', added.made_by,
              'timestamp', added.happened_at, 'job_id', added.job_id,
              'commit', (select commit from repository where name = 'settings' and ref = ''))
          from added left join device on device.hostname = added.hostname order by added.id;
        return null;
      end
    $$`
})
