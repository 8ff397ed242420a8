/**
 * The connection to PostgreSQL: the server that DATABASE_URL names, or the embedded one. The pool has 16 connections. Migrations run before
 * any other use of the database.
 */
import { Duration, Effect, Layer, Option, Redacted, Result, Schedule, Schema } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import * as net from "node:net"
import { lookup } from "../runtime/NameLookup.ts"
import { ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import { answeringWithin } from "./AnswerTime.ts"
import * as DatabaseErrors from "./DatabaseErrors.ts"
import { meaning } from "./DatabaseErrors.ts"
import * as DatabaseClient from "./DatabaseClient.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import * as Installation from "./Installation.ts"
import { MadeAnew } from "./migrations/0056_installation.ts"
import * as Migrations from "./Migrations.ts"
import { poolSize } from "../runtime/metrics/Metrics.ts"
import { IDLE_TRANSACTION } from "../domain/TakeOver.ts"

// Whether each connection is a session of its own in PostgreSQL. Locks of plugins and of the cluster, and prepared statements,
// belong to a session: behind a pooler that lends backends for a transaction or a statement, another client would get them, or they would
// be lost, without any error. The check does not depend on the kind of pooler: two connections that are open at once must each have a
// backend and keep it.

/** A pooler between the server and its database shares sessions; waiting does not help. */
export class SessionsShared extends Schema.TaggedError<SessionsShared>()("SessionsShared", {}) {
  override readonly message =
    "The database is behind a pooler that lends its sessions by transaction or statement. Switchyard needs whole sessions, for its locks: set pool_mode = session in PgBouncer, or connect to PostgreSQL itself"
}

/** Enough for a pooler that lends its backends in turn. */
const ROUNDS = 3

const send = (connection: SqlConnection.Connection, statement: string) =>
  connection.executeValuesUnprepared(statement, [])

const backendOf = (connection: SqlConnection.Connection) =>
  Effect.map(send(connection, "select pg_backend_pid()"), ([row]) => Number(row?.[0]))

/** Runs the effect in a transaction, and ends only an open one: otherwise PostgreSQL would log a warning at each start. */
const inTransaction = <A, E>(connection: SqlConnection.Connection, effect: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    send(connection, "begin"),
    () => effect,
    () => Effect.ignore(send(connection, "commit"))
  )

/** Whether two connections each have a backend, also while the second has a transaction open. */
const lookAtSessions = Effect.fnUntraced(function* (one: SqlConnection.Connection, other: SqlConnection.Connection) {
  const before = yield* backendOf(one)
  // a pooler that lends by statement ends the connection when a transaction begins
  if ((yield* backendOf(other)) === before) return false
  const meanwhile = Effect.gen(function* () {
    // with a single backend, which the other connection has now, no answer would come
    if ((yield* backendOf(other)) === before) return undefined
    return yield* backendOf(one)
  })
  return (yield* inTransaction(other, meanwhile)) === before
})

/** Fails with SessionsShared if sessions are shared. */
const checkSessions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [one, other] = yield* Effect.all([sql.reserve, sql.reserve])
  for (let round = 0; round < ROUNDS; round += 1) {
    if (!(yield* lookAtSessions(one, other))) return yield* new SessionsShared()
  }
}).pipe(Effect.scoped, Effect.withSpan("WholeSessions.check"))

/** The database cannot be used; the message is for the operator who starts the server. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const POOL_SIZE = 16

/** A job record holds the configurations of all its devices: 17 MB for 1,000 of them. */
export const MAX_MESSAGE_BYTES = 512 * 1024 * 1024

/** Looks up a name within a time limit, and without a thread for each waiting connection. */
const dialled = (text: string): { readonly stream?: () => net.Socket } => {
  const url = URL.parse(text)
  if (url === null || url.hostname === "" || net.isIP(url.hostname.replace(/^\[|\]$/g, "")) !== 0) return {}
  // the client reads these itself, such as the folder of a socket
  if (url.searchParams.has("host") || url.searchParams.has("port") || url.hostname.includes("%")) return {}
  const where = { host: url.hostname, port: url.port === "" ? 5432 : Number(url.port), lookup, noDelay: true }
  return { stream: () => net.connect({ ...where, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MILLIS }) }
}

const KEEP_ALIVE_MILLIS = 20_000

const named = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const tls = yield* Effect.mapError(
    DatabaseErrors.tlsOptions(url),
    (cause) => new DatabaseUnavailable({ message: cause.message, cause })
  )
  return { url, ...tls, ...dialled(Redacted.value(url)) }
})

const unavailable = ({ message }: { readonly message: string }) => new DatabaseUnavailable({ message })

const settingOf = ({ INSTALLATION_ID }: ServerSettings) => Option.getOrNull(INSTALLATION_ID)

/** The embedded server, on the existing database or on a new one if the purpose permits it. */
const embedded = Effect.fnUntraced(function* (config: ServerSettings, purpose: Installation.Purpose) {
  const seen = yield* Effect.mapError(Installation.lookBy(config), unavailable)
  const against = Installation.againstMaking(seen, settingOf(config), purpose)
  if (against !== null) return yield* unavailable({ message: against })
  return yield* EmbeddedPostgres.make({
    dataDir: Installation.embeddedFolder(config.DATA_DIR),
    shared: Option.isSome(config.CLUSTER_HOST),
    mayMake: seen.embedded?.holds !== "database"
  }).pipe(Effect.mapError((cause) => new DatabaseUnavailable({ message: cause.message, cause })))
})

