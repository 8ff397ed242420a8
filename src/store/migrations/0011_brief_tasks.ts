/** The tasks of a synchronization on a device without long texts, so the progress of a large job is read without them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job_device add column brief_tasks jsonb`
  yield* sql`comment on column job_device.brief_tasks is 'job_tasks without the generated configuration and the difference; null when there are none'`
})
