import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"
import { ClusterError } from "effect/cluster"
import { SqlClient, SqlError } from "effect/sql"
import { inject } from "vitest"
import {
  AWAY_STATES,
  databaseAwayIn,
  failWhenAway,
  isDatabaseAway,
  sentenceWithCause,
  sqlState
} from "../../src/store/DatabaseErrors.ts"
import { DatabaseUnavailable } from "../../src/store/Database.ts"
import { createDatabase, TestDatabase } from "../support/TestDatabase.ts"

const loseConnection = Effect.flatMap(
  Effect.service(SqlClient.SqlClient),
  (sql) => sql`select pg_terminate_backend(pg_backend_pid())`
)

/** PostgreSQL itself raises the state. */
const raise = Effect.fnUntraced(function* (state: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.flip(sql.unsafe(`do $$ begin raise exception 'as asked' using errcode = '${state}'; end $$`))
})

const client = (url: Partial<{ port: number; password: string; database: string }>) => {
  const server = { ...inject("postgres"), database: "postgres", ...url }
  return PgClient.layer({
    host: "127.0.0.1",
    username: "postgres",
    port: server.port,
    password: Redacted.make(server.password),
    database: server.database,
    maxConnections: 1
  })
}

const AWAY =
  "08000 08006 25006 25P03 25P04 28P01 28000 3D000 42501 53000 53100 53200 53300 53400 55P03 57014 57P01 57P02 57P03 57P05 58000 58030 58P01 XX001 XX002".split(
    " "
  )
const ANSWERED = ["22001", "23502", "23503", "23505", "25P02", "25001", "40001", "40P01", "42P01", "P0001", "XX000"]

it.layer(TestDatabase)("An error of the database", (it) => {
  it.effect("that a sentence names already is not said twice", () =>
    Effect.gen(function* () {
      const cause = yield* raise("53100")
      const full = "the disk of the database is full (SQLSTATE 53100)"
      const named = new DatabaseUnavailable({ message: `The database cannot be used: ${full}`, cause })
      assert.strictEqual(sentenceWithCause(named), named.message)
      const other = new DatabaseUnavailable({ message: "The database cannot be migrated", cause })
      assert.strictEqual(sentenceWithCause(other), `The database cannot be migrated: ${full}`)
    })
  )

  it.effect.each(AWAY)("with the state %s means an unreachable database", (state) =>
    Effect.gen(function* () {
      const error = yield* raise(state)
      assert.isTrue(isDatabaseAway(error))
      assert.strictEqual(sqlState(error), state)
    })
  )

  it.effect.each(ANSWERED)("with the state %s is an answer of a healthy one", (state) =>
    Effect.gen(function* () {
      assert.isFalse(isDatabaseAway(yield* raise(state)))
    })
  )

  it.effect("is recognised when nothing listens at its port, without a state", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(sql`select 1`)
      assert.isTrue(isDatabaseAway(error))
      assert.isUndefined(sqlState(error))
    }).pipe(Effect.provide(client({ port: 1 })))
  )

  it.effect.each([{ password: "wrong" }, { database: "missing" }])(
    "is recognised when %j is refused at the login",
    (where) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.isTrue(isDatabaseAway(yield* Effect.flip(sql`select 1`)))
      }).pipe(Effect.provide(client(where)))
  )

  it.effect("is recognised when the database accepts no connections", () =>
    Effect.gen(function* () {
      const name = yield* createDatabase
      const admin = yield* SqlClient.SqlClient
      yield* admin`alter database ${admin(name)} allow_connections false`
      const refused = Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) => Effect.flip(sql`select 1`))
      assert.isTrue(isDatabaseAway(yield* Effect.provide(refused, client({ database: name }))))
    })
  )

  it.effect("is recognised when the database was made read-only", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const write = Effect.andThen(sql`set transaction read only`, sql`create table written (id int)`)
      assert.isTrue(isDatabaseAway(yield* Effect.flip(sql.withTransaction(write))))
    })
  )

  it.effect("is not one of the state when this program cannot read a row", () =>
    Effect.sync(() => {
      const cause = new Error("no such type")
      const reason = new SqlError.UnknownError({ cause, message: "Failed to decode row", operation: "query" })
      assert.isFalse(isDatabaseAway(new SqlError.SqlError({ reason })))
    })
  )
})

it.layer(TestDatabase)("A connection that is lost in a transaction", (it) => {
  const lost: Readonly<Record<string, Effect.Effect<unknown, unknown, SqlClient.SqlClient>>> = {
    "by a statement": loseConnection,
    "inside a savepoint": Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) =>
      sql.withTransaction(loseConnection)
    ),
    "unnoticed, until the COMMIT": Effect.exit(loseConnection),
    "unnoticed, before another failure": Effect.andThen(Effect.exit(loseConnection), Effect.fail("another")),
    "unnoticed, before a defect": Effect.andThen(Effect.exit(loseConnection), Effect.die("a defect"))
  }

  it.effect.each(Object.keys(lost))("%s is a failure that means an unreachable database", (name) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const error = yield* Effect.flip(failWhenAway(sql.withTransaction(lost[name] ?? Effect.void)))
      assert.isTrue(SqlError.isSqlError(error) && isDatabaseAway(error))
    })
  )

  it.effect("leaves an interruption unchanged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const interrupted = Effect.andThen(Effect.exit(loseConnection), Effect.interrupt)
      const exit = yield* Effect.exit(failWhenAway(sql.withTransaction(interrupted)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )

  it.effect("is not mistaken for it: failures and defects of a healthy database stay unchanged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* Effect.flip(failWhenAway(sql.withTransaction(Effect.fail("refused")))), "refused")
      const exit = yield* Effect.exit(failWhenAway(sql.withTransaction(Effect.die("a defect"))))
      assert.isTrue(Exit.isFailure(exit) && databaseAwayIn(exit.cause) === undefined)
      assert.deepEqual(exit, Exit.die("a defect"))
    })
  )
})

describe("A defect of the engine of jobs", () => {
  it("means an unreachable database if its storage has met that", () => {
    const reason = new SqlError.ConnectionError({ cause: new Error("silent"), message: "away", operation: "query" })
    const away = new SqlError.SqlError({ reason })
    assert.strictEqual(databaseAwayIn(Cause.die(new ClusterError.PersistenceError({ cause: away }))), away)
    assert.isUndefined(databaseAwayIn(Cause.die(new ClusterError.PersistenceError({ cause: "malformed" }))))
  })
})

describe("The table of states", () => {
  it("names each state or class once", () => {
    for (const state of Object.keys(AWAY_STATES)) {
      assert.match(state, /^([0-9A-Z]{2}|[0-9A-Z]{5})$/)
      if (state.length === 5) assert.isFalse(state.slice(0, 2) in AWAY_STATES, `${state} is in its class already`)
    }
  })
})