const connection = Effect.fnUntraced(function* (purpose: Installation.Purpose) {
  const config = yield* ServerConfig
  poolSize.set(POOL_SIZE)
  if (Option.isSome(config.DATABASE_URL)) return yield* named(config.DATABASE_URL.value)
  const { adopted, password, port } = yield* embedded(config, purpose)
  yield* Effect.logInfo(adopted ? "Adopted the embedded database" : "Started the embedded database", { port: port() })
  // a restart may use another port
  const stream = () => net.connect({ host: "127.0.0.1", port: port(), noDelay: true })
  return { stream, username: "postgres", database: "postgres", password }
})

/** The name in PostgreSQL of servers, and of commands that change data: other programs see by it that the database is in use. */
export const APPLICATION = "switchyard"

/** Ends the locks of a silent replica before other replicas continue its work. */
const SESSION = { idle_in_transaction_session_timeout: `${IDLE_TRANSACTION}s` }

/** A pool of connections. The client connects lazily, so the database may still be unreachable. */
const poolAs = (applicationName: string, purpose: Installation.Purpose) =>
  Layer.unwrap(
    Effect.map(connection(purpose), (where) =>
      DatabaseClient.layer({
        ...where,
        maxConnections: POOL_SIZE,
        maxMessageSize: MAX_MESSAGE_BYTES,
        applicationName,
        startupParameters: SESSION,
        connectTimeout: "5 seconds"
      })
    )
  )

const unanswered = (cause: SqlError.SqlError | SessionsShared) =>
  new DatabaseUnavailable({
    message: SqlError.isSqlError(cause) ? `The database cannot be used: ${meaning(cause)}` : cause.message,
    cause
  })

const isWorthRetrying = (error: SqlError.SqlError | SessionsShared) =>
  // waiting changes neither a certificate nor a pooler
  SqlError.isSqlError(error) && DatabaseErrors.tlsMeaning(error.reason.cause) === undefined

const reachable = checkSessions.pipe(
  Effect.retry({ times: 20, schedule: Schedule.spaced("500 millis"), while: isWorthRetrying }),
  Effect.mapError((cause) => unanswered(cause))
)

/** Fails with a message if the database does not exist or belongs to another installation. */
const judged = Effect.fnUntraced(function* (config: ServerSettings, purpose: Installation.Purpose) {
  yield* reachable
  const seen = yield* Effect.mapError(Installation.lookBy(config), unavailable)
  const found = yield* Effect.mapError(Installation.inDatabase(), unanswered)
  const verdict = Installation.judge(seen, settingOf(config), found, purpose)
  if (Result.isFailure(verdict)) return yield* unavailable({ message: verdict.failure })
  return { seen, isMade: verdict.success === "make" }
})

/** Waits up to 10 s for the database and applies missing migrations. A new schema is created only if no database existed. */
const migrate = Effect.fn("Database.migrate")(function* (purpose: Installation.Purpose) {
  const config = yield* ServerConfig
  const { isMade, seen } = yield* judged(config, purpose)
  if (isMade && purpose === "setup") yield* Effect.mapError(Installation.setAside(seen), unavailable)
  const applied = yield* Migrations.run.pipe(
    Effect.provideService(MadeAnew, isMade ? { id: settingOf(config) } : null),
    answeringWithin(Duration.infinity),
    Effect.mapError(
      (cause) =>
        new DatabaseUnavailable({
          message: `The database cannot be migrated: ${DatabaseErrors.sentenceWithCause(cause)}`,
          cause
        })
    )
  )
  if (applied.length > 0) yield* Effect.logInfo("Migrated the database", { applied: applied.map(([id]) => id) })
  // a command may run anywhere; only a server lives in its DATA_DIR
  if (purpose !== "command") yield* identify(config.DATA_DIR, isMade || Option.isNone(seen.identity))
})

/** Writes the id into the database first, so a start after an interruption finds it there. */
const identify = Effect.fnUntraced(function* (dataDir: string, isNeeded: boolean) {
  const found = yield* Effect.mapError(Installation.inDatabase(), unanswered)
  if (!isNeeded || found.kind !== "named") return
  yield* Installation.write(dataDir, found.id).pipe(
    Effect.andThen(Effect.logInfo("DATA_DIR belongs to an installation from now on", { id: found.id })),
    // a full disk must not stop the server: the next start writes the file
    Effect.catch(({ message }) =>
      Effect.logWarning(`The identity of this installation is not in DATA_DIR yet: ${message}`)
    )
  )
})

const layerFor = (purpose: Installation.Purpose) =>
  Layer.effectDiscard(migrate(purpose)).pipe(Layer.provideMerge(poolAs(APPLICATION, purpose)))

/** The connected database with an up-to-date schema; it is created for a new installation. */
export const layer = layerFor("serve")

/** The same for a command, which never creates a database. */
export const layerOfCommand = layerFor("command")

/** Creates a new database if none exists, on the operator's explicit request. */
export const layerAnew = layerFor("setup")

/**
 * The database with any schema, for programs that read or replace all of it; other programs see them under this name. A restore also works
 * if no database exists.
 */
export const layerAsItIs = (applicationName: string, purpose: "command" | "restore") =>
  Layer.effectDiscard(Effect.flatMap(ServerConfig, (config) => judged(config, purpose))).pipe(
    Layer.provideMerge(poolAs(applicationName, purpose))
  )

/** The migrated database of a connection URL; for tests and tools. */
export const layerUrl = (url: Redacted.Redacted, maxConnections = 4) =>
  Layer.unwrap(
    Effect.map(named(url), (where) => DatabaseClient.layer({ ...where, maxConnections, applicationName: APPLICATION }))
  )
