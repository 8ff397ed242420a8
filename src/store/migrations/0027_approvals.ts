/** Live jobs that wait, or have waited, for another person's approval, with the facts for the reviewer. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table job_approval (
      job_id integer primary key references job on delete cascade,
      reason text not null,
      asked jsonb not null,
      asked_by text not null,
      expires_at timestamptz not null,
      decision text,
      decided_by text,
      decided_at timestamptz,
      comment text
    )`
  yield* sql`comment on column job_approval.asked is 'the call as permissions judge it: who approves must be allowed to make it'`
})
