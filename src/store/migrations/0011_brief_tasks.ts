/** What a sync did on a device without the texts, so that looking at the progress of a large job need not read them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job_device add column brief_tasks jsonb`
  yield* sql`comment on column job_device.brief_tasks is 'job_tasks without the generated configuration and the difference; null when there are none'`
})
