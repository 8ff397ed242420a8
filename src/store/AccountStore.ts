/**
 * Accounts: persons and users with a password (docs/security.md#persons). A person's record holds the time, roles and attributes of the last
 * request, so a token never has more rights than its person, and whether the person was withdrawn. The tokens, sessions and waiting requests
 * of a person end in one transaction.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Identity, localPerson, type Way } from "../domain/access/Identity.ts"
import { isText } from "../domain/Text.ts"
import { failWhenAway } from "./DatabaseErrors.ts"
import { EventStore } from "./EventStore.ts"

/** A person in API responses; times are UTC. */
export interface ListedPerson {
  readonly person: string
  readonly way: Way | "machine"
  readonly name: string
  readonly roles: ReadonlyArray<string>
  /** The number of valid tokens. */
  readonly tokens: number
  readonly seen_at: string | null
  readonly withdrawn_at: string | null
  readonly withdrawn_by: string | null
}

/** No person has this key. */
export class PersonNotFound extends Schema.TaggedError<PersonNotFound>()("PersonNotFound", { person: Schema.String }) {
  override get message() {
    return `There is no person ${this.person}`
  }
  get httpStatus() {
    return 404 as const
  }
}

/** Milliseconds for which a person's last answer counts: so long after a withdrawal at another replica it takes effect here. */
const KEPT = 500
const MAX_REMEMBERED = 5000

/** Claims that differ in each token and say nothing about the person. */
const VOLATILE: ReadonlySet<string> = new Set(
  "jti sid sub_id nonce session_state session at_hash c_hash s_hash auth_time acr amr azp scope typ type".split(" ")
)

const lasting = (attributes: Identity["attributes"]): Identity["attributes"] =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([name, values]) => !VOLATILE.has(name) && [name, ...values].every((text) => isText(text, "line")))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const events = yield* EventStore
  const time = (column: string) => sql.literal(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)

  /** The last known state of each person, with the claims of that time. It counts for a moment, and while the database is unreachable. */
  const remembered = new Map<string, { readonly said: string; readonly at: number; readonly isWithdrawn: boolean }>()

  const note = Effect.fnUntraced(function* (
    { name, person, roles, way }: Identity,
    attributes: Identity["attributes"]
  ) {
    const [known] = yield* sql<{
      is_withdrawn: boolean
      is_due: boolean
    }>`select withdrawn_at is not null as is_withdrawn,
      (withdrawn_at is null and (seen_at < now() - interval '1 minute' or name <> ${name} or roles <> ${roles}::text[]
        or attributes <> ${sql.json(attributes)})) as is_due
      from person where key = ${person}`
    if (known === undefined || known.is_due) {
      yield* sql`insert into person (key, way, name, roles, attributes)
        values (${person}, ${way}, ${name}, ${roles}::text[], ${sql.json(attributes)})
        on conflict (key) do update set name = excluded.name, roles = excluded.roles, attributes = excluded.attributes,
          seen_at = now() where person.withdrawn_at is null`
    }
    return known?.is_withdrawn === true
  })

  const isWithdrawn = Effect.fnUntraced(function* (identity: Identity) {
    const { name, person, roles, way } = identity
    if (way === "open" || way === "token") return false
    const attributes = lasting(identity.attributes)
    const said = JSON.stringify([name, roles, attributes])
    const at = yield* Clock.currentTimeMillis
    const known = remembered.get(person)
    // two tokens of one person can hold different claims: the last ones count
    if (known !== undefined && known.said === said && at - known.at < KEPT) return known.isWithdrawn
    const found = yield* failWhenAway(note(identity, attributes)).pipe(
      // nothing can be changed in the meantime either, so the last known state counts
      Effect.catchTag("SqlError", () => Effect.succeed(known?.isWithdrawn === true))
    )
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(person, { said, at, isWithdrawn: found })
    return found
  })

  /** Ends all tokens, sessions and open requests of a person. */
  const endAll = Effect.fnUntraced(function* (person: string) {
    const ended = yield* sql<{ id: number }>`update api_token set revoked_at = now()
      where owner = ${person} and revoked_at is null returning id`
    yield* sql`update local_user set session = gen_random_uuid() where ${localPerson("")} || name = ${person}`
    yield* sql`update request_approval set decision = 'expired', decided_at = now(), sealed_body = ''
      where asked_person = ${person} and decision is null`
    return ended.length
  })

  const one = (person: string) =>
    sql<ListedPerson>`select ${sql.literal(LISTED)}, ${time("p.seen_at")} as seen_at,
      ${time("p.withdrawn_at")} as withdrawn_at, p.withdrawn_by ${sql.literal(FROM)} where k.key = ${person}`

  const known = Effect.fnUntraced(function* (person: string) {
    const [found] = yield* one(person)
    return found ?? (yield* new PersonNotFound({ person }))
  })

  return PersonStore.of({
    localUsers: yield* makeLocalUsers,
    isWithdrawn: Effect.fn("PersonStore.isWithdrawn")(isWithdrawn),
    find: Effect.fn("PersonStore.find")((person) =>
      Effect.map(
        sql<KnownPerson>`select name, way, roles, attributes, withdrawn_at is not null as is_withdrawn
          from person where key = ${person}`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    ),
    all: sql<ListedPerson>`select ${sql.literal(LISTED)}, ${time("p.seen_at")} as seen_at,
      ${time("p.withdrawn_at")} as withdrawn_at, p.withdrawn_by ${sql.literal(FROM)} order by k.key limit 1000`,
    identities: sql<PersonWithRoles>`select k.key as person, case k.way when 'machine' then 'token' else k.way end as way,
      coalesce(p.name, k.name) as name, coalesce(p.attributes, '{}') as attributes, p.withdrawn_at is not null as is_withdrawn, case k.way when 'machine' then coalesce((select array_agg(distinct role)
        from api_token t, unnest(t.roles) role where t.owner = k.key and t.revoked_at is null and t.expires_at > now()), '{}')
        else coalesce(u.roles, p.roles, k.roles) end as roles
      ${sql.literal(FROM)} left join local_user u on 'local:' || u.name = k.key order by k.key limit 1000`,
    withdraw: Effect.fn("PersonStore.withdraw")(function* (person: string, by: string) {
      const { name, roles, way } = yield* known(person)
      yield* sql`insert into person (key, way, name, roles, attributes, withdrawn_at, withdrawn_by)
        values (${person}, ${way}, ${name}, ${roles}::text[], '{}', now(), ${by})
        on conflict (key) do update set withdrawn_at = coalesce(person.withdrawn_at, now()),
          withdrawn_by = coalesce(person.withdrawn_by, excluded.withdrawn_by)`
      const tokens = yield* endAll(person)
      yield* events.append({
        kind: "person",
        action: "withdrawn",
        isAudit: true,
        data: { person, name, ended_tokens: tokens }
      })
      return { person: yield* known(person), ended_tokens: tokens }
    }, sql.withTransaction),
    admit: Effect.fn("PersonStore.admit")(function* (person: string) {
      const { name } = yield* known(person)
      yield* sql`update person set withdrawn_at = null, withdrawn_by = null where key = ${person}`
      yield* events.append({ kind: "person", action: "admitted", isAudit: true, data: { person, name } })
      return { person: yield* known(person) }
    }, sql.withTransaction),
    forget: Effect.fn("PersonStore.forget")((days) =>
      Effect.asVoid(
        sql`delete from person p where p.seen_at < now() - make_interval(days => ${days}) and p.withdrawn_at is null
          and not exists (select from api_token t where t.owner = p.key and t.revoked_at is null and t.expires_at > now())`
      )
    ),
    end: Effect.fn("PersonStore.end")(function* (person: string) {
      yield* endAll(person)
      yield* sql`delete from person where key = ${person}`
    }, sql.withTransaction)
  })
})

