/**
 * Who signed the commits that came into force (docs/settings-repository.md#signed-commits). A row stays, so that a job of long ago still says who
 * signed its commits.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table commit_signature (
      repository text not null,
      commit text not null,
      state text not null,
      signer text,
      key text,
      why text,
      verified_at timestamptz not null default now(),
      primary key (repository, commit)
    )`
  yield* sql`create index commit_signature_commit on commit_signature (commit)`
  yield* sql`comment on table commit_signature is 'the signature of each commit as it was when the commit came into force'`
})
