/**
 * A server whose database is missing: an unmounted volume, a closed folder, another installation's database. It must not begin anew. The
 * server runs as a process of its own.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { killLeftover } from "../../support/PostgresProcesses.ts"
import { command, dataFolder, start } from "../../support/Program.ts"
import { databaseUrl, emptyDatabaseUrl } from "../../support/TestDatabase.ts"

const api = (url: string) => `${url}/api/v1.0`

const addDevice = (url: string) =>
  Effect.promise(async () => {
    const body = {
      hostname: "hv-acc1",
      platform: "eos",
      state: "UNMANAGED",
      device_type: "ACCESS",
      management_ip: "10.9.0.1"
    }
    const answer = await fetch(`${api(url)}/device`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    assert.strictEqual(answer.status, 200, await answer.text())
  })

const hostnames = (url: string) =>
  Effect.promise(async (): Promise<string> => (await fetch(`${api(url)}/devices`)).text())

const serverOn = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const server = yield* start(env)
  return { server, url: yield* server.url }
})

/** Starts a server that must refuse; yields what it has said. */
const refused = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const server = yield* start(env)
  assert.strictEqual(yield* server.ended, 1, server.text())
  assert.notInclude(server.text(), "Listening on")
  return server.text()
})

/** Runs a server until it has a device, and stops it. */
const installed = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const { server, url } = yield* serverOn(env)
  yield* addDevice(url)
  server.kill("SIGTERM")
  assert.strictEqual(yield* server.ended, 0)
})

const idIn = (dataDir: string) =>
  Effect.promise(async () => /^id: (\S+)$/m.exec(await fs.readFile(path.join(dataDir, "installation.id"), "utf8"))?.[1])

const isThere = (file: string) =>
  Effect.promise(() =>
    fs.lstat(file).then(
      () => true,
      () => false
    )
  )

/** Every command that works at the database. */
const COMMANDS = [
  ["migrate"],
  ["backup", "/tmp/switchyard-never.tar"],
  ["token", "list"],
  ["user", "list"],
  ["secret", "list"],
  ["audit", "verify"]
]

const noneIsMade = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>, words: string) {
  for (const asked of COMMANDS) {
    const end = yield* command(env, asked)
    assert.strictEqual(end.code, 1, `${asked.join(" ")}: ${end.text}`)
    assert.include(end.text, words, asked.join(" "))
  }
  assert.isFalse(yield* isThere("/tmp/switchyard-never.tar"))
})

it.live("an unreachable database is not recreated, by any start or command, and is used again when it returns", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const [at, away] = [path.join(dataDir, "database"), path.join(dataDir, ".away")]
    const env = { DATA_DIR: dataDir }
    yield* installed(env)
    const id = yield* idIn(dataDir)
    yield* Effect.promise(() => fs.rename(at, away))
    // the volume is not mounted: no folder, and an empty one
    for (const lose of [() => Promise.resolve(), () => fs.mkdir(at, { mode: 0o755 })]) {
      yield* Effect.promise(async () => void (await lose()))
      const said = yield* refused(env)
      assert.include(said, "There is no database in")
      assert.include(said, `installation ${id}`)
      assert.include(said, "switchyard setup --new-database")
      yield* noneIsMade(env, "There is no database in")
      assert.isFalse(yield* isThere(path.join(at, "postgres")))
      yield* Effect.promise(() => fs.rm(at, { recursive: true, force: true }))
    }
    // the link to the volume leads nowhere
    yield* Effect.promise(() => fs.symlink("/nowhere/volume", at))
    assert.include(yield* refused(env), "is a link to a place that is not there")
    yield* Effect.promise(async () => {
      await fs.rm(at)
      await fs.rename(away, at)
    })
    const { server, url } = yield* serverOn(env)
    assert.include(yield* hostnames(url), "hv-acc1")
    server.kill("SIGTERM")
    yield* server.ended
    assert.strictEqual(yield* idIn(dataDir), id)
  }).pipe(Effect.scoped)
)

it.live("a restore of a file that is not a backup creates no database", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const damaged = path.join(yield* dataFolder, "damaged.tar")
    yield* Effect.promise(() => fs.writeFile(damaged, "something"))
    for (const file of ["/nowhere/backup.tar", damaged]) {
      const end = yield* command({ DATA_DIR: dataDir }, ["restore", file])
      assert.strictEqual(end.code, 1, end.text)
      assert.deepEqual(yield* Effect.promise(() => fs.readdir(dataDir)), [], end.text)
    }
  }).pipe(Effect.scoped)
)

