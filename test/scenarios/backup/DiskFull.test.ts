/** A disk that is full, under the backup, the files of the site or the database: it is said, and nothing was changed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as PostgresProcess from "../../support/PostgresProcess.ts"
import * as Program from "../../support/Program.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { held, inDatabase, make } from "./BackupSite.ts"
import { SqlClient } from "effect/sql"

const mount = (folder: string) => spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]).status === 0

/** A disk with hardly any room; dies where this process may not mount one. */
const smallDisk = Effect.gen(function* () {
  const folder = yield* Program.dataFolder
  return yield* Effect.acquireRelease(
    Effect.suspend(() => (mount(folder) ? Effect.succeed(folder) : Effect.die(new Error("nothing can be mounted")))),
    () => Effect.sync(() => void spawnSync("umount", ["-l", folder]))
  )
})

const mayMount = process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"]).status === 0
const WITHOUT = mayMount ? "" : " (skipped: only root may mount a small disk)"

describe.skipIf(!mayMount)(`A full disk${WITHOUT}`, () => {
  it.live("ends a backup, and the previous file stays", () =>
    Effect.gen(function* () {
      const { env } = yield* make
      const disk = yield* smallDisk
      const file = path.join(disk, "site.backup")
      yield* Effect.promise(() => fs.writeFile(file, "what was there"))
      const ended = yield* Program.command(env, ["backup", file, "--force"])
      assert.strictEqual(ended.code, 1)
      assert.include(ended.text, `${file} cannot be written: the disk is full, or has no inodes left\n`)
      assert.deepStrictEqual(yield* Effect.promise(() => fs.readdir(disk)), ["site.backup"])
      assert.strictEqual(yield* Effect.promise(() => fs.readFile(file, "utf8")), "what was there")
    }).pipe(Effect.scoped)
  )

  it.live("below the files of the site leaves the database unchanged", () =>
    Effect.gen(function* () {
      const site = yield* make
      yield* Effect.promise(() => fs.writeFile(path.join(site.folder, "alerts.yml"), "#".repeat(100_000)))
      yield* Effect.promise(() => fs.writeFile(path.join(site.folder, "windows.yml"), "[]\n"))
      const made = yield* Program.command(site.env, ["backup", site.file, "--force"])
      assert.strictEqual(made.code, 0, made.text)
      const [disk, target] = [yield* smallDisk, yield* TestDatabase.databaseUrl]
      const there = yield* held(target)
      const ended = yield* site.restore(target, [], { DATA_DIR: disk })
      assert.strictEqual(ended.code, 1)
      assert.include(
        ended.text,
        `${path.join(disk, "alerts.yml")} cannot be written: the disk is full, or has no inodes left. Nothing was changed`
      )
      assert.deepStrictEqual(yield* Effect.promise(() => fs.readdir(disk)), [])
      assert.deepStrictEqual(yield* held(target), there)
    }).pipe(Effect.scoped)
  )

  it.live("below the database leaves it unchanged", () =>
    Effect.gen(function* () {
      const site = yield* make
      const postgres = yield* PostgresProcess.make
      assert.isTrue(postgres.isSmall)
      const put = yield* site.restore(postgres.url)
      assert.strictEqual(put.code, 0, put.text)
      const there = yield* held(postgres.url)
      yield* inDatabase(
        postgres.url,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`checkpoint`)
      )
      yield* postgres.fill
      const ended = yield* site.restore(postgres.url, ["--replace", "--yes"])
      assert.strictEqual(ended.code, 1)
      // the first statement that needs the disk is refused: the one of the restore, or already that of the login
      assert.match(
        ended.text,
        /^The database(?:| cannot be used): (?:the disk of the database is full \(SQLSTATE 53100\)|no connection)(?:\. Nothing was changed)?$/m
      )
      yield* postgres.empty
      yield* postgres.start
      assert.deepStrictEqual(yield* held(postgres.url), there)
    }).pipe(Effect.scoped)
  )
})
