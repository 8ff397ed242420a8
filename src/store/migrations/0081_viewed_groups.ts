/** Groups of equal differences that a person has marked as viewed (docs/changes.md#review). They end with the job. It only adds objects. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table viewed_group (
      job_id integer not null references job on delete cascade,
      person text not null,
      key text not null,
      viewed_at timestamptz not null default now(),
      primary key (job_id, person, key)
    )`
  yield* sql`comment on column viewed_group.key is 'the key of the group in GET /job/<id>/diffs'`
})
