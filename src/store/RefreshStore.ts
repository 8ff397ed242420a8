/**
 * What the refreshes of a repository remembered, newest first: only jobs that have ended are looked at. And the commit that waits until
 * somebody confirms it.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { WaitingCommit } from "../domain/CommitEffects.ts"
import type { RepositoryName } from "./RepositoryStore.ts"

/** A refresh that has ended: who wanted it, and when it ended (UTC). */
export interface EndedRefresh {
  readonly id: number
  readonly memo: unknown
  readonly by: string | null
  readonly at: string | null
}

const decode = Schema.decodeUnknownOption(WaitingCommit)

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return RefreshStore.of({
    ended: Effect.fn("RefreshStore.ended")(
      (name: RepositoryName, count: number) =>
        sql<EndedRefresh>`select id, memo, scheduled_by as by,
            iso_time(finish_time) as at from job where function_name = 'refresh_repo'
          and status in ('FINISHED', 'EXCEPTION') and memo ->> 'repository' = ${name} order by id desc limit ${count}`
    ),
    lastMemo: Effect.fn("RefreshStore.lastMemo")((name: RepositoryName) =>
      Effect.map(
        sql<{ memo: unknown }>`select memo from job where function_name = 'refresh_repo'
          and status in ('FINISHED', 'EXCEPTION') and memo ->> 'repository' = ${name} order by id desc limit 1`,
        (rows) => Option.fromNullishOr(rows[0]?.memo)
      )
    ),
    waiting: Effect.fn("RefreshStore.waiting")((name: RepositoryName) =>
      Effect.map(
        sql`select commit, iso_time(at) as at, by, job_id, message, effects from waiting_commit where repository = ${name}`,
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
    forgetWaiting: Effect.fn("RefreshStore.forgetWaiting")((name: RepositoryName, exceptCommit: string) =>
      Effect.asVoid(sql`delete from waiting_commit where repository = ${name} and commit <> ${exceptCommit}`)
    )
  })
})

type Waiting = Omit<WaitingCommit, "at">

/** Refreshes that have ended. */
export class RefreshStore extends Context.Service<
  RefreshStore,
  {
    /** The newest ones, at most so many, the newest first. */
    readonly ended: (
      name: RepositoryName,
      count: number
    ) => Effect.Effect<ReadonlyArray<EndedRefresh>, SqlError.SqlError>
    /** The memo of the last one. */
    readonly lastMemo: (name: RepositoryName) => Effect.Effect<Option.Option<unknown>, SqlError.SqlError>
    /** The commit that waits for a confirmation. It waits no more when any commit has come into force. */
    readonly waiting: (name: RepositoryName) => Effect.Effect<Option.Option<WaitingCommit>, SqlError.SqlError>
    readonly keepWaiting: (name: RepositoryName, waiting: Waiting) => Effect.Effect<void, SqlError.SqlError>
    /** A refresh has found another commit than the one that waits. */
    readonly forgetWaiting: (name: RepositoryName, exceptCommit: string) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/RefreshStore") {
  static readonly layer = Layer.effect(RefreshStore, make)
}
