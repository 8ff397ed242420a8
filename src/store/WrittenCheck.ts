/** Whether the database can be written: only a write shows that, because a standby and a full disk can still be read. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Writes the one row that is there for it. */
export const write = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into written_check (one) values (true) on conflict (one) do update set written_at = now()`
}).pipe(Effect.withSpan("WrittenCheck.write"))
