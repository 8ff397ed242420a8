/** A backup belongs to an installation, and holds no small part of the one before (docs/operations.md#identity). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Installation from "../../../src/store/Installation.ts"
import * as Program from "../../support/Program.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { inDatabase, make, placedIn } from "./BackupSite.ts"

const OTHER = "22222222-2222-4222-8222-222222222222"

const idIn = (dataDir: string) =>
  Effect.promise(async () =>
    Installation.identityIn(await fs.readFile(path.join(dataDir, Installation.FILE), "utf8"))
  ).pipe(
    Effect.flatMap(Effect.fromResult),
    Effect.map(({ id }) => id)
  )

const idOf = (url: string) =>
  Effect.map(inDatabase(url, Installation.inDatabase()), (found) => (found.kind === "named" ? found.id : found.kind))

const execute = (url: string, statement: string) =>
  inDatabase(
    url,
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement))
  )

it.live("a restore brings the identity to its machine, and to another site's machine only on request", () =>
  Effect.gen(function* () {
    const site = yield* make
    const id = yield* idOf(site.url)
    assert.include(site.said, `installation ${id}`)
    const elsewhere = yield* Program.dataFolder
    const url = yield* TestDatabase.emptyDatabaseUrl
    const put = yield* site.restore(url, [], placedIn(elsewhere))
    assert.strictEqual(put.code, 0, put.text)
    assert.strictEqual(yield* idOf(url), id)
    assert.strictEqual(yield* idIn(elsewhere), id)

    const others = yield* Program.dataFolder
    yield* Installation.write(others, OTHER)
    const target = yield* TestDatabase.emptyDatabaseUrl
    const refused = yield* site.restore(target, [], placedIn(others))
    assert.strictEqual(refused.code, 1)
    assert.include(refused.text, `belongs to ${OTHER}`)
    assert.strictEqual(yield* idIn(others), OTHER)
    const named = yield* site.restore(target, ["--replace", "--yes"], { INSTALLATION_ID: OTHER })
    assert.strictEqual(named.code, 1)
    assert.include(named.text, "INSTALLATION_ID names")
    const replaced = yield* site.restore(target, ["--replace", "--yes"], placedIn(others))
    assert.strictEqual(replaced.code, 0, replaced.text)
    assert.strictEqual(yield* idIn(others), id)
  }).pipe(Effect.scoped)
)

it.live("a backup of a release before identities keeps the identity and the paths of the machine", () =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.emptyDatabaseUrl
    const folder = yield* Program.dataFolder
    const env = { ...placedIn(folder), SECRET_KEY: SHARED_KEY, DATABASE_URL: url }
    const file = path.join(folder, "older.backup")
    yield* execute(yield* migratedTo54(url), "insert into site (description) values ('old')")
    const made = yield* Program.command(env, ["backup", file])
    assert.strictEqual(made.code, 0, made.text)
    const elsewhere = yield* Program.dataFolder
    yield* Installation.write(elsewhere, OTHER)
    const target = yield* TestDatabase.emptyDatabaseUrl
    const put = yield* Program.command({ ...env, ...placedIn(elsewhere), DATABASE_URL: target }, ["restore", file])
    assert.strictEqual(put.code, 0, put.text)
    assert.strictEqual(yield* idOf(target), OTHER)
    const rows = yield* execute(target, "select strict_defaults, made_by_release from installation")
    assert.deepStrictEqual(rows, [{ strict_defaults: false, made_by_release: null }])
  }).pipe(Effect.scoped)
)

/** The URL again, of a database at the schema of the release before. */
const migratedTo54 = (url: string) =>
  Effect.as(
    inDatabase(
      url,
      Effect.flatMap(
        Effect.promise(() => import("../../../src/store/Migrations.ts")),
        ({ runTo }) => runTo(54)
      )
    ),
    url
  )

it.live("a backup is refused for a database that has lost most of its rows, and keeps the previous backup", () =>
  Effect.gen(function* () {
    const site = yield* make
    const before = yield* Effect.promise(() => fs.readFile(site.file))
    yield* execute(site.url, "delete from device where hostname like 'awkward%'")
    const refused = yield* Program.command(site.env, ["backup", "--force", site.file])
    assert.strictEqual(refused.code, 1, refused.text)
    assert.include(refused.text, "devices instead of")
    assert.include(refused.text, "--smaller")
    assert.isTrue(before.equals(yield* Effect.promise(() => fs.readFile(site.file))))
    const meant = yield* Program.command(site.env, ["backup", "--force", "--smaller", site.file])
    assert.strictEqual(meant.code, 0, meant.text)
    const again = yield* Program.command(site.env, ["backup", "--force", site.file])
    assert.strictEqual(again.code, 0, again.text)
  }).pipe(Effect.scoped)
)
