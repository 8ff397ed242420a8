/** People with a name and a password (docs/security.md#local-users), and how often a login of a name or from an address went wrong. */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/** A person without the password. */
export interface LocalUser {
  readonly name: string
  readonly roles: ReadonlyArray<string>
  /** For emergencies: each use raises an alarm. */
  readonly break_glass: boolean
  /** False for one who was withdrawn. */
  readonly enabled: boolean
}

export interface StoredUser extends LocalUser {
  readonly hash: string
  /** Another one with each password. */
  readonly session: string
}

/** How many failures are free, and the longest delay that later ones bring, in seconds. */
export interface AttemptLimit {
  readonly free: number
  readonly longest: number
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const known = sql`name, roles, break_glass, not exists (select from person
    where key = 'local:' || local_user.name and withdrawn_at is not null) as enabled`
  const first = <A>(rows: ReadonlyArray<A>) => Option.fromUndefinedOr(rows[0])

  return LocalUserStore.of({
    all: sql<LocalUser>`select ${known} from local_user order by name`,
    find: Effect.fn("LocalUserStore.find")((name) =>
      Effect.map(sql<StoredUser>`select ${known}, hash, session::text from local_user where name = ${name}`, first)
    ),
    add: Effect.fn("LocalUserStore.add")(({ break_glass, hash, name, roles }) =>
      Effect.map(
        sql`insert into local_user (name, hash, roles, break_glass)
          values (${name}, ${hash}, ${roles}::text[], ${break_glass}) on conflict do nothing returning name`,
        (rows) => rows.length > 0
      )
    ),
    locked: sql<LocalUser>`select ${known} from local_user order by name for update`,
    remove: Effect.fn("LocalUserStore.remove")((name) =>
      Effect.asVoid(sql`delete from local_user where name = ${name}`)
    ),
    setPassword: Effect.fn("LocalUserStore.setPassword")((name, hash) =>
      Effect.asVoid(sql`update local_user set hash = ${hash}, session = gen_random_uuid() where name = ${name}`)
    ),
    setRoles: Effect.fn("LocalUserStore.setRoles")((name, roles) =>
      Effect.asVoid(sql`update local_user set roles = ${roles}::text[] where name = ${name}`)
    ),
    attempt: Effect.fn("LocalUserStore.attempt")(function* (subject, { free, longest }) {
      yield* sql`delete from login_attempt where last_at < now() - interval '1 day'`
      const counted = yield* sql`insert into login_attempt as a (subject, failures, last_at, locked_until)
        values (${subject}, 1, now(), now()) on conflict (subject) do update set failures = a.failures + 1, last_at = now(),
          locked_until = now() + make_interval(secs => case when a.failures < ${free}::integer then 0
            else least(power(2, least(a.failures - ${free}::integer, 20)), ${longest}::integer) end)
        where a.locked_until <= now() returning subject`
      if (counted.length > 0) return 0
      const rows = yield* sql<{ wait: number }>`select ceil(extract(epoch from locked_until - now()))::integer as wait
        from login_attempt where subject = ${subject}`
      return Math.max(1, rows[0]?.wait ?? 1)
    }),
    forgive: Effect.fn("LocalUserStore.forgive")((subject) =>
      Effect.asVoid(sql`delete from login_attempt where subject = ${subject}`)
    ),
    takeBack: Effect.fn("LocalUserStore.takeBack")((subject) =>
      Effect.asVoid(
        sql`update login_attempt set failures = greatest(failures - 1, 0), locked_until = now() where subject = ${subject}`
      )
    )
  })
})

/** People with passwords. */
export class LocalUserStore extends Context.Service<
  LocalUserStore,
  {
    readonly all: Effect.Effect<ReadonlyArray<LocalUser>, SqlError.SqlError>
    readonly find: (name: string) => Effect.Effect<Option.Option<StoredUser>, SqlError.SqlError>
    /** False when the name is taken. */
    readonly add: (
      user: Omit<LocalUser, "enabled"> & Pick<StoredUser, "hash">
    ) => Effect.Effect<boolean, SqlError.SqlError>
    /** Everybody, locked until the transaction ends. */
    readonly locked: Effect.Effect<ReadonlyArray<LocalUser>, SqlError.SqlError>
    readonly remove: (name: string) => Effect.Effect<void, SqlError.SqlError>
    /** What was signed before is worth nothing from then on. */
    readonly setPassword: (name: string, hash: string) => Effect.Effect<void, SqlError.SqlError>
    readonly setRoles: (name: string, roles: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
    /** Counts a login as failed before it is tried; yields the seconds to wait, 0 when it may be tried now. */
    readonly attempt: (subject: string, limit: AttemptLimit) => Effect.Effect<number, SqlError.SqlError>
    /** The login was good: nothing is counted any more. */
    readonly forgive: (subject: string) => Effect.Effect<void, SqlError.SqlError>
    /** The login was good: this one does not count. */
    readonly takeBack: (subject: string) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/LocalUserStore") {
  static readonly layer = Layer.effect(LocalUserStore, make)
}
