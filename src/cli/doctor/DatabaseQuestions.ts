/**
 * The questions of `switchyard doctor` about the database, each through a connection of its own: whether it answers, which session blocks
 * which, what is idle in a transaction, how large it is, and what is stuck. It starts no database, changes none, and takes no lock that
 * could wait.
 */
import { RepositoryStore } from "../../store/RepositoryStore.ts"
import { PgConnection } from "@effect/sql-pg"
import { Effect, Layer, Option, Redacted, References, Result, Schema, type Scope } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { Finding } from "../../domain/Finding.ts"
import { findingsOf } from "../../domain/findings/Findings.ts"
import { codeOf } from "../../runtime/SystemErrors.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import * as DatabaseClient from "../../store/DatabaseClient.ts"
import * as DatabaseErrors from "../../store/DatabaseErrors.ts"
import { makeFindingFacts } from "../../store/Figures.ts"
import {
  ageOf,
  type Blocker,
  blockersIn,
  look,
  sentenceOf,
  type Session,
  withoutValues
} from "../../store/ForeignLocks.ts"
import { FILE as INSTALLATION, identityIn } from "../../store/Installation.ts"
import { at, isOurs, readPidFile } from "../../store/postgres/Postmaster.ts"
import { bad, type Found, good, percentOf, type Place, type Question, sizeOf, unknown, warn } from "./Questions.ts"

const SECONDS = 8
/** The application name of the server's own sessions. */
const SERVER = "switchyard"

class NoDatabase extends Schema.TaggedError<NoDatabase>()("NoDatabase", { message: Schema.String }) {}

/** This user has no right to see it; it may be well. */
class NotSeen extends Schema.TaggedError<NotSeen>()("NotSeen", { message: Schema.String }) {}

const isClosed = (folder: string): Promise<boolean> =>
  fs.readdir(folder).then(
    () => false,
    (error: unknown) => ["EACCES", "EPERM"].includes(codeOf(error) ?? "")
  )

/** How to reach the database, without ever starting it. Only our own process gets the password. */
const wayTo = Effect.fnUntraced(function* ({ home, settings }: Place) {
  if (home !== null) {
    const data = path.join(home, "postgres")
    if (yield* Effect.promise(() => isClosed(data)))
      return yield* new NotSeen({ message: `user ${process.getuid?.()} cannot look into ${data}` })
    const file = yield* readPidFile(data)
    if (file === null || !(yield* isOurs(file.pid, data)))
      return yield* new NoDatabase({ message: "the embedded database is not running" })
    if (!file.isReady) return yield* new NoDatabase({ message: "the embedded database is starting or stopping" })
    const password = yield* Effect.tryPromise({
      try: () => fs.readFile(path.join(home, "postgres-password"), "utf8"),
      catch: () => new NoDatabase({ message: "the password of the embedded database cannot be read" })
    })
    return at(file.port, Redacted.make(password.trim()))
  }
  const url = settings === null ? Option.none() : settings.DATABASE_URL
  if (Option.isNone(url)) return yield* new NoDatabase({ message: "the settings do not say where the database is" })
  return { url: url.value, ...(yield* DatabaseErrors.tlsOptions(url.value)) }
})

const options = (way: Effect.Success<ReturnType<typeof wayTo>>) => ({
  ...way,
  applicationName: "switchyard doctor",
  connectTimeout: "3 seconds" as const
})

/** A connection whose statements wait for no lock. */
const connect = Effect.fnUntraced(function* (place: Place) {
  const connection = yield* PgConnection.make(options(yield* wayTo(place)))
  yield* connection.query("set lock_timeout = '2s'")
  yield* connection.query("set statement_timeout = '5s'")
  return connection
})

const rowOf = <A>(schema: Schema.Decoder<A>) => {
  const decode = Schema.decodeUnknownEffect(Schema.NonEmptyArray(schema))
  return (connection: PgConnection.PgConnection, statement: string) =>
    Effect.flatMap(connection.query(statement), ({ rows }) => Effect.map(decode(rows), ([row]) => row))
}

const State = rowOf(
  Schema.Struct({
    version: Schema.String,
    recovery: Schema.Boolean,
    readonly: Schema.Boolean,
    schema: Schema.Boolean,
    identity: Schema.Boolean,
    now: Schema.Finite,
    used: Schema.Int,
    most: Schema.Int,
    size: Schema.Finite
  })
)

const STATE = `select current_setting('server_version') as version, pg_is_in_recovery() as recovery,
  current_setting('transaction_read_only') = 'on' as readonly, to_regclass('switchyard_migrations') is not null as schema,
  to_regclass('installation') is not null as identity, extract(epoch from clock_timestamp())::float8 as now,
  (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
  current_setting('max_connections')::int as most, pg_database_size(current_database())::float8 as size`

const SKEW_SECONDS = 2

