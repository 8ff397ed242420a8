/**
 * Fixes the commits that a job works on (docs/jobs.md#refresh_repo and docs/changes.md#commits-of-a-job), together with the
 * newest sync event of that moment: a later event is news that the job's proof does not cover.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { CommitSet } from "../domain/Repository.ts"
import { locks } from "./AdvisoryLocks.ts"

/** What a job works on. */
export interface PinnedCommits extends CommitSet {
  /** Number of the newest sync event when the commits were fixed. */
  readonly eventsSeen: number
}

interface Row {
  readonly settings_commit: string | null
  readonly templates_commit: string | null
  readonly pinned: Pick<PinnedCommits, "branches" | "eventsSeen"> | null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const read = Effect.fnUntraced(function* (jobId: number) {
    const [row] = yield* sql<Row>`select settings_commit, templates_commit, pinned from job where id = ${jobId}`
    if (row === undefined || row.pinned === null) return null
    const { pinned, settings_commit: settings, templates_commit: templates } = row
    return { settings, templates, ...pinned } satisfies PinnedCommits
  })

  /**
   * The locks wait for everybody who is about to write an event or to bring a commit into force, so that the numbers of all
   * events that these commits do not know are higher.
   */
  const fix = Effect.fnUntraced(function* (jobId: number) {
    yield* sql`select pg_advisory_xact_lock_shared(${locks.commits})`
    yield* sql`lock table sync_event in share mode`
    yield* sql`update job set
        settings_commit = (select commit from repository where name = 'settings' and ref = ''),
        templates_commit = (select commit from repository where name = 'templates' and ref = ''),
        pinned = jsonb_build_object(
          'branches', (select coalesce(jsonb_object_agg(ref, commit), '{}') from repository
            where name = 'templates' and ref <> ''),
          'eventsSeen', (select coalesce(max(id), 0) from sync_event))
      where id = ${jobId} and pinned is null`
  }, sql.withTransaction)

  const pin = Effect.fn("JobCommitStore.pin")(function* (jobId: number) {
    const known = yield* read(jobId)
    if (known !== null) return known
    yield* fix(jobId)
    return yield* Effect.orDie(Effect.flatMap(read(jobId), Effect.fromNullishOr))
  })

  return JobCommitStore.of({ pin })
})

/** The commits of jobs. */
export class JobCommitStore extends Context.Service<
  JobCommitStore,
  {
    /** The commits that the job works on: those that are in force when it asks for the first time. */
    readonly pin: (jobId: number) => Effect.Effect<PinnedCommits, SqlError.SqlError>
  }
>()("switchyard/store/JobCommitStore") {
  static readonly layer = Layer.effect(JobCommitStore, make)
}
