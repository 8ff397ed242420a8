/** The one lock of everybody who gives out addresses or links, in whichever process: the API and the init jobs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { locks } from "./AdvisoryLocks.ts"

/** Waits until nobody else gives out addresses or links; held until the caller's transaction ends. */
export const allocationLock = Effect.map(Effect.service(SqlClient.SqlClient), (sql) =>
  Effect.asVoid(sql`select pg_advisory_xact_lock(${locks.allocation})`)
)