const clockOf = (seconds: number): Found => {
  const skew = Math.round(seconds)
  const words = `the clock of the database is ${Math.abs(skew)} seconds ${skew > 0 ? "before" : "behind"} that of this machine`
  return Math.abs(skew) < SKEW_SECONDS
    ? [good("clock", "the database has the same time")]
    : [
        warn("clock", [
          words,
          "Timers, tokens and the order of events depend on clocks.",
          "Let both be set by the same time servers."
        ])
      ]
}

const state = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<Found, unknown, Scope.Scope> {
  const found = yield* State(yield* connect(place), STATE)
  const used = `${found.used} of ${found.most} connections are open`
  return [
    found.recovery || found.readonly
      ? bad("database", [
          `PostgreSQL ${found.version} answers, and takes no writes`,
          found.recovery ? "It is a standby, or it is still recovering." : "It was set to be read only.",
          "Let the address lead to the server that writes."
        ])
      : good("database", `PostgreSQL ${found.version} answers and takes writes, ${sizeOf(found.size)}`),
    ...(found.schema
      ? []
      : [
          bad("database", [
            "has no tables of Switchyard",
            "It is empty or another program's: a server would make new tables and know nothing of its past.",
            "Check DATABASE_URL and DATA_DIR before a server starts."
          ])
        ]),
    percentOf(found.used, found.most) >= 90
      ? warn("database", [
          used,
          "Soon no further client can connect.",
          "End sessions that are not needed, or raise max_connections."
        ])
      : good("database", used)
  ]
}, Effect.scoped)

const clock = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<Found, unknown, Scope.Scope> {
  const connection = yield* connect(place)
  const before = Date.now()
  const { now } = yield* State(connection, STATE)
  return clockOf(now - (before + Date.now()) / 2000)
}, Effect.scoped)

const LONG_SECONDS = 5

const ofBlocker = (blocker: Blocker): Found[number] => {
  const { seconds, session, waiting } = blocker
  const statement = session.statement === null ? "" : `; its statement: ${withoutValues(session.statement)}`
  const what = `${sentenceOf(blocker)}; ${waiting} ${waiting === 1 ? "session waits" : "sessions wait"}, the first for ${ageOf(seconds)}${statement}`
  const who = [session.user === null ? "" : `user ${session.user}`, session.address ?? "this machine"].filter(
    (one) => one !== ""
  )
  const why = `${who.join(", ")}. Clients that wait for it get no answer.`
  const next =
    session.pid === 0
      ? "select * from pg_prepared_xacts; then commit or roll back (rollback prepared '…')"
      : `Ask its user to end it; else: select pg_terminate_backend(${session.pid}), which rolls back what it did.`
  // the server gives up the lock after its own limit, so that others do not wait for long
  const held = session.application === SERVER ? seconds : Math.max(seconds, session.seconds ?? 0)
  if (held < LONG_SECONDS) return good("locks", what)
  return (session.application === SERVER ? warn : bad)("locks", [what, why, next])
}

const IDLE_SECONDS = 60

const ofIdle = (session: Session): Found => {
  const seconds = session.stateSeconds ?? 0
  if (session.state?.startsWith("idle in transaction") !== true || seconds < IDLE_SECONDS) return []
  const name = session.application === "" ? "a program without a name" : session.application
  const last = session.statement === null ? "" : `; its last statement: ${withoutValues(session.statement)}`
  return [
    warn(`process ${session.pid} of the database`, [
      `${name} has been idle in a transaction for ${ageOf(seconds)}${last}`,
      "It keeps its locks, and keeps the database from reusing room.",
      `Ask its user to end it; else: select pg_terminate_backend(${session.pid})`
    ])
  ]
}

const LOOKS = 3

/** Looks again after a while, because sessions wait again and again: one look may find none. */
const lookAgain = Effect.fnUntraced(function* (connection: PgConnection.PgConnection) {
  let picture = yield* look(connection)
  for (let looks = 1; looks < LOOKS && picture.waits.length === 0; looks++) {
    yield* Effect.sleep("700 millis")
    picture = yield* look(connection)
  }
  return picture
})

const blocks = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<Found, unknown, Scope.Scope> {
  const picture = yield* lookAgain(yield* connect(place))
  const blockers = blockersIn(picture)
  const idle = picture.sessions.flatMap(ofIdle)
  return [
    ...(blockers.length === 0 ? [good("locks", "nobody waits for a lock")] : blockers.map(ofBlocker)),
    ...(idle.length === 0 ? [good("transactions", "none is idle for a minute")] : idle)
  ]
}, Effect.scoped)

/** From the catalog: measuring a table would wait for the session that has locked it. */
const TABLES = `select coalesce(string_agg(name || ' ' || pg_size_pretty(bytes), ', ' order by bytes desc), 'none') as tables from (
  select c.relname as name, (c.relpages + coalesce(t.relpages, 0) + coalesce((select sum(i.relpages) from pg_index x
    join pg_class i on i.oid = x.indexrelid where x.indrelid in (c.oid, t.oid)), 0))::bigint * current_setting('block_size')::bigint as bytes
  from pg_class c left join pg_class t on t.oid = c.reltoastrelid
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 2 desc limit 5) largest`

