/**
 * During a rolling upgrade servers of the previous release work on the newer schema. So a migration that permits this (`oldest`) may only
 * add to the schema that they know; one that removes or changes names its own release.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrator from "effect/sql/Migrator"
import { release } from "../../src/domain/Release.ts"
import { migrations } from "../../src/store/Migrations.ts"
import { EmptyDatabase, TestDatabase } from "../support/TestDatabase.ts"
import * as Catalog from "./Catalog.ts"

/** The last migration of each release that is out. Who makes a release adds it here. */
const LAST: Readonly<Record<string, string>> = { "0.1.0": "0011_brief_tasks" }

const TABLE = "switchyard_migrations"

/** The catalog after each migration, in their order. */
const catalogs = Effect.gen(function* () {
  const after = new Map<string, Catalog.Catalog>()
  for (const [index, { name }] of migrations.entries()) {
    const upToThis = Object.fromEntries(migrations.slice(0, index + 1).map(({ name, up }) => [name, up]))
    yield* Migrator.make({})({ table: TABLE, loader: Migrator.fromRecord(upToThis) })
    after.set(name, yield* Catalog.read)
  }
  return after
})

it.layer(EmptyDatabase)("A migration", (it) => {
  it.effect("only adds to the schema of the oldest release that it permits", () =>
    Effect.gen(function* () {
      const after = yield* catalogs
      const breaches = migrations.flatMap(({ name, oldest }) => {
        // what a release brings itself it knows
        if (oldest === release || name <= (LAST[oldest] ?? "")) return []
        const known = after.get(LAST[oldest] ?? "")
        const now = after.get(name)
        if (known === undefined || now === undefined) return [`${name}: which migration was the last of ${oldest}?`]
        return Catalog.broken(known, now).map((breach) => `${name} ${breach}, and release ${oldest} may still run`)
      })
      assert.deepStrictEqual(breaches, [])
    })
  )
})

/** Forbidden statements of a migration that older servers must work with, and their messages. */
const breaches = [
  ["alter table device drop column oob_ip cascade", "takes away device.oob_ip"],
  ["alter table device rename column oob_ip to console_ip", "takes away device.oob_ip"],
  ["drop table stackmember cascade", "takes away stackmember.priority"],
  ["alter table retained alter column due type integer", "changes retained.due from bigint to integer"],
  ["alter table device alter column platform set not null", "demands device.platform"],
  ["alter table device add column rack text not null", "demands device.rack"],
  ["alter table device add constraint lively check (port > 0)", "binds device: CHECK ((port > 0))"],
  ["create unique index on device (serial)", "binds device: btree (serial)"],
  ["alter table joblock drop constraint joblock_name_unique", "takes away joblock: btree (name)"],
  ["drop function iso_time", "takes away iso_time(timestamp with time zone)"]
] as const

it.layer(Layer.fresh(TestDatabase))("A change that does not only add", (it) => {
  for (const [statement, breach] of breaches)
    it.effect(`is found: ${statement}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = yield* Catalog.read
        const now = yield* sql.unsafe(statement).pipe(
          Effect.andThen(Catalog.read),
          Effect.flatMap((catalog) => Effect.fail(catalog)),
          sql.withTransaction,
          Effect.flip
        )
        assert.isTrue("columns" in now)
        if ("columns" in now) assert.include(Catalog.broken(before, now), breach)
      })
    )

  it.effect("may be nullable, have a default, or be bound to what is new", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* Catalog.read
      yield* sql`alter table device add column rack text, add column height integer not null default 1 check (height > 0)`
      yield* sql`create table rack (name text primary key, device_id integer not null references device)`
      yield* sql`create index on device (rack)`
      assert.deepStrictEqual(Catalog.broken(before, yield* Catalog.read), [])
    })
  )
})
