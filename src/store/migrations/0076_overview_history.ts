/**
 * The counts of the overview over time (docs/api.md#history-of-the-overview): one row for an hour, which one replica writes with the
 * upkeep. Rows are small, and are removed after 90 days.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table overview_history (
      at timestamptz primary key,
      counts jsonb not null
    )`
  yield* sql`comment on column overview_history.counts is 'the DeviceCounts of domain/Device.ts at that time'`
})
