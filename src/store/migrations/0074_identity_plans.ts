/**
 * Values of a record are claimed with one plan for all records: they are asked for by keys, and planning them anew for each record took
 * four times as long as the claim itself.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const name of ["release_identities", "claim_identities"])
    yield* sql`${sql.literal(`alter function ${name}(text, integer) set plan_cache_mode = 'force_generic_plan'`)}`
})
