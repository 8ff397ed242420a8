/** A backup of an older schema is brought up to date by its restore, and one of a newer release is refused (docs/operations.md#restore). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { migrations, runTo } from "../../../src/store/Migrations.ts"
import * as Program from "../../support/Program.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { databaseOf } from "../upgrade/Fixture.ts"
import { saying } from "./BackupForgery.ts"
import { held, inDatabase, make, placedIn } from "./BackupSite.ts"

/** A backup of an unchanged database, made by the release of today before it has migrated it, and what restores it elsewhere. */
const backUp = Effect.fn(function* (url: string) {
  const folder = yield* Program.dataFolder
  const env = { ...placedIn(folder), SECRET_KEY: SHARED_KEY, DATABASE_URL: url }
  const file = path.join(folder, "older.backup")
  const made = yield* Program.command(env, ["backup", file])
  assert.strictEqual(made.code, 0, made.text)
  const target = yield* TestDatabase.emptyDatabaseUrl
  const elsewhere = { ...placedIn(yield* Program.dataFolder), SECRET_KEY: SHARED_KEY, DATABASE_URL: target }
  const restored = yield* Program.command(elsewhere, ["restore", file])
  assert.strictEqual(restored.code, 0, restored.text)
  return { env, elsewhere, file, said: made.text, target }
})

/**
 * A restore describes unfinished jobs and changes in the schema of today; and a backup from before identities gets one where it is
 * restored.
 */
const SAID_ANEW = { installation: "", job: "", config_change: "", joblock: "", device_operation: "" }

it.live("restores a 0.1.0 site in the middle of a rollout to the result of an upgrade", () =>
  Effect.gen(function* () {
    const url = yield* databaseOf("all")
    const { elsewhere, env, said, target } = yield* backUp(url)
    assert.match(said, /schema 11\b/)
    const upgraded = yield* Program.command(env, ["migrate"])
    assert.strictEqual(upgraded.code, 0, upgraded.text)
    assert.deepStrictEqual({ ...(yield* held(target)), ...SAID_ANEW }, { ...(yield* held(url)), ...SAID_ANEW })

    const [jobs] = yield* inDatabase(
      target,
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ underWay: number; restored: number; unknown: number }>`
          select count(*) filter (where status in ('RUNNING', 'SCHEDULED'))::integer as "underWay",
            count(*) filter (where exception ->> 'type' = 'DatabaseRestored')::integer as restored,
            (select count(*)::integer from config_change where phase = 'unknown') as unknown from job`
      )
    )
    assert.deepStrictEqual(jobs, { underWay: 0, restored: 1, unknown: 5 })

    const server = yield* Program.start({ ...elsewhere, LOG_LEVEL: "Info" })
    const devices = yield* Effect.flatMap(server.url, (at) =>
      Effect.promise(() => fetch(`${at}/api/v1.0/devices`).then((answer) => answer.text()))
    )
    assert.include(devices, "lhv-acc10")
  }).pipe(Effect.scoped)
)

/** The schema before the newest one: what a site has that upgrades today. */
const BEFORE = Number(migrations.at(-2)?.name.slice(0, 4))

it.live(
  `brings rows of the previous schema (${BEFORE}) to the newest one, also in place of a database of that schema`,
  () =>
    Effect.gen(function* () {
      const url = yield* TestDatabase.emptyDatabaseUrl
      yield* inDatabase(
        url,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* runTo(BEFORE)
          yield* sql`insert into device (hostname, state, device_type, synchronized) values ('sw1', 'MANAGED', 'ACCESS', true)`
        })
      )
      const { elsewhere, file, said, target } = yield* backUp(url)
      assert.match(said, new RegExp(`schema ${BEFORE}\\b`))
      const replaced = yield* Program.command({ ...elsewhere, DATABASE_URL: url }, [
        "restore",
        file,
        "--replace",
        "--yes"
      ])
      assert.strictEqual(replaced.code, 0, replaced.text)
      for (const restored of [target, url]) {
        const found = yield* inDatabase(
          restored,
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql`select hostname, (select max(migration_id) from switchyard_migrations) as schema from device`
          )
        )
        assert.deepStrictEqual(found, [{ hostname: "sw1", schema: Number(migrations.at(-1)?.name.slice(0, 4)) }])
      }
    }).pipe(Effect.scoped)
)

it.live("names the migration that fails, and what PostgreSQL says about it", () =>
  Effect.gen(function* () {
    const site = yield* make
    const target = yield* TestDatabase.emptyDatabaseUrl
    // somebody else's index has the name of one of ours
    yield* inDatabase(
      target,
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.andThen(sql`create table of_others (number integer)`, sql`create index alert_open on of_others (number)`)
      )
    )
    const refusal = /Migration "31_alerts" failed: refused \(SQLSTATE 42P07\): relation "alert_open" already exists/
    const restored = yield* site.restore(target, ["--replace", "--yes"])
    assert.strictEqual(restored.code, 1)
    assert.match(restored.err, refusal)
    const env = { ...placedIn(yield* Program.dataFolder), SECRET_KEY: SHARED_KEY, DATABASE_URL: target }
    const served = yield* Program.command({ ...env, PORT: "0", JWT_ENABLED: "false" }, ["serve"])
    assert.match(served.text, refusal)
  }).pipe(Effect.scoped)
)

it.live("refuses a backup of a newer release, schema or format, and names the required release", () =>
  Effect.gen(function* () {
    const site = yield* make
    const empty = yield* TestDatabase.emptyDatabaseUrl
    const whole = yield* Effect.promise(() => fs.readFile(site.file))
    for (const [from, to, sentence] of [
      [
        /"release": "[^"]+"/,
        '"release": "99.1.0"',
        /is of release 99\.1\.0 .*restore it with that release or a newer one/
      ],
      [/"schema": \d+/, '"schema": 9999', /with schema 9999, .*restore it with that release or a newer one/],
      ['"format": 1', '"format": 2', /has format 2, which needs a newer release/]
    ] as const) {
      yield* Effect.promise(() => fs.writeFile(site.file, whole))
      const forged = yield* saying(site.file, from, to)
      yield* Effect.promise(() => fs.writeFile(site.file, forged))
      const refused = yield* site.restore(empty)
      assert.strictEqual(refused.code, 1)
      assert.match(refused.text, sentence)
    }
    const tables = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select from pg_tables where schemaname = 'public'`)
    assert.deepStrictEqual(yield* inDatabase(empty, tables), [])
  }).pipe(Effect.scoped)
)
