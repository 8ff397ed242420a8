/** The turn in which a waiting job gets its lock (docs/jobs.md#who-goes-first), so each person gets a turn. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column lock_turn integer`
  yield* sql`comment on column job.lock_turn is 'in which turn it gets the lock that it waits for; null for a job that needs none'`
}).pipe(Effect.asVoid)
