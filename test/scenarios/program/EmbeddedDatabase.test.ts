/**
 * The embedded database in emergencies: killed, abandoned, or mistaken for another process. The server runs as a process of its own; every
 * signal is a real one.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as net from "node:net"
import * as path from "node:path"
import { dataFolder, start, until } from "../../support/Program.ts"
import { accepts, isAlive, postmaster } from "../../support/PostgresProcesses.ts"
import { freePort } from "../../support/FreePort.ts"

/** Whether a request that needs the database is answered. */
const serves = (url: string) =>
  Effect.promise(() =>
    fetch(`${url}/api/v1.0/devices`).then(
      (answer) => answer.status === 200,
      () => false
    )
  )

const running = (dataDir: string) => {
  const found = postmaster(dataDir)
  assert(found !== null, "the database runs")
  return found
}

/** A program that reports its signals, and continues. */
const bystander = Effect.acquireRelease(
  Effect.sync(() => {
    const script = `for (const s of ["SIGINT", "SIGTERM", "SIGQUIT", "SIGHUP"]) process.on(s, () => console.log("got", s)); setInterval(() => {}, 1000); console.log("up")`
    const child = spawn(process.execPath, ["-e", script])
    let said = ""
    child.stdout.on("data", (chunk) => (said += String(chunk)))
    return { child, said: () => said }
  }),
  ({ child }) => Effect.sync(() => void child.kill("SIGKILL"))
)

/** The remains of a power cut: a pid file with the number of another running program. */
const leavePidFile = (dataDir: string, pid: number, port: number) =>
  Effect.promise(() => {
    const data = path.join(dataDir, "database/postgres")
    const lines = [pid, data, Math.floor(Date.now() / 1000), port, "", "127.0.0.1", "  5432001         0", "ready   "]
    return fs.writeFile(path.join(data, "postmaster.pid"), `${lines.join("\n")}\n`)
  })

/** A server on this folder that is up, and its address. */
const serverOn = Effect.fnUntraced(function* (dataDir: string, env: Readonly<Record<string, string>> = {}) {
  const server = yield* start({ DATA_DIR: dataDir, ...env })
  return { server, url: yield* server.url }
})
type Server = Effect.Success<ReturnType<typeof serverOn>>["server"]

/** Stops the server as its operator would. */
const stop = Effect.fnUntraced(function* (server: Server) {
  server.kill("SIGTERM")
  assert.strictEqual(yield* server.ended, 0)
})

/** Stops the server, and with it the database that it keeps. */
const stopWithDatabase = Effect.fnUntraced(function* (server: Server, dataDir: string) {
  const { pid } = running(dataDir)
  yield* stop(server)
  assert.isFalse(isAlive(pid))
})

/** Kills the database on this folder; the server at this address starts it again, as another process. */
const killDatabase = Effect.fnUntraced(function* (dataDir: string, url: string, signal: NodeJS.Signals = "SIGKILL") {
  const before = running(dataDir)
  process.kill(before.pid, signal)
  yield* until(Effect.sync(() => !isAlive(before.pid)))
  yield* until(serves(url))
  assert.notStrictEqual(running(dataDir).pid, before.pid)
})

/** A folder with a database that has stopped. */
const usedFolder = Effect.gen(function* () {
  const dataDir = yield* dataFolder
  const { server } = yield* serverOn(dataDir)
  yield* stop(server)
  return dataDir
})

/** A folder with a database that runs without the server that has started it. */
const abandonedFolder = Effect.gen(function* () {
  const dataDir = yield* dataFolder
  const { server } = yield* serverOn(dataDir)
  server.kill("SIGKILL")
  yield* server.ended
  return dataDir
})

it.live("a pid file that names another program is stale: the database starts, and the program gets no signal", () =>
  Effect.gen(function* () {
    const dataDir = yield* usedFolder
    const { child, said } = yield* bystander
    yield* until(Effect.sync(() => said() === "up\n"))
    yield* leavePidFile(dataDir, child.pid ?? 0, 1)
    const { server, url } = yield* serverOn(dataDir)
    assert.isTrue(yield* serves(url))
    assert.notStrictEqual(running(dataDir).pid, child.pid)
    yield* stop(server)
    assert.isTrue(isAlive(child.pid ?? 0))
    assert.strictEqual(said(), "up\n")
  }).pipe(Effect.scoped)
)

it.live("a pid file that names another PostgreSQL, with its port, is stale: that one is neither used nor stopped", () =>
  Effect.gen(function* () {
    const dataDir = yield* usedFolder
    const others = yield* dataFolder
    const neighbour = yield* serverOn(others)
    const foreign = running(others)
    yield* leavePidFile(dataDir, foreign.pid, foreign.port)
    const { server, url } = yield* serverOn(dataDir)
    assert.isTrue(yield* serves(url))
    assert.notStrictEqual(running(dataDir).port, foreign.port)
    yield* stop(server)
    assert.strictEqual(running(others).pid, foreign.pid)
    assert.isTrue(isAlive(foreign.pid))
    assert.isTrue(yield* serves(neighbour.url))
  }).pipe(Effect.scoped)
)

