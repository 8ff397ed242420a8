/**
 * Configurations and differences are stored once (docs/operations.md#stored-once). In three steps over releases: this one expands. Jobs and
 * changes write their texts as before; a day after, the server moves them here in batches and leaves a reference, which a server of
 * the previous release treats as a text that was sealed under another key: it reports that it cannot be opened, and sends it to no switch.
 * Younger texts, and so all texts in use during an upgrade, are not moved. A later release may write references at once
 * and drop the columns.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table stored_text (
      hash text primary key,
      body text not null,
      stored_at timestamptz not null default now()
    )`
  yield* sql`alter table stored_text alter column body set storage external`
  yield* sql`comment on table stored_text is 'texts of jobs and changes by a keyed digest, compressed and sealed'`
  yield* sql`
    create function whole_text(stored text) returns text language sql stable as $$
      select case when starts_with(stored, 'sealed:1:storedconfig:')
        then coalesce((select body from stored_text where hash = substr(stored, 23)), stored) else stored end
    $$`
  yield* sql`create index config_change_packing on config_change (updated_at)
    where not starts_with(candidate, 'sealed:1:storedconfig:')`
  yield* sql`create index job_device_packing on job_device (finished_at)
    where sealed_tasks is not null and not starts_with(sealed_tasks, 'sealed:1:storedconfig:')`
})
