/**
 * A transaction of a server that has lost its connection to the database while sockets stay open: its locks end before other replicas
 * continue its work (promise 1).
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { IDLE_TRANSACTION } from "../../src/domain/TakeOver.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import * as DatabaseClient from "../../src/store/DatabaseClient.ts"
import * as Database from "../../src/store/Database.ts"
import { environmentOf } from "../support/Program.ts"
import * as Silence from "../support/Silence.ts"
import { databaseUrl } from "../support/TestDatabase.ts"

/** The pool of a server, by a way that can fall silent, and what another replica sees. */
const makeScene = Effect.gen(function* () {
  const url = new URL(yield* databaseUrl)
  const other = yield* Layer.build(Database.layerUrl(Redacted.make(url.href)))
  const way = yield* Silence.make(Number(url.port))
  url.port = String(way.port)
  const config = ServerConfig.layerOf(environmentOf({ DATABASE_URL: url.href }))
  const server = yield* Layer.build(Database.layer.pipe(Layer.provide(config), Layer.provide(NodeServices.layer)))
  return { way, server, other }
})

const lockSite = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update site set description = 'locked'`)

it.live("lets another replica soon change a row that a silent one had locked", () =>
  Effect.gen(function* () {
    const { other, server, way } = yield* makeScene
    yield* Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`insert into site (description) values ('free')`),
      other
    )
    const locked = yield* Deferred.make<void>()
    const holding = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.withTransaction(Effect.all([lockSite, Deferred.succeed(locked, undefined), Effect.never]))
    )
    yield* Effect.forkScoped(Effect.provide(holding, server))
    yield* Deferred.await(locked)
    yield* way.lose("silent")
    yield* Effect.ensuring(Effect.provide(lockSite, other), way.restore)
  }).pipe(Effect.scoped)
)

it.live("gives a transaction time that waits for more than the database", () =>
  Effect.gen(function* () {
    const { server } = yield* makeScene
    const allowed = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = sql<{ time: string }>`select current_setting('idle_in_transaction_session_timeout') as time`
      const patient = yield* sql.withTransaction(Effect.andThen(DatabaseClient.mayStandStill, read))
      return [...patient, ...(yield* read)]
    })
    assert.deepStrictEqual(yield* Effect.provide(allowed, server), [{ time: "2min" }, { time: `${IDLE_TRANSACTION}s` }])
  }).pipe(Effect.scoped)
)