it.live("a folder that was closed to the user of the database leads to no second database", (test) =>
  Effect.gen(function* () {
    if (process.getuid?.() !== 0) return test.skip()
    const above = yield* dataFolder
    const env = { DATA_DIR: path.join(above, "data") }
    yield* installed(env)
    yield* Effect.promise(() => fs.chmod(above, 0o700))
    assert.include(yield* refused(env), "cannot be reached by the user it runs as")
    yield* noneIsMade(env, "cannot be reached by the user it runs as")
    yield* Effect.promise(() => fs.chmod(above, 0o711))
    const { url } = yield* serverOn(env)
    assert.include(yield* hostnames(url), "hv-acc1")
    killLeftover(env.DATA_DIR)
  }).pipe(Effect.scoped)
)

it.live(
  "an installation without an id gets one at its first start, in both places, also when a start was interrupted; without the password of its database it says so",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* dataFolder
      yield* installed({ DATA_DIR: dataDir })
      const id = yield* idIn(dataDir)
      const password = path.join(dataDir, "database/postgres-password")
      yield* Effect.promise(() => fs.rename(password, path.join(dataDir, ".password")))
      assert.include(yield* refused({ DATA_DIR: dataDir }), `${password}, which holds the password`)
      yield* Effect.promise(() => fs.rename(path.join(dataDir, ".password"), password))
      yield* Effect.promise(() => fs.rm(path.join(dataDir, "installation.id")))
      yield* installed({ DATA_DIR: dataDir }).pipe(Effect.exit)
      assert.strictEqual(yield* idIn(dataDir), id)
    }).pipe(Effect.scoped)
)

it.live("an external database is refused when it is empty or another site's, and no table is created in it", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const database = yield* emptyDatabaseUrl
    const env = { DATA_DIR: dataDir, DATABASE_URL: database }
    yield* noneIsMade(env, "The database is empty")
    yield* installed(env)
    const id = yield* idIn(dataDir)
    const emptied = { ...env, DATABASE_URL: yield* emptyDatabaseUrl }
    const said = yield* refused(emptied)
    assert.include(said, "The database is empty")
    assert.include(said, String(id))
    yield* noneIsMade(emptied, "The database is empty")
    const foreign = { ...env, DATABASE_URL: yield* databaseUrl }
    assert.include(yield* refused(foreign), "The database is of installation")
    yield* noneIsMade(foreign, "The database is of installation")
    // a replica joins with a folder of its own, and then knows where it belongs
    const replica = { DATA_DIR: yield* dataFolder, DATABASE_URL: database, INSTALLATION_ID: String(id) }
    const { server, url } = yield* serverOn(replica)
    assert.include(yield* hostnames(url), "hv-acc1")
    server.kill("SIGTERM")
    yield* server.ended
    assert.strictEqual(yield* idIn(replica.DATA_DIR), id)
    assert.include(
      yield* refused({ ...replica, INSTALLATION_ID: "33333333-3333-4333-8333-333333333333" }),
      "INSTALLATION_ID names installation 3333"
    )
  }).pipe(Effect.scoped)
)

it.live("setup creates a new database on request, once, and never in place of an existing one", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const env = { DATA_DIR: dataDir }
    yield* installed(env)
    const id = yield* idIn(dataDir)
    const there = yield* command(env, ["setup", "--new-database"])
    assert.strictEqual(there.code, 1, there.text)
    assert.include(there.text, "There is a database already")
    assert.strictEqual(yield* idIn(dataDir), id)
    yield* Effect.promise(() => fs.rename(path.join(dataDir, "database"), path.join(dataDir, ".lost")))
    const made = yield* command(env, ["setup", "--new-database"])
    assert.strictEqual(made.code, 0, made.text)
    assert.notStrictEqual(yield* idIn(dataDir), id)
    const { server, url } = yield* serverOn(env)
    assert.notInclude(yield* hostnames(url), "hv-acc1")
    server.kill("SIGTERM")
    assert.strictEqual(yield* server.ended, 0)
  }).pipe(Effect.scoped)
)
