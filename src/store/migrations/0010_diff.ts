/** The difference of a change in a column of its own: it is written once, not again with every phase. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table config_change add column diff text`
  yield* sql`update config_change set diff = protocol ->> 'diff', protocol = protocol - 'diff'`
  yield* sql`comment on column config_change.protocol is 'the ChangeRow of machines/change/ChangeRow.ts without its diff; phase and epoch are repeated as columns for conditional writes'`
})
