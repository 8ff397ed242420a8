/**
 * The service class of a job (docs/jobs.md#who-goes-first), the requested begin of a job that its windows delay (docs/windows.md#jobs), and
 * the rule that requires its approval (docs/changes.md#approval), so the job continues if windows or rules change. Jobs of earlier releases
 * have none of them. Also the time when the commit of a change was sent: its timer counts from there if the commit was not answered.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job
    add column service_class text check (service_class in ('person', 'schedule', 'upkeep')),
    add column wanted_time timestamptz`
  yield* sql`comment on column job.service_class is 'in whose turn it begins; null for a job of an earlier release'`
  yield* sql`comment on column job.wanted_time is 'when it was to begin, where its windows put that off until scheduled_time; else null'`
  yield* sql`alter table config_change add column sent_at timestamptz`
  yield* sql`comment on column config_change.sent_at is 'when its commit was sent; null before, or where an earlier release has sent it'`
  yield* sql`alter table job_approval add column cause jsonb`
  yield* sql`comment on column job_approval.cause is 'by which rule the approval is needed, so that it can be asked again whether it is; null for a job of an earlier release'`
}).pipe(Effect.asVoid)