const LISTED = `k.key as person, coalesce(p.way, k.way) as way, coalesce(p.name, k.name) as name,
  coalesce(p.roles, k.roles) as roles, (select count(*)::integer from api_token t where t.owner = k.key
    and t.revoked_at is null and t.expires_at > now()) as tokens`

/** Includes local users who have not logged in yet, and machine accounts. */
const FROM = `from (select key, way, name, roles from person
    union select 'local:' || name, 'password', name, roles from local_user
      where not exists (select from person where key = 'local:' || local_user.name)
    union select distinct on (owner) owner, 'machine', substr(owner, 9), roles from api_token where is_machine and owner is not null
      and revoked_at is null and not exists (select from person where key = owner)) k
  left join person p on p.key = k.key`

/** A person at the time of their last request. */
interface KnownPerson extends Pick<Identity, "name" | "roles" | "attributes"> {
  readonly way: Way | "machine"
  readonly is_withdrawn: boolean
}

/** A person as a caller, with the roles that they would have now. */
export interface PersonWithRoles extends Identity {
  readonly is_withdrawn: boolean
}

/** Persons, and local users with their failed logins. */
export class PersonStore extends Context.Service<
  PersonStore,
  {
    readonly localUsers: LocalUserRows
    /** Whether an administrator has withdrawn this caller. Records at most once a minute that the caller was seen. */
    readonly isWithdrawn: (identity: Identity) => Effect.Effect<boolean>
    readonly find: (person: string) => Effect.Effect<Option.Option<KnownPerson>, SqlError.SqlError>
    readonly all: Effect.Effect<ReadonlyArray<ListedPerson>, SqlError.SqlError>
    /** All persons as callers; at most 1000. */
    readonly identities: Effect.Effect<ReadonlyArray<PersonWithRoles>, SqlError.SqlError>
    /** Ends all tokens and sessions of the person and refuses later logins. */
    readonly withdraw: (
      person: string,
      by: string
    ) => Effect.Effect<
      { readonly person: ListedPerson; readonly ended_tokens: number },
      PersonNotFound | SqlError.SqlError
    >
    /** Admits the person again; tokens and sessions that have ended stay ended. */
    readonly admit: (
      person: string
    ) => Effect.Effect<{ readonly person: ListedPerson }, PersonNotFound | SqlError.SqlError>
    /** Deletes persons who were not seen for this number of days and have no valid token. Withdrawn persons stay. */
    readonly forget: (days: number) => Effect.Effect<void, SqlError.SqlError>
    /** Ends all tokens and sessions of a person who was removed, and deletes the record. */
    readonly end: (person: string) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/PersonStore") {
  static readonly layer = Layer.effect(PersonStore, make)
}

