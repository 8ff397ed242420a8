/** Tokens of programs (docs/api.md#api-tokens), with their creators, permissions and expiry. Only the SHA-256 of a token is stored. */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Identity, machinePerson, type Way } from "../domain/access/Identity.ts"
import { locks } from "./DatabaseClient.ts"

/** A token without its secret; times are UTC, `2026-11-22T13:59:05Z`. */
export interface ApiToken {
  readonly id: number
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly created_by: string
  /** The key of the person who owns the token, or of the machine's account; null for a token of an earlier release with an unknown creator. */
  readonly owner: string | null
  readonly is_machine: boolean
  readonly created_at: string
  readonly expires_at: string
  /** Accurate to the minute; null until the first use. */
  readonly last_used: string | null
  readonly revoked_at: string | null
}

interface NewApiToken {
  readonly name: string
  /** SHA-256 of the token, as hexadecimal digits. */
  readonly hash: string
  readonly roles: ReadonlyArray<string>
  readonly createdBy: string
  /** The key of a person; null for the account of a machine, which has the token's name. */
  readonly owner: string | null
  /** The validity in days from now. */
  readonly days: number
}

/** The owner of a presented token, at the time of their last request. */
interface TokenOwner extends Pick<Identity, "name" | "roles" | "attributes"> {
  readonly person: string
  readonly way: Way
}

/** A presented token with its current rights. */
export interface ShownToken {
  readonly id: number
  readonly name: string
  readonly roles: ReadonlyArray<string>
  readonly is_expired: boolean
  readonly is_revoked: boolean
  readonly created_by: string
  readonly is_machine: boolean
  /** The key of its owner; null for a token of an earlier release with an unknown creator. */
  readonly owner: string | null
  /** Null for a machine, and if no person has the key. */
  readonly owned_by: TokenOwner | null
  /** The reason why it ended with its owner, as a sentence without a full stop; null while it is valid. */
  readonly ended: string | null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const time = (column: string) => sql.literal(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)
  const columns = sql`id, name, roles, created_by, owner, is_machine, ${time("created_at")} as created_at, ${time("expires_at")} as expires_at,
    ${time("last_used")} as last_used, ${time("revoked_at")} as revoked_at`
  const first = <A>(rows: ReadonlyArray<A>) => Option.fromUndefinedOr(rows[0])

  /** Tokens with their current rights and their owners. */
  const shown = (ownerDays: number) => sql`select t.id, t.name, t.roles,
        t.expires_at <= now() as is_expired, t.revoked_at is not null as is_revoked,
        t.created_by, t.is_machine, t.owner,
        case when u.name is not null then jsonb_build_object('person', t.owner, 'way', 'password', 'name', u.name,
            'roles', u.roles, 'attributes', '{}'::jsonb)
          when p.key is not null and not t.is_machine then jsonb_build_object('person', t.owner, 'way', p.way, 'name', p.name,
            'roles', p.roles, 'attributes', p.attributes) end as owned_by,
        case when p.withdrawn_at is not null then p.name || ' was withdrawn'
          when t.owner like 'local:%' and u.name is null then 'user ' || substr(t.owner, 7) || ' is gone'
          when t.owner like 'oidc:%' and ${ownerDays}::integer > 0
              and coalesce(p.seen_at, t.created_at) < now() - make_interval(days => ${ownerDays}::integer)
            then coalesce(p.name, t.created_by) || ' has not signed on for ' || ${ownerDays}::integer || ' days (TOKEN_OWNER_DAYS)'
          end as ended,
        coalesce(t.last_used < now() - interval '1 minute', true) as is_due from api_token t
        left join person p on p.key = t.owner
        left join local_user u on t.owner = 'local:' || u.name`

  return ApiTokenStore.of({
    create: Effect.fn("ApiTokenStore.create")(({ createdBy, days, hash, name, owner, roles }) =>
      Effect.map(
        sql<ApiToken>`insert into api_token (name, hash, roles, created_by, owner, is_machine, expires_at)
          values (${name}, ${hash}, ${roles}::text[], ${createdBy}, ${owner ?? machinePerson(name)}, ${owner === null},
            now() + make_interval(days => ${days}::integer))
          on conflict do nothing returning ${columns}`,
        first
      )
    ),
    countOf: Effect.fn("ApiTokenStore.countOf")(function* (owner, name) {
      // two tokens that are created at once see each other
      yield* sql`select pg_advisory_xact_lock(${locks.tokens}, hashtext(${owner}))`
      const [row] = yield* sql<{ count: number }>`select count(*)::integer as count from api_token
        where (owner = ${owner} or (owner is null and not is_machine and created_by = ${name}))
          and revoked_at is null and expires_at > now()`
      return row?.count ?? 0
    }),
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
    state: Effect.fn("ApiTokenStore.state")((id, ownerDays) =>
      Effect.map(sql<ShownToken>`${shown(ownerDays)} where t.id = ${id}`, first)
    ),
    shown: Effect.fn("ApiTokenStore.shown")(function* (hash, ownerDays) {
      const found = yield* sql<ShownToken & { readonly is_due: boolean }>`${shown(ownerDays)} where t.hash = ${hash}`
      const [token] = found
      if (token !== undefined && token.is_due && !token.is_expired && !token.is_revoked && token.ended === null) {
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
    /** `None` if a valid token has this name. */
    readonly create: (token: NewApiToken) => Effect.Effect<Option.Option<ApiToken>, SqlError.SqlError>
    /**
     * The number of valid tokens of a person, including tokens of earlier releases that a user of this name created; locked until the
     * transaction ends.
     */
    readonly countOf: (owner: string, name: string) => Effect.Effect<number, SqlError.SqlError>
    readonly all: Effect.Effect<ReadonlyArray<ApiToken>, SqlError.SqlError>
    readonly find: (id: number) => Effect.Effect<Option.Option<ApiToken>, SqlError.SqlError>
    /** `None` if no token has this id, or if it is already revoked. */
    readonly revoke: (id: number) => Effect.Effect<Option.Option<ApiToken>, SqlError.SqlError>
    /** Removes tokens that were revoked or expired more than this number of days ago. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
    /** A token with its current rights, by id. */
    readonly state: (id: number, ownerDays: number) => Effect.Effect<Option.Option<ShownToken>, SqlError.SqlError>
    /**
     * The token with this SHA-256; records its use at most once a minute. A token of a provider's subject ends if its owner was
     * not seen for `ownerDays` days; 0 means never.
     */
    readonly shown: (hash: string, ownerDays: number) => Effect.Effect<Option.Option<ShownToken>, SqlError.SqlError>
  }
>()("switchyard/store/ApiTokenStore") {
  static readonly layer = Layer.effect(ApiTokenStore, make)
}
