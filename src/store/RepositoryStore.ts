/**
 * The commit in force of each repository, with its files, and the results of refreshes. A commit in force survives restarts and the
 * loss of the remote. Files of a replaced commit are kept until every job that works on it has ended.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { JOB_UNFINISHED } from "./StatusConditions.ts"
import { locks } from "./DatabaseClient.ts"
import type { CommitSignature } from "../domain/CommitSignature.ts"
import { WaitingCommit } from "../domain/CommitEffects.ts"
import type { CommitSet, RestoredCommits } from "../domain/Repository.ts"

/** A repository. */
export type RepositoryName = "settings" | "templates"

/** A commit in force. `ref` is empty for the repository's own ref, else a branch that a group selects; `files` maps paths to texts. */
export interface AppliedCommit {
  readonly name: RepositoryName
  readonly ref: string
  readonly url: string
  readonly commit: string
  readonly description: string
  readonly files: Readonly<Record<string, string>>
  /** Verified before it comes into force; null or absent where signatures are not verified. */
  readonly signature?: CommitSignature | null
}

/** A commit without its files. */
type NamedCommit = Pick<AppliedCommit, "name" | "ref" | "commit">

const listed = ({ branches, settings, templates }: CommitSet): ReadonlyArray<NamedCommit> => [
  ...(settings === null ? [] : [{ name: "settings" as const, ref: "", commit: settings }]),
  ...(templates === null ? [] : [{ name: "templates" as const, ref: "", commit: templates }]),
  ...Object.entries(branches).map(([ref, commit]) => ({ name: "templates" as const, ref, commit }))
]

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal("name, ref, url, commit, description, files")
  const oneOrNone = <A>(rows: ReadonlyArray<A>) => Option.fromUndefinedOr(rows[0])

  /** A condition: an unfinished job works on the commit in this row of the table. */
  const isWorkedOn = (table: "repository" | "repository_kept") =>
    sql.literal(`exists (select 1 from job where job.status in ${JOB_UNFINISHED}
      and case ${table}.name when 'settings' then job.settings_commit = ${table}.commit
        else job.templates_commit = ${table}.commit or exists (select 1
          from jsonb_each_text(job.pinned -> 'branches') branch where branch.value = ${table}.commit) end)`)

  /** The signature of a commit as it was when the commit came into force; the last verification counts. */
  const keepSignature = ({ commit, name, signature }: Pick<AppliedCommit, "name" | "commit" | "signature">) =>
    signature === undefined || signature === null
      ? Effect.void
      : Effect.asVoid(sql`insert into commit_signature ${sql.insert({ repository: name, commit, ...signature })}
          on conflict (repository, commit) do update set state = excluded.state, signer = excluded.signer,
            key = excluded.key, why = excluded.why, verified_at = now()`)

  const put = Effect.fn("RepositoryStore.put")(function* ({ files, signature = null, ...row }: AppliedCommit) {
    const { commit, name, ref } = row
    yield* keepSignature({ commit, name, signature })
    yield* sql`insert into repository_kept (name, commit, files) select name, commit, files from repository
      where name = ${name} and ref = ${ref} and commit <> ${commit} and ${isWorkedOn("repository")}
      on conflict do nothing`
    yield* sql`delete from repository_kept where not ${isWorkedOn("repository_kept")}`
    yield* sql`insert into repository ${sql.insert({ ...row, files: sql.json(files) })}
      on conflict (name, ref) do update set url = excluded.url, commit = excluded.commit,
        description = excluded.description, files = excluded.files, applied_at = now()`
  })

  return RepositoryStore.of({
    put,
    noteSignature: Effect.fn("RepositoryStore.noteSignature")(
      (repository: RepositoryName, commit: string, signature: CommitSignature) =>
        Effect.asVoid(
          sql`insert into commit_signature ${sql.insert({ repository, commit, ...signature })} on conflict do nothing`
        )
    ),
    find: Effect.fn("RepositoryStore.find")((name: RepositoryName, ref: string) =>
      Effect.map(sql<AppliedCommit>`select ${columns} from repository where name = ${name} and ref = ${ref}`, oneOrNone)
    ),
    filesOf: Effect.fn("RepositoryStore.filesOf")((name: RepositoryName, commit: string) =>
      Effect.map(
        sql<Pick<AppliedCommit, "commit" | "files">>`
          select commit, files from repository where name = ${name} and commit = ${commit}
          union all select commit, files from repository_kept where name = ${name} and commit = ${commit} limit 1`,
        oneOrNone
      )
    ),
    signatures: Effect.fn("RepositoryStore.signatures")((commits: ReadonlyArray<string>) =>
      commits.length === 0
        ? Effect.succeed(new Map<string, CommitSignature>())
        : Effect.map(
            sql<CommitSignature & { readonly commit: string }>`select commit, state, signer, key, why
              from commit_signature where ${sql.in("commit", commits)}`,
            (rows) => new Map(rows.map(({ commit, ...signature }) => [commit, signature]))
          )
    ),
    unsigned: Effect.fn("RepositoryStore.unsigned")((commits: CommitSet | null) => {
      const used =
        commits === null
          ? sql`select name, ref, commit from repository`
          : sql`select name, ref, commit from jsonb_to_recordset(${sql.json(listed(commits))})
              as given (name text, ref text, commit text)`
      return sql<NamedCommit>`select name, ref, commit from (${used}) used
        where not exists (select 1 from commit_signature signature where signature.repository = used.name
          and signature.commit = used.commit and signature.state = 'signed'
          and signature.verified_at > coalesce((select max(restored_at) from restore), '-infinity'))
        order by name, ref`
    }),
    refs: Effect.fn("RepositoryStore.refs")((name: RepositoryName) =>
      Effect.map(sql<{ ref: string }>`select ref from repository where name = ${name} order by ref`, (rows) =>
        rows.map((row) => row.ref)
      )
    ),
    commitOf: Effect.fn("RepositoryStore.commitOf")((name: RepositoryName, ref: string) =>
      Effect.map(sql<{ commit: string }>`select commit from repository where name = ${name} and ref = ${ref}`, (rows) =>
        Option.fromUndefinedOr(rows[0]?.commit)
      )
    ),
    inForce: Effect.map(
      sql<{ all: string | null }>`select string_agg(concat_ws(' ', name, ref, commit), ', ' order by name, ref) as "all"
        from repository`,
      (rows) => rows[0]?.all ?? ""
    ).pipe(Effect.withSpan("RepositoryStore.inForce")),
    restored: Effect.gen(function* () {
      const commits = yield* sql<{ name: string; commit: string; backup_of: string }>`
        select name, commit, iso_time(restore.backup_of) as backup_of
        from repository cross join (select backup_of, restored_at from restore order by id desc limit 1) restore
        where ref = '' and applied_at < restored_at order by name`
      const [first] = commits
      if (first === undefined) return Option.none<RestoredCommits>()
      return Option.some({
        backup_of: first.backup_of,
        commits: commits.map(({ commit, name }) => ({ name, commit }))
      })
    }).pipe(Effect.withSpan("RepositoryStore.restored")),
    tryLock: Effect.map(
      sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.commits}) as taken`,
      (rows) => rows[0]?.taken === true
    ).pipe(Effect.withSpan("RepositoryStore.tryLock"))
  })
})

type Find<A> = Effect.Effect<Option.Option<A>, SqlError.SqlError>

/** Applied commits by repository and ref. */
export class RepositoryStore extends Context.Service<
  RepositoryStore,
  {
    readonly find: (name: RepositoryName, ref: string) => Find<AppliedCommit>
    /** The files of a commit that is in force or that an unfinished job works on. */
    readonly filesOf: (name: RepositoryName, commit: string) => Find<Pick<AppliedCommit, "commit" | "files">>
    /** Refs of this repository with a commit in force. */
    readonly refs: (name: RepositoryName) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
    /** The signatures of commits as they were when each came into force, by commit. */
    readonly signatures: (
      commits: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, CommitSignature>, SqlError.SqlError>
    /** Those of these commits, null for those in force, without a signature that was verified since the last restore of a backup. */
    readonly unsigned: (commits: CommitSet | null) => Effect.Effect<ReadonlyArray<NamedCommit>, SqlError.SqlError>
    /** Brings a commit into force. In a transaction that holds the lock. */
    readonly put: (commit: AppliedCommit) => Effect.Effect<void, SqlError.SqlError>
    /** Keeps who signed a commit that is refused or waits. What is known of one that came into force stays. */
    readonly noteSignature: (
      name: RepositoryName,
      commit: string,
      signature: CommitSignature
    ) => Effect.Effect<void, SqlError.SqlError>
    /** The hash of the commit in force, without its files; cheap enough to read before each use. */
    readonly commitOf: (name: RepositoryName, ref: string) => Find<string>
    /** All commits in force, as a text that differs after each change. */
    readonly inForce: Effect.Effect<string, SqlError.SqlError>
    /** Commits of a restored backup that were not refreshed since. */
    readonly restored: Find<RestoredCommits>
    /** Takes the lock of the commits in force until the transaction ends; false if another process holds it. */
    readonly tryLock: Effect.Effect<boolean, SqlError.SqlError>
  }
>()("switchyard/store/RepositoryStore") {
  static readonly layer = Layer.effect(RepositoryStore, make)
}

// Ended refreshes of a repository, newest first, and the commit that waits for an operator's confirmation.

/** An ended refresh: the user who requested it, and its end (UTC). */
interface EndedRefresh {
  readonly id: number
  readonly memo: unknown
  readonly by: string | null
  readonly at: string | null
}

const decode = Schema.decodeUnknownOption(WaitingCommit)

/** Ended refreshes. */
export const makeRefreshes = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return {
    /** The newest refreshes, at most `limit`, newest first. */
    ended: Effect.fn("RefreshStore.ended")(
      (name: RepositoryName, count: number) =>
        sql<EndedRefresh>`select id, memo, scheduled_by as by,
            iso_time(finish_time) as at from job where function_name = 'refresh_repo'
          and status in ('FINISHED', 'EXCEPTION') and memo ->> 'repository' = ${name} order by id desc limit ${count}`
    ),
    /** The memo of the last refresh. */
    lastMemo: Effect.fn("RefreshStore.lastMemo")((name: RepositoryName) =>
      Effect.map(
        sql<{ memo: unknown }>`select memo from job where function_name = 'refresh_repo'
          and status in ('FINISHED', 'EXCEPTION') and memo ->> 'repository' = ${name} order by id desc limit 1`,
        (rows) => Option.fromNullishOr(rows[0]?.memo)
      )
    ),
    /** The commit that waits for a confirmation. It stops waiting once any commit comes into force. */
    waiting: Effect.fn("RefreshStore.waiting")((name: RepositoryName) =>
      Effect.map(
        sql`select commit, iso_time(at) as at, by, job_id, message, effects, signature_of(repository, commit) as signature
          from waiting_commit where repository = ${name}`,
        ([row]) => decode(row)
      )
    ),
    keepWaiting: Effect.fn("RefreshStore.keepWaiting")((name: RepositoryName, { effects, ...row }: Waiting) =>
      Effect.asVoid(
        sql`insert into waiting_commit ${sql.insert({ repository: name, ...row, effects: sql.json(effects) })}
          on conflict (repository) do update set commit = excluded.commit, message = excluded.message,
            effects = excluded.effects, at = excluded.at, by = excluded.by, job_id = excluded.job_id`
      )
    ),
    /** A refresh has found another commit than the waiting one. */
    forgetWaiting: Effect.fn("RefreshStore.forgetWaiting")((name: RepositoryName, exceptCommit: string) =>
      Effect.asVoid(sql`delete from waiting_commit where repository = ${name} and commit <> ${exceptCommit}`)
    )
  }
})

type Waiting = Omit<WaitingCommit, "at" | "signature">
