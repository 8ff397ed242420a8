/**
 * The connection to PostgreSQL: the server that DATABASE_URL names, or the embedded one. The pool is made of 16
 * connections; the schema is brought up to date before anybody else may use it.
 */
import { Duration, Effect, Layer, Option, Redacted, Schedule, Schema } from "effect"
import { SqlError } from "effect/sql"
import * as net from "node:net"
import * as path from "node:path"
import { IDLE_TRANSACTION } from "../domain/TakeOver.ts"
import { poolSize } from "../runtime/metrics/DatabaseMetrics.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { answeringWithin } from "./AnswerTime.ts"
import { meaning } from "./DatabaseAway.ts"
import * as DatabaseClient from "./DatabaseClient.ts"
import * as DatabaseTls from "./DatabaseTls.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import * as Migrations from "./Migrations.ts"
import * as WholeSessions from "./WholeSessions.ts"

/** The database cannot be used; the message is for the operator who starts the server. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

const POOL_SIZE = 16

/** A job record holds the configurations of all its devices: 17 MB for 1,000 of them. */
export const MAX_MESSAGE_BYTES = 512 * 1024 * 1024

const named = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const tls = yield* Effect.mapError(
    DatabaseTls.make(url),
    (cause) => new DatabaseUnavailable({ message: cause.message, cause })
  )
  return { url, ...tls }
})

const connection = Effect.gen(function* () {
  const config = yield* ServerConfig
  poolSize.set(POOL_SIZE)
  if (Option.isSome(config.DATABASE_URL)) return yield* named(config.DATABASE_URL.value)
  const { adopted, password, port } = yield* EmbeddedPostgres.make({
    dataDir: path.join(config.DATA_DIR, "database"),
    shared: Option.isSome(config.CLUSTER_HOST)
  }).pipe(Effect.mapError((cause) => new DatabaseUnavailable({ message: cause.message, cause })))
  yield* Effect.logInfo(adopted ? "Adopted the embedded database" : "Started the embedded database", { port: port() })
  // it may be started again on another port
  const stream = () => net.connect({ host: "127.0.0.1", port: port(), noDelay: true })
  return { stream, username: "postgres", database: "postgres", password }
})

/** By this name others see in PostgreSQL that a server, or a command that changes something, works with the database. */
export const APPLICATION = "switchyard"

/** The locks of a replica that fell silent are gone when others go on with its work. */
const SESSION = { idle_in_transaction_session_timeout: `${IDLE_TRANSACTION}s` }

/** A pool of connections. The client connects lazily, so nothing is known of the database yet. */
const poolAs = (applicationName: string) =>
  Layer.unwrap(
    Effect.map(connection, (where) =>
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

const isWorthRetrying = (error: SqlError.SqlError | WholeSessions.SessionsShared) =>
  // neither a certificate nor a pooler becomes another one by waiting
  SqlError.isSqlError(error) && DatabaseTls.meaning(error.reason.cause) === undefined

const reachable = WholeSessions.check.pipe(
  Effect.retry({ times: 20, schedule: Schedule.spaced("500 millis"), while: isWorthRetrying }),
  Effect.mapError(
    (cause) =>
      new DatabaseUnavailable({
        message: SqlError.isSqlError(cause) ? `The database cannot be used: ${meaning(cause)}` : cause.message,
        cause
      })
  )
)

/** Waits for the database (10 s) and applies the migrations that it lacks. */
export const migrate = Effect.gen(function* () {
  yield* reachable
  const applied = yield* Migrations.run.pipe(
    answeringWithin(Duration.infinity),
    Effect.mapError(
      (cause) => new DatabaseUnavailable({ message: `The database cannot be migrated: ${cause.message}`, cause })
    )
  )
  if (applied.length > 0) yield* Effect.logInfo("Migrated the database", { applied: applied.map(([id]) => id) })
}).pipe(Effect.withSpan("Database.migrate"))

/** The connected database with an up-to-date schema. */
export const layer = Layer.effectDiscard(migrate).pipe(Layer.provideMerge(poolAs(APPLICATION)))

/** The database as it is, whatever its schema, for who reads or replaces all of it; others see them by this name. */
export const layerAsItIs = (applicationName: string) =>
  Layer.effectDiscard(reachable).pipe(Layer.provideMerge(poolAs(applicationName)))

/** A database that is given as a connection URL, migrated; for tests and tools. */
export const layerUrl = (url: Redacted.Redacted, maxConnections = 4) =>
  Layer.unwrap(
    Effect.map(named(url), (where) => DatabaseClient.layer({ ...where, maxConnections, applicationName: APPLICATION }))
  )
