/**
 * The values of a record are found by their keys, whatever the planner believes about the tables. A table that was filled within one
 * transaction has no statistics, so the one plan read it as a whole for each record: 5,000 devices in one statement took over a minute.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const name of ["release_identities", "claim_identities"])
    yield* sql`${sql.literal(
      `alter function ${name}(text, integer) set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`
    )}`
})
