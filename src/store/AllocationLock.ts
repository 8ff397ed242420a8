/** The one lock of everybody who gives out addresses or links, in whichever process: the API and the init jobs. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Any number that no other advisory lock of this database has. */
const ALLOCATION_LOCK = 4_201

/** Waits until nobody else gives out addresses or links; held until the caller's transaction ends. */
export const allocationLock = Effect.map(Effect.service(SqlClient.SqlClient), (sql) =>
  Effect.asVoid(sql`select pg_advisory_xact_lock(${ALLOCATION_LOCK})`)
)
