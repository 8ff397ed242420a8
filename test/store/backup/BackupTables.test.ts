/** The tables of a backup: none that a migration brings may be forgotten. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { BACKED_UP, FUNCTIONS, LEFT_OUT } from "../../../src/store/backup/DatabaseDump.ts"
import { migrations, runTo } from "../../../src/store/Migrations.ts"
import { EmptyDatabase, TestDatabase } from "../../support/TestDatabase.ts"

const sorted = (names: Iterable<string>) => [...names].toSorted()

it.layer(TestDatabase)("A migrated database", (it) => {
  it.effect("has no table that is neither in a backup nor excluded for a reason", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tables = yield* sql<{ name: string }>`select relname as name from pg_class
        where relkind in ('r', 'p', 'v', 'm', 'f') and relnamespace = current_schema()::regnamespace`
      const made = sorted(tables.map(({ name }) => name))
      // the cluster makes its own at the first start of a server
      const left = Object.keys(LEFT_OUT).filter((name) => !name.startsWith("cluster_"))
      assert.deepStrictEqual(made, sorted([...BACKED_UP, ...left]))
    })
  )

  it.effect("has sequences only for numbers of rows, which a backup keeps", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const loose = yield* sql`select relname from pg_class s where relkind = 'S'
        and not exists (select from pg_depend where objid = s.oid and deptype = 'i' and refobjsubid > 0)`
      assert.deepStrictEqual(loose, [])
    })
  )
})

it.layer(EmptyDatabase)("A database of any schema", (it) => {
  it.effect("has no function that a restore would not remove", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const made = new Set<string>()
      for (const migration of migrations) {
        yield* sql.withTransaction(runTo(Number(migration.name.slice(0, 4))))
        const functions = yield* sql<{ name: string }>`select proname as name from pg_proc
          where pronamespace = current_schema()::regnamespace`
        for (const { name } of functions) made.add(name)
      }
      assert.deepStrictEqual(sorted(made), sorted(FUNCTIONS))
    })
  )
})
