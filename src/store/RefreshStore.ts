/** What the refreshes of a repository remembered, newest first: only jobs that have ended are looked at. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { RepositoryName } from "./RepositoryStore.ts"

/** A refresh that has ended: who wanted it, and when it ended (UTC). */
export interface EndedRefresh {
  readonly id: number
  readonly memo: unknown
  readonly by: string | null
  readonly at: string | null
}

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
    )
  })
})

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
  }
>()("switchyard/store/RefreshStore") {
  static readonly layer = Layer.effect(RefreshStore, make)
}
