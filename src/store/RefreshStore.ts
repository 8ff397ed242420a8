/** What the refreshes of a repository remembered, newest first: only jobs that have ended are looked at. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import type { RepositoryName } from "./RepositoryStore.ts"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return RefreshStore.of({
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
    /** The memo of the last one. */
    readonly lastMemo: (name: RepositoryName) => Effect.Effect<Option.Option<unknown>, SqlError.SqlError>
  }
>()("switchyard/store/RefreshStore") {
  static readonly layer = Layer.effect(RefreshStore, make)
}