// Users with a name and a password (docs/security.md#local-users), and failed logins, counted per name and per address.

/** A person without the password. */
export interface LocalUser {
  readonly name: string
  readonly roles: ReadonlyArray<string>
  /** For emergencies: each use raises an alarm. */
  readonly break_glass: boolean
  /** False for a withdrawn person. */
  readonly enabled: boolean
}

interface StoredUser extends LocalUser {
  readonly hash: string
  /** Changes with each password. */
  readonly session: string
}

/** The number of failures without a delay, and the longest delay of later ones in seconds. */
export interface AttemptLimit {
  readonly free: number
  readonly longest: number
}

const makeLocalUsers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const known = sql`name, roles, break_glass, not exists (select from person
    where key = 'local:' || local_user.name and withdrawn_at is not null) as enabled`
  const first = <A>(rows: ReadonlyArray<A>) => Option.fromUndefinedOr(rows[0])

  return {
    all: sql<LocalUser>`select ${known} from local_user order by name`,
    find: Effect.fn("PersonStore.localUsers.find")((name) =>
      Effect.map(sql<StoredUser>`select ${known}, hash, session::text from local_user where name = ${name}`, first)
    ),
    add: Effect.fn("PersonStore.localUsers.add")(({ break_glass, hash, name, roles }) =>
      Effect.map(
        sql`insert into local_user (name, hash, roles, break_glass)
          values (${name}, ${hash}, ${roles}::text[], ${break_glass}) on conflict do nothing returning name`,
        (rows) => rows.length > 0
      )
    ),
    locked: sql<LocalUser>`select ${known} from local_user order by name for update`,
    remove: Effect.fn("PersonStore.localUsers.remove")((name) =>
      Effect.asVoid(sql`delete from local_user where name = ${name}`)
    ),
    setPassword: Effect.fn("PersonStore.localUsers.setPassword")((name, hash) =>
      Effect.asVoid(sql`update local_user set hash = ${hash}, session = gen_random_uuid() where name = ${name}`)
    ),
    setRoles: Effect.fn("PersonStore.localUsers.setRoles")((name, roles) =>
      Effect.asVoid(sql`update local_user set roles = ${roles}::text[] where name = ${name}`)
    ),
    attempt: Effect.fn("PersonStore.localUsers.attempt")(function* (subject, { free, longest }) {
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
    forgive: Effect.fn("PersonStore.localUsers.forgive")((subject) =>
      Effect.asVoid(sql`delete from login_attempt where subject = ${subject}`)
    ),
    takeBack: Effect.fn("PersonStore.localUsers.takeBack")((subject) =>
      Effect.asVoid(
        sql`update login_attempt set failures = greatest(failures - 1, 0), locked_until = now() where subject = ${subject}`
      )
    )
  } satisfies LocalUserRows
})

/** Users with passwords, and their failed logins. */
interface LocalUserRows {
  readonly all: Effect.Effect<ReadonlyArray<LocalUser>, SqlError.SqlError>
  readonly find: (name: string) => Effect.Effect<Option.Option<StoredUser>, SqlError.SqlError>
  /** False if the name is taken. */
  readonly add: (
    user: Omit<LocalUser, "enabled"> & Pick<StoredUser, "hash">
  ) => Effect.Effect<boolean, SqlError.SqlError>
  /** All users, with their rows locked until the transaction ends. */
  readonly locked: Effect.Effect<ReadonlyArray<LocalUser>, SqlError.SqlError>
  readonly remove: (name: string) => Effect.Effect<void, SqlError.SqlError>
  /** Also ends all earlier sessions. */
  readonly setPassword: (name: string, hash: string) => Effect.Effect<void, SqlError.SqlError>
  readonly setRoles: (name: string, roles: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
  /** Counts a login as failed before the attempt; yields the seconds to wait, 0 if the attempt may begin now. */
  readonly attempt: (subject: string, limit: AttemptLimit) => Effect.Effect<number, SqlError.SqlError>
  /** After a successful login: forgets all failures. */
  readonly forgive: (subject: string) => Effect.Effect<void, SqlError.SqlError>
  /** After a successful login: takes back the count of this attempt alone. */
  readonly takeBack: (subject: string) => Effect.Effect<void, SqlError.SqlError>
}
