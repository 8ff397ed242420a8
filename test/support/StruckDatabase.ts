/** The server's own client on a PostgreSQL that a test strikes: its connections can be ended, and its answers lost. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as DatabaseClient from "../../src/store/DatabaseClient.ts"
import * as Migrations from "../../src/store/Migrations.ts"
import * as PostgresProcess from "./PostgresProcess.ts"

/** The server, and a connection to it that is not under test. */
export class Server extends Context.Service<
  Server,
  { readonly postgres: PostgresProcess.PostgresProcess; readonly aside: Layer.Layer<SqlClient.SqlClient> }
>()("test/Server") {}

const ServerLayer = Layer.effect(
  Server,
  Effect.map(PostgresProcess.make, (postgres) => ({
    postgres,
    aside: Layer.orDie(
      PgClient.layer({ url: Redacted.make(postgres.url), maxConnections: 1, applicationName: "tester" })
    )
  }))
)

const Client = Layer.unwrap(
  Effect.map(Server, ({ postgres }) =>
    DatabaseClient.layer({ url: Redacted.make(postgres.silentUrl), maxConnections: 4, applicationName: "switchyard" })
  )
)

/** A migrated database. */
export const StruckDatabase = Layer.provideMerge(
  Layer.effectDiscard(Migrations.run),
  Layer.provideMerge(Client, ServerLayer)
)

export const forked = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.forkChild(work, { startImmediately: true })

/** Ends the connections of the client that are in this state, once there are some. */
export const loseConnections = Effect.fnUntraced(function* (state: "SyncRep" | "ClientRead") {
  const { aside } = yield* Server
  const end = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'switchyard' and wait_event = ${state}`
  )
  const ended = Effect.provide(end, aside)
  while ((yield* ended).length === 0) yield* Effect.sleep("20 millis")
})

/** Does the work; its first commit is done, and the answer to it is lost. */
export const withLostAnswer = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const { postgres } = yield* Server
  yield* holdCommits
  const working = yield* forked(work)
  yield* loseConnections("SyncRep")
  yield* postgres.configure("")
  return yield* Fiber.await(working)
})

/** From now on a commit waits for a missing standby. */
export const holdCommits = Effect.gen(function* () {
  const { aside, postgres } = yield* Server
  yield* postgres.configure("synchronous_standby_names = 'nobody'")
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const set = sql`select from pg_settings where name = 'synchronous_standby_names' and setting = 'nobody'`
    while ((yield* set).length === 0) yield* Effect.sleep("20 millis")
    // the checkpointer tells all of them whether commits wait, and it may read the settings later than others
    yield* sql`checkpoint`
  }).pipe(Effect.provide(aside))
})
