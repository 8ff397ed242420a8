/**
 * An embedded database that runs and does not work: the memory that its processes share was removed from outside, as systemd does when an
 * ordinary user logs out (RemoveIPC), or a file is missing. The server restarts it automatically.
 */
import { assert, it } from "@effect/vitest"
import { PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Scope } from "effect"
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as EmbeddedPostgres from "../../../src/store/EmbeddedPostgres.ts"
import { at } from "../../../src/store/postgres/Postmaster.ts"
import * as Campus from "../../support/Campus.ts"
import { makeClient } from "../../support/ApiClient.ts"
import { postmaster } from "../../support/PostgresProcesses.ts"
import { command, dataFolder, start, until } from "../../support/Program.ts"

const pidFile = (home: string) => readFileSync(path.join(home, "postgres/postmaster.pid"), "utf8").split("\n")

/** Processes of the database in this folder. */
const processesOf = (home: string): ReadonlyArray<string> => {
  const parent = pidFile(home)[0] ?? ""
  const others = readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === parent
    } catch {
      // it has ended
      return false
    }
  })
  return [parent, ...others]
}

/** Removes all memory that it shares, as RemoveIPC does. Yields how many files that were. */
const removeMemory = (home: string): number => {
  const maps = processesOf(home).map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/maps`, "utf8")
    } catch {
      // it has ended since
      return ""
    }
  })
  const files = new Set(
    maps.flatMap((text) => [...text.matchAll(/\/dev\/shm\/PostgreSQL\.\d+/g)].map(([file]) => file))
  )
  for (const file of files) rmSync(file, { force: true })
  const segment = pidFile(home)[6]?.trim().split(/\s+/)[1] ?? ""
  execFileSync("ipcrm", ["-m", segment])
  return files.size
}

const isLinux = process.platform === "linux"

it.live("a database whose shared memory was removed takes no new connection, and is started again", (test) =>
  Effect.gen(function* () {
    if (!isLinux) return test.skip()
    const dataDir = yield* dataFolder
    // as it would be without memory that is set aside
    const flags = ["-c", "min_dynamic_shared_memory=0"]
    const { password, port } = yield* EmbeddedPostgres.make({ dataDir: path.join(dataDir, "database"), flags })
    const connects = Effect.isSuccess(
      Effect.scoped(
        Effect.flatMap(PgConnection.make(at(port(), password)), (connection) => connection.query("select 1::text"))
      )
    )
    assert.isTrue(yield* connects)
    const before = postmaster(dataDir)?.pid
    assert.isAbove(removeMemory(path.join(dataDir, "database")), 0)
    assert.isFalse(yield* connects)
    yield* until(connects)
    assert.notStrictEqual(postmaster(dataDir)?.pid, before)
  }).pipe(Effect.scoped)
)

it.live("a remaining database without its shared memory does not block the next start", (test) =>
  Effect.gen(function* () {
    if (!isLinux) return test.skip()
    const home = path.join(yield* dataFolder, "database")
    const options = { dataDir: home, flags: ["-c", "min_dynamic_shared_memory=0"] }
    const connect = ({ password, port }: EmbeddedPostgres.RunningPostgres) =>
      Effect.tap(PgConnection.make(at(port(), password)), (connection) => connection.query("select 1::text"))
    const keeper = yield* Scope.make()
    yield* Effect.flatMap(Scope.provide(EmbeddedPostgres.make({ ...options, shared: true }), keeper), connect)
    const before = pidFile(home)[0]
    // it continues without its keeper, because we work with it
    yield* Scope.close(keeper, Exit.void)
    assert.isAbove(removeMemory(home), 0)
    yield* Effect.flatMap(EmbeddedPostgres.make(options), connect)
    assert.notStrictEqual(pidFile(home)[0], before)
  }).pipe(Effect.scoped)
)

it.live("a server whose database has lost its shared memory continues as if nothing had happened", (test) =>
  Effect.gen(function* () {
    if (!isLinux) return test.skip()
    const dataDir = yield* dataFolder
    const server = yield* start({ DATA_DIR: dataDir })
    yield* server.url
    const before = postmaster(dataDir)?.pid
    removeMemory(path.join(dataDir, "database"))
    const listed = yield* command({ DATA_DIR: dataDir }, ["token", "list"])
    assert.strictEqual(listed.code, 0, listed.text)
    assert.strictEqual(postmaster(dataDir)?.pid, before)
  }).pipe(Effect.scoped)
)

it.live("a database that takes no new connection is named by health and started again, and no job is lost", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const { settings, templates } = yield* Campus.makeFolders
    const server = yield* start({
      DATA_DIR: dataDir,
      GITREPO_SETTINGS: settings.folder,
      GITREPO_TEMPLATES: templates.folder
    })
    const url = yield* server.url
    const api = makeClient(url)
    const health = Effect.promise(async () => (await fetch(`${url}/api/health`)).text())
    const map = path.join(dataDir, "database/postgres/global/pg_filenode.map")
    const before = postmaster(dataDir)?.pid
    // each new connection reads it
    yield* Effect.promise(() => fs.rename(map, `${map}.away`))
    yield* until(Effect.map(health, (text) => text.includes("the embedded database takes no new connection")))
    const accepted = yield* api.send("POST", "/device_syncto", { all: true, dry_run: true })
    assert.strictEqual(accepted.status, 200, JSON.stringify(accepted.body))
    yield* until(Effect.sync(() => server.text().includes("is stopped, to be started again")))
    yield* Effect.promise(() => fs.rename(`${map}.away`, map))
    yield* until(Effect.map(health, (text) => text.includes(`"name":"postgres","status":"UP"`)))
    assert.notStrictEqual(postmaster(dataDir)?.pid, before)
    yield* api.ended(accepted.body.job_id ?? 0)
  }).pipe(Effect.scoped)
)
