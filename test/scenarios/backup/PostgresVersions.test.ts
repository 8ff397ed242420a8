/** A backup has rows, not files of PostgreSQL: it goes from one major version to another, up and down (docs/operations.md#restore). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as EmbeddedPostgres from "../../../src/store/EmbeddedPostgres.ts"
import * as OlderPostgres from "../../support/OlderPostgres.ts"
import * as Program from "../../support/Program.ts"
import { SHARED_KEY } from "../../support/Replica.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { fill, held, inDatabase, make, placedIn } from "./BackupSite.ts"

/** The contents of the embedded database of a data folder, while no server runs. */
const heldIn = (dataDir: string) =>
  Effect.gen(function* () {
    const { password, port } = yield* EmbeddedPostgres.make({ dataDir: path.join(dataDir, "database") })
    return yield* held(`postgres://postgres:${Redacted.value(password)}@127.0.0.1:${port()}/postgres`)
  }).pipe(Effect.scoped)

/** Host names that a server with these settings lists. */
const listedBy = (env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const server = yield* Program.start({ ...env, LOG_LEVEL: "Info" })
    const url = yield* server.url
    const text = yield* Effect.promise(() => fetch(`${url}/api/v1.0/devices`).then((answer) => answer.text()))
    server.kill("SIGTERM")
    yield* server.ended
    return text
  }).pipe(Effect.scoped)

const { version } = OlderPostgres

describe.skipIf(version === undefined)(
  `Another version of PostgreSQL${version === undefined ? ` (${OlderPostgres.WITHOUT})` : ""}`,
  () => {
    it.live("replaces the one of the embedded database, as its upgrade requires", () =>
      Effect.gen(function* () {
        const folder = yield* Program.dataFolder
        const env = { ...placedIn(folder), SECRET_KEY: SHARED_KEY }
        const file = path.join(folder, "site.backup")
        const database = path.join(folder, "database")
        // the previous release has left it running
        const older = yield* OlderPostgres.make(database)
        const asked = ["setup", "--new-database"]
        assert.strictEqual((yield* Program.command({ ...env, DATABASE_URL: older.url }, asked)).code, 0)
        yield* inDatabase(older.url, fill)
        const before = yield* held(older.url)
        const made = yield* Program.command(env, ["backup", file])
        assert.strictEqual(made.code, 0, made.text)
        yield* older.stop

        const forgotten = yield* Program.command(env, ["restore", file])
        assert.strictEqual(forgotten.code, 1)
        assert.match(
          forgotten.text,
          new RegExp(`is of PostgreSQL ${version}, .*make a backup with the release that ran before`)
        )

        yield* Effect.promise(() => fs.rename(database, `${database}-${version}`))
        const put = yield* Program.command(env, ["restore", file])
        assert.strictEqual(put.code, 0, put.text)
        assert.deepStrictEqual(yield* heldIn(folder), before)
        assert.include(yield* listedBy(env), "awkward-0")
      }).pipe(Effect.scoped)
    )

    it.live("imports a site from the embedded one, and exports it again", () =>
      Effect.gen(function* () {
        const site = yield* make
        const older = yield* OlderPostgres.make(path.join(yield* Program.dataFolder, "database"))
        const down = yield* site.restore(older.url)
        assert.strictEqual(down.code, 0, down.text)
        assert.deepStrictEqual(yield* held(older.url), yield* held(site.url))
        assert.include(yield* listedBy({ ...site.env, DATABASE_URL: older.url }), "awkward-0")

        const file = path.join(site.folder, "back.backup")
        const there = yield* held(older.url)
        const back = yield* Program.command({ ...site.env, DATABASE_URL: older.url }, ["backup", file])
        assert.strictEqual(back.code, 0, back.text)
        const url = yield* TestDatabase.emptyDatabaseUrl
        const up = yield* Program.command({ ...site.env, DATABASE_URL: url }, ["restore", file])
        assert.strictEqual(up.code, 0, up.text)
        const again = yield* held(url)
        // the server has begun a job, which has ended by that
        assert.deepStrictEqual({ ...again, job: "" }, { ...there, job: "" })
      }).pipe(Effect.scoped)
    )
  }
)
