import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { compareReleases, release } from "../../src/domain/Release.ts"
import * as Migrations from "../../src/store/Migrations.ts"
import { EmptyDatabase, TestDatabase } from "../support/TestDatabase.ts"

/** The remains of a newer release. */
const migratedLater = (oldest: string | null) =>
  Effect.flatMap(
    Effect.service(SqlClient.SqlClient),
    (sql) =>
      sql`insert into switchyard_migrations (migration_id, name, oldest_compatible) values (9001, 'flying_switches', ${oldest})
          on conflict (migration_id) do update set oldest_compatible = excluded.oldest_compatible`
  )

it.layer(TestDatabase)("A server at its start", (it) => {
  it.effect("finds the oldest release that works with the database next to each migration", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ oldest: string | null }>`select oldest_compatible as oldest from switchyard_migrations`
      assert.isAbove(rows.length, 10)
      for (const { oldest } of rows) assert.isAtMost(compareReleases(oldest ?? "missing", release), 0)
    })
  )

  it.effect("refuses a database that needs a newer release, and names both", () =>
    Effect.gen(function* () {
      yield* migratedLater("987.0.0")
      const error = yield* Effect.flip(Migrations.run)
      assert.strictEqual(error._tag, "ReleaseTooOld")
      assert.include(error.message, "9001_flying_switches")
      assert.include(error.message, "release 987.0.0 or newer")
      assert.include(error.message, `this is release ${release}`)
    })
  )

  it.effect("continues on a newer schema that it can work with", () =>
    Effect.gen(function* () {
      for (const oldest of [release, "0.0.1", null]) {
        yield* migratedLater(oldest)
        assert.deepEqual(yield* Migrations.run, [])
      }
    })
  )
})

describe("Each migration", () => {
  it("permits its own release, and none that its predecessor has excluded", () => {
    let before = "0.0.0"
    for (const { name, oldest } of Migrations.migrations) {
      assert.isAtMost(compareReleases(oldest, release), 0, name)
      assert.isAtLeast(compareReleases(oldest, before), 0, name)
      before = oldest
    }
  })
})

const restored = (schema: number) =>
  Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) =>
    sql.withTransaction(Effect.andThen(Migrations.runTo(schema), Migrations.run))
  )
const last = Number(Migrations.migrations.at(-1)?.name.slice(0, 4))

describe("Safe defaults of unset settings", () => {
  const counts = (made: Effect.Effect<unknown, unknown, SqlClient.SqlClient>) =>
    Effect.andThen(made, Migrations.secureDefaults).pipe(Effect.provide(EmptyDatabase))

  it.effect("apply in a database that this release creates", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* counts(Migrations.run))
      assert.isTrue(yield* counts(Effect.andThen(Migrations.run, Migrations.run)))
    })
  )

  it.effect("do not apply in an older database, nor in one that is restored from such a backup", () =>
    Effect.gen(function* () {
      const upgraded = Effect.flatMap(Effect.service(SqlClient.SqlClient), (sql) =>
        Effect.andThen(sql.withTransaction(Migrations.runTo(54)), Migrations.run)
      )
      assert.isFalse(yield* counts(upgraded))
      assert.isFalse(yield* counts(restored(54)))
      // a restore puts the row of the backup in the place of this one
      assert.isFalse(yield* counts(restored(last)))
    })
  )
})
