/** Rows of the site table, which devices, links and management domains may refer to. */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return SiteStore.of({
    exists: Effect.fn("SiteStore.exists")((id: number) =>
      Effect.map(sql`select 1 from site where id = ${id}`, (rows) => rows.length > 0)
    ),
    named: Effect.fn("SiteStore.named")((description: string) =>
      Effect.map(sql<{ id: number }>`select id from site where description = ${description} limit 2`, (rows) =>
        rows.length === 1 ? Option.fromUndefinedOr(rows[0]?.id) : Option.none()
      )
    )
  })
})

/** Sites by id or description. */
export class SiteStore extends Context.Service<
  SiteStore,
  {
    readonly exists: (id: number) => Effect.Effect<boolean, SqlError.SqlError>
    /** The id of the only site with this description; none when there is none or more than one. */
    readonly named: (description: string) => Effect.Effect<Option.Option<number>, SqlError.SqlError>
  }
>()("switchyard/store/SiteStore") {
  static readonly layer = Layer.effect(SiteStore, make)
}
