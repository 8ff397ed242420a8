/**
 * In whose turn a job begins (docs/jobs.md#who-goes-first), and when one was to begin that its windows delay (docs/windows.md#jobs), so that
 * it can begin then when they are changed. Jobs of earlier releases have neither.
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
  yield* sql`alter table job_approval add column role text`
  yield* sql`comment on column job_approval.role is 'the role whose live jobs need the approval; null where the change score asks for it, or an earlier release has asked'`
}).pipe(Effect.asVoid)
