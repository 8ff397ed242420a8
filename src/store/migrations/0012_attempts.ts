/** Heartbeats of jobs, so a job without a process is found; and the token of the claim that was granted a phase of a change. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table job add column attempt integer not null default 0, add column alive_at timestamptz`
  yield* sql`comment on column job.attempt is 'number of the workflow execution that may work on the job'`
  yield* sql`comment on column job.alive_at is 'when a process last said that it works on the job'`
  yield* sql`alter table config_change add column claim_token text`
})