it.live("a killed database runs again within seconds, and the server works without a restart", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const { server, url } = yield* serverOn(dataDir)
    assert.isTrue(yield* serves(url))
    for (const signal of ["SIGKILL", "SIGTERM", "SIGQUIT"] as const) yield* killDatabase(dataDir, url, signal)
    assert.include(server.text(), "The embedded database has ended")
    assert.include(server.text(), "The embedded database runs again")
    yield* stopWithDatabase(server, dataDir)
  }).pipe(Effect.scoped)
)

it.live("a killed database whose port is taken by another program moves to another port, and is reached there", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const { server, url } = yield* serverOn(dataDir)
    const before = running(dataDir)
    // stopped first, so that nothing is started before the port is taken
    server.kill("SIGSTOP")
    process.kill(before.pid, "SIGKILL")
    yield* until(Effect.map(accepts(before.port), (open) => !open))
    const thief = net.createServer((socket) => socket.destroy())
    yield* Effect.addFinalizer(() => Effect.sync(() => void thief.close()))
    yield* Effect.callback<void>((resume) => {
      thief.listen(before.port, "127.0.0.1", () => resume(Effect.void))
    })
    server.kill("SIGCONT")
    yield* until(serves(url))
    assert.notStrictEqual(running(dataDir).port, before.port)
  }).pipe(Effect.scoped)
)

it.live(
  "a second server on the same folder refuses with a sentence that names the first; a migration joins its database; neither takes anything from it",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* dataFolder
      const { server: first, url } = yield* serverOn(dataDir)
      const database = running(dataDir)
      const second = yield* start({ DATA_DIR: dataDir }, "serve")
      assert.strictEqual(yield* second.ended, 1)
      assert.match(second.text(), new RegExp(`process ${first.pid} on .+ since \\d{4}-\\d\\d-\\d\\d`))
      assert.include(second.text(), dataDir)
      const migration = yield* start({ DATA_DIR: dataDir }, "migrate")
      assert.strictEqual(yield* migration.ended, 0)
      assert.include(migration.text(), "The database is up to date.")
      assert.deepEqual(running(dataDir), database)
      assert.isTrue(yield* serves(url))
    }).pipe(Effect.scoped)
)

it.live("a killed server leaves its database to the next one, which starts it again as its own", () =>
  Effect.gen(function* () {
    const dataDir = yield* abandonedFolder
    const left = running(dataDir)
    const { server, url } = yield* serverOn(dataDir)
    assert.deepEqual(running(dataDir), left)
    yield* killDatabase(dataDir, url)
    yield* stopWithDatabase(server, dataDir)
  }).pipe(Effect.scoped)
)

it.live("a remaining database ends with the server that has taken it over", () =>
  Effect.gen(function* () {
    const dataDir = yield* abandonedFolder
    const left = running(dataDir)
    const { server } = yield* serverOn(dataDir)
    yield* stop(server)
    assert.isFalse(isAlive(left.pid))
  }).pipe(Effect.scoped)
)

it.live("PostgreSQL's messages after the start are in our log: a killed process, and a forced recovery", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const { server, url } = yield* serverOn(dataDir)
    assert.isTrue(yield* serves(url))
    const children = (yield* Effect.promise(() =>
      fs.readFile(`/proc/${running(dataDir).pid}/task/${running(dataDir).pid}/children`, "utf8")
    )).trim()
    // one that stays: sessions come and go
    const names = yield* Effect.forEach(children.split(" "), (child) =>
      Effect.promise(() => fs.readFile(`/proc/${child}/cmdline`, "utf8").catch(() => ""))
    )
    const pid = Number(children.split(" ")[names.findIndex((name) => name.includes("walwriter"))])
    process.kill(pid, "SIGKILL")
    yield* until(Effect.sync(() => server.text().includes(`(PID ${pid}) was terminated by signal 9`)))
    yield* until(Effect.sync(() => server.text().includes("all server processes terminated; reinitializing")))
    yield* until(serves(url))
  }).pipe(Effect.scoped)
)

it.live("replicas on one machine share a folder: one keeps the database, the others use it and take it over", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const replica = Effect.flatMap(freePort, (port) =>
      serverOn(dataDir, { CLUSTER_HOST: "127.0.0.1", CLUSTER_PORT: String(port) })
    )
    const { server: first } = yield* replica
    const { server: second, url } = yield* replica
    const database = running(dataDir)
    // the one that keeps it leaves
    yield* stop(first)
    yield* until(serves(url))
    assert.deepEqual(running(dataDir), database)
    // and the other one looks after it
    yield* until(Effect.sync(() => second.text().includes("keeps the embedded database")))
    yield* killDatabase(dataDir, url)
    yield* stopWithDatabase(second, dataDir)
  }).pipe(Effect.scoped)
)
