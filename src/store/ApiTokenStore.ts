/** Tokens of programs (docs/api.md#api-tokens): who made them, what they may do, until when. Of the token itself only the SHA-256 is kept. */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** A token without its secret; times are UTC, `2026-11-22T13:59:05Z`. */
export interface ApiToken {
  readonly id: number
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly created_by: string
  readonly created_at: string
  readonly expires_at: string
  /** To the minute; null until it is used. */
  readonly last_used: string | null
  readonly revoked_at: string | null
}

export interface NewApiToken {
  readonly name: string
  /** SHA-256 of the token, as hexadecimal digits. */
  readonly hash: string
  readonly roles: ReadonlyArray<string>
  readonly createdBy: string
  /** From now on. */
  readonly days: number
}

/** What a token that was shown is worth now. */
export interface ShownToken {
  readonly id: number
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly is_expired: boolean
  readonly is_revoked: boolean
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const time = (column: string) => sql.literal(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)
  const columns = sql`id, name, roles, created_by, ${time("created_at")} as created_at, ${time("expires_at")} as expires_at,
    ${time("last_used")} as last_used, ${time("revoked_at")} as revoked_at`
  const first = <A>(rows: ReadonlyArray<A>) => Option.fromUndefinedOr(rows[0])

  return ApiTokenStore.of({
    create: Effect.fn("ApiTokenStore.create")(({ createdBy, days, hash, name, roles }) =>
      Effect.map(
        sql<ApiToken>`insert into api_token (name, hash, roles, created_by, expires_at)
          values (${name}, ${hash}, ${roles}::text[], ${createdBy}, now() + make_interval(days => ${days}::integer))
          on conflict do nothing returning ${columns}`,
        first
      )
    ),
    all: sql<ApiToken>`select ${columns} from api_token order by id`,
    find: Effect.fn("ApiTokenStore.find")((id) =>
      Effect.map(sql<ApiToken>`select ${columns} from api_token where id = ${id}`, first)
    ),
    revoke: Effect.fn("ApiTokenStore.revoke")((id) =>
      Effect.map(
        sql<ApiToken>`update api_token set revoked_at = now() where id = ${id} and revoked_at is null returning ${columns}`,
        first
      )
    ),
    forget: Effect.fn("ApiTokenStore.forget")((days) =>
      Effect.asVoid(
        sql`delete from api_token where least(expires_at, revoked_at) < now() - make_interval(days => ${days})`
      )
    ),
    shown: Effect.fn("ApiTokenStore.shown")(function* (hash) {
      const found = yield* sql<ShownToken & { readonly is_due: boolean }>`select id, name, roles,
        expires_at <= now() as is_expired, revoked_at is not null as is_revoked,
        coalesce(last_used < now() - interval '1 minute', true) as is_due from api_token where hash = ${hash}`
      const [token] = found
      if (token !== undefined && token.is_due && !token.is_expired && !token.is_revoked) {
        yield* sql`update api_token set last_used = now() where id = ${token.id}`
      }
      return Option.fromUndefinedOr(token)
    })
  })
})

/** Tokens of programs. */
export class ApiTokenStore extends Context.Service<
  ApiTokenStore,
  {
    /** None when the name is that of a token that is in force. */
    readonly create: (token: NewApiToken) => Effect.Effect<Option.Option<ApiToken>, SqlError.SqlError>
    readonly all: Effect.Effect<ReadonlyArray<ApiToken>, SqlError.SqlError>
    readonly find: (id: number) => Effect.Effect<Option.Option<ApiToken>, SqlError.SqlError>
    /** None when there is no such token, or it is revoked already. */
    readonly revoke: (id: number) => Effect.Effect<Option.Option<ApiToken>, SqlError.SqlError>
    /** Removes those that ended more than so many days ago: revoked, or no longer valid. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
    /** The token with this SHA-256, and notes at most once a minute that it is used. */
    readonly shown: (hash: string) => Effect.Effect<Option.Option<ShownToken>, SqlError.SqlError>
  }
>()("switchyard/store/ApiTokenStore") {
  static readonly layer = Layer.effect(ApiTokenStore, make)
}
