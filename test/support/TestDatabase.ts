/** A migrated database of its own for a test file, cloned from the template that `globalSetup.ts` has made. */
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import * as DatabaseClient from "../../src/store/DatabaseClient.ts"
import * as Silence from "./Silence.ts"
import { TEMPLATE } from "./globalSetup.ts"

const connect = (database: string, maxConnections: number, by?: number) => {
  const { password, port: own } = inject("postgres")
  const port = by ?? own
  return DatabaseClient.layer({
    host: "127.0.0.1",
    port,
    username: "postgres",
    password: Redacted.make(password),
    database,
    maxConnections
  })
}

/** Clones the template under a new name and yields the name. */
export const createDatabase = Effect.gen(function* () {
  const name = `test_${randomUUID().replaceAll("-", "")}`
  const sql = yield* SqlClient.SqlClient
  yield* sql`create database ${sql(name)} template ${sql(TEMPLATE)} strategy file_copy`
  return name
}).pipe(Effect.provide(connect("postgres", 1)))

/** The same with nothing in it. */
const createEmpty = Effect.gen(function* () {
  const name = `test_${randomUUID().replaceAll("-", "")}`
  const sql = yield* SqlClient.SqlClient
  yield* sql`create database ${sql(name)}`
  return name
}).pipe(Effect.provide(connect("postgres", 1)))

const urlOf = (name: string) => {
  const { password, port } = inject("postgres")
  return `postgres://postgres:${password}@127.0.0.1:${port}/${name}`
}

/** The URL of a new database, for a server that runs as a process of its own. */
export const databaseUrl = Effect.map(createDatabase, urlOf)

/** The URL of a new database that has not been migrated. */
export const emptyDatabaseUrl = Effect.map(createEmpty, urlOf)

/** A connection pool to a new database. */
export const TestDatabase = Layer.unwrap(Effect.map(createDatabase, (name) => connect(name, 8)))

/** A connection pool to a new database that has not been migrated. */
export const EmptyDatabase = Layer.unwrap(Effect.map(createEmpty, (name) => connect(name, 8)))

/** A migrated one by a way that can fall silent and end. */
export const ProxiedDatabase = Effect.gen(function* () {
  const name = yield* createDatabase
  const proxy = yield* Silence.make(inject("postgres").port)
  return { proxy, layer: connect(name, 8, proxy.port) }
})

/** From now on the database refuses rows of the table for which the condition holds, as it refuses a text that is too long. */
export const refuseChanges = (table: string, condition: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.andThen(
      sql.unsafe(`create or replace function refuse_value() returns trigger language plpgsql as
        $$ begin raise exception 'value too long for type character varying(64)' using errcode = '22001'; end $$`),
      sql.unsafe(`create or replace trigger refuse_value before update on ${table}
        for each row when (${condition}) execute function refuse_value()`)
    )
  )
