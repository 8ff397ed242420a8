/** In which turn a job gets the lock that it waits for (docs/jobs.md#who-goes-first), so that each person has theirs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column lock_turn integer`
  yield* sql`comment on column job.lock_turn is 'in which turn it gets the lock that it waits for; null for a job that needs none'`
}).pipe(Effect.asVoid)