const tables = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<Found, unknown, Scope.Scope> {
  const found = yield* rowOf(Schema.Struct({ tables: Schema.String }))(yield* connect(place), TABLES)
  return [good("tables", `the largest as of the last vacuum: ${found.tables}`)]
}, Effect.scoped)

/** The id in DATA_DIR; null without one. */
const idIn = (dataDir: string) =>
  Effect.promise(() =>
    fs.readFile(path.join(dataDir, INSTALLATION), "utf8").then(
      (text) => Result.getOrNull(Result.map(identityIn(text), ({ id }) => id)),
      () => null
    )
  )

const identity = Effect.fnUntraced(function* (place: Place): Effect.fn.Return<Found, unknown, Scope.Scope> {
  const own = process.env["INSTALLATION_ID"] || (yield* idIn(place.dataDir))
  const connection = yield* connect(place)
  const { identity: named } = yield* State(connection, STATE)
  const row = named
    ? yield* rowOf(Schema.Struct({ id: Schema.String }))(connection, "select id::text as id from installation")
    : null
  if (own === null && row === null)
    return [good("identity", "neither DATA_DIR nor the database names an installation yet")]
  if (own === null)
    return [
      warn("identity", [
        `the database is of installation ${row?.id}, and DATA_DIR names none`,
        "It may be another folder than that of the server.",
        "Check DATA_DIR; the next start writes it."
      ])
    ]
  if (row?.id.toLowerCase() === own)
    return [good("identity", `this is installation ${own}, in DATA_DIR and in the database`)]
  return [
    bad("identity", [
      `DATA_DIR is of installation ${own}, and the database ${row === null ? "names none" : `is of ${row.id}`}`,
      "They do not belong together: a volume is not mounted, or an address leads to another database.",
      "Check DATA_DIR and DATABASE_URL. Do not start a server before that."
    ])
  ]
}, Effect.scoped)

/** A sentence for a database that does not answer. */
const unreachable =
  (place: Place) =>
  (error: unknown): Found => {
    if (error instanceof NotSeen) return [unknown("database", error.message, "", "Ask as its user, or as root.")]
    const message = error instanceof Error ? error.message : String(error)
    const cause =
      error instanceof Error && "reason" in error && error.reason instanceof Error ? error.reason.cause : undefined
    const own = cause instanceof Error ? `: ${cause.message}` : ""
    // the system names the address, and not the purpose of the connection
    const ofSystem = /^E[A-Z]+$/.test(codeOf(cause) ?? "") && cause instanceof Error ? cause.message : null
    return [
      bad("database", [
        `it does not answer: ${ofSystem ?? withoutValues(`${message}${own}`)}`,
        place.home === null
          ? "The server or the way to it is down, or refuses us."
          : "It ended, or the server that keeps it did.",
        place.home === null
          ? "Look at that server: is it up, does it take connections of this machine, is its disk full?"
          : `Read the end of ${path.join(place.home, "postgres.log")}, then start the server: it starts its database.`
      ])
    ]
  }

const needsIt = (about: string) => () => Effect.succeed([unknown(about, "the database does not answer")])

/** Questions about the database. */
export const databaseQuestions = (place: Place): ReadonlyArray<Question> => [
  {
    kind: "database",
    about: "database",
    seconds: SECONDS,
    ask: Effect.catch(state(place), (error) => Effect.succeed(unreachable(place)(error)))
  },
  {
    kind: "clock",
    about: "clock",
    seconds: SECONDS,
    ask: Effect.catch(clock(place), needsIt("clock of the database"))
  },
  { kind: "lock", about: "locks", seconds: SECONDS, ask: Effect.catch(blocks(place), needsIt("locks")) },
  { kind: "size", about: "tables", seconds: SECONDS, ask: Effect.catch(tables(place), needsIt("tables")) },
  { kind: "identity", about: "identity", seconds: SECONDS, ask: Effect.catch(identity(place), needsIt("identity")) }
]

/** The findings of a server about its database, if no server runs: changes nothing and migrates nothing. */
export const storedFindings = (place: Place): Effect.Effect<ReadonlyArray<Finding>, unknown> =>
  Effect.gen(function* () {
    const way = yield* wayTo(place)
    const client = DatabaseClient.layer({
      ...options(way),
      maxConnections: 2,
      startupParameters: { lock_timeout: "2s", statement_timeout: "5s" }
    })
    const { settings } = place
    const config = settings === null ? ServerConfig.layer : Layer.succeed(ServerConfig, ServerConfig.of(settings))
    const read = Effect.flatMap(makeFindingFacts, ({ read }) => read)
    const facts = yield* read.pipe(
      Effect.provide(RepositoryStore.layer.pipe(Layer.provideMerge(Layer.merge(client, config)))),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
    return findingsOf({ ...facts, tls: null, disk: null })
  })
