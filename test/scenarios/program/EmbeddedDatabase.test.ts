/**
 * The embedded database on an operator's bad day: killed, left behind, or mistaken for somebody else's process. The server
 * runs as a process of its own; every signal is a real one.
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

/** A program that says which signals it got, and goes on. */
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

/** What a power cut leaves behind: a pid file that names a program which runs by now. */
const leavePidFile = (dataDir: string, pid: number, port: number) =>
  Effect.promise(() => {
    const data = path.join(dataDir, "database/postgres")
    const lines = [pid, data, Math.floor(Date.now() / 1000), port, "", "127.0.0.1", "  5432001         0", "ready   "]
    return fs.writeFile(path.join(data, "postmaster.pid"), `${lines.join("\n")}\n`)
  })

/** Starts a server, ends it well, and yields its folder with a database that has stopped. */
const usedFolder = Effect.gen(function* () {
  const dataDir = yield* dataFolder
  const first = yield* start({ DATA_DIR: dataDir })
  yield* first.url
  first.kill("SIGTERM")
  assert.strictEqual(yield* first.ended, 0)
  return dataDir
})

it.live("a pid file that names another program is left over: the database starts, and the program gets no signal", () =>
  Effect.gen(function* () {
    const dataDir = yield* usedFolder
    const { child, said } = yield* bystander
    yield* until(Effect.sync(() => said() === "up\n"))
    yield* leavePidFile(dataDir, child.pid ?? 0, 1)
    const server = yield* start({ DATA_DIR: dataDir })
    assert.isTrue(yield* serves(yield* server.url))
    assert.notStrictEqual(running(dataDir).pid, child.pid)
    server.kill("SIGTERM")
    assert.strictEqual(yield* server.ended, 0)
    assert.isTrue(isAlive(child.pid ?? 0))
    assert.strictEqual(said(), "up\n")
  }).pipe(Effect.scoped)
)

it.live(
  "a pid file that names another PostgreSQL, with its port, is left over: that one is neither used nor stopped",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* usedFolder
      const others = yield* dataFolder
      const neighbour = yield* start({ DATA_DIR: others })
      const url = yield* neighbour.url
      const foreign = running(others)
      yield* leavePidFile(dataDir, foreign.pid, foreign.port)
      const server = yield* start({ DATA_DIR: dataDir })
      assert.isTrue(yield* serves(yield* server.url))
      assert.notStrictEqual(running(dataDir).port, foreign.port)
      server.kill("SIGTERM")
      assert.strictEqual(yield* server.ended, 0)
      assert.strictEqual(running(others).pid, foreign.pid)
      assert.isTrue(isAlive(foreign.pid))
      assert.isTrue(yield* serves(url))
    }).pipe(Effect.scoped)
)

it.live("a database that is killed runs again within seconds, and the server works without a restart", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const server = yield* start({ DATA_DIR: dataDir })
    const url = yield* server.url
    assert.isTrue(yield* serves(url))
    for (const signal of ["SIGKILL", "SIGTERM", "SIGQUIT"] as const) {
      const before = running(dataDir)
      process.kill(before.pid, signal)
      yield* until(Effect.sync(() => !isAlive(before.pid)))
      yield* until(serves(url))
      assert.notStrictEqual(running(dataDir).pid, before.pid)
    }
    assert.include(server.text(), "The embedded database has ended")
    assert.include(server.text(), "The embedded database runs again")
    const last = running(dataDir)
    server.kill("SIGTERM")
    assert.strictEqual(yield* server.ended, 0)
    assert.isFalse(isAlive(last.pid))
  }).pipe(Effect.scoped)
)

it.live(
  "a database that is killed while its port is taken by another program moves to another port, and is reached there",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* dataFolder
      const server = yield* start({ DATA_DIR: dataDir })
      const url = yield* server.url
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
  "a second server on the same folder refuses with a sentence that names the first, and takes nothing from it",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* dataFolder
      const first = yield* start({ DATA_DIR: dataDir })
      const url = yield* first.url
      const database = running(dataDir)
      for (const command of ["serve", "migrate"]) {
        const second = yield* start({ DATA_DIR: dataDir }, command)
        assert.strictEqual(yield* second.ended, 1)
        assert.match(second.text(), new RegExp(`process ${first.pid} on .+ since \\d{4}-\\d\\d-\\d\\d`))
        assert.include(second.text(), dataDir)
      }
      assert.deepEqual(running(dataDir), database)
      assert.isTrue(yield* serves(url))
    }).pipe(Effect.scoped)
)

it.live("a server that was killed leaves its database to the next one, which starts it again as its own", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const first = yield* start({ DATA_DIR: dataDir })
    yield* first.url
    const left = running(dataDir)
    first.kill("SIGKILL")
    yield* first.ended
    const second = yield* start({ DATA_DIR: dataDir })
    const url = yield* second.url
    assert.deepEqual(running(dataDir), left)
    process.kill(left.pid, "SIGKILL")
    yield* until(Effect.sync(() => !isAlive(left.pid)))
    yield* until(serves(url))
    const again = running(dataDir)
    assert.notStrictEqual(again.pid, left.pid)
    second.kill("SIGTERM")
    assert.strictEqual(yield* second.ended, 0)
    assert.isFalse(isAlive(again.pid))
  }).pipe(Effect.scoped)
)

it.live("a database that was left behind ends with the server that has taken it over", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const first = yield* start({ DATA_DIR: dataDir })
    yield* first.url
    const left = running(dataDir)
    first.kill("SIGKILL")
    yield* first.ended
    const second = yield* start({ DATA_DIR: dataDir })
    yield* second.url
    second.kill("SIGTERM")
    assert.strictEqual(yield* second.ended, 0)
    assert.isFalse(isAlive(left.pid))
  }).pipe(Effect.scoped)
)

it.live("what PostgreSQL reports after the start is in our log: a process that was killed, and a forced recovery", () =>
  Effect.gen(function* () {
    const dataDir = yield* dataFolder
    const server = yield* start({ DATA_DIR: dataDir })
    const url = yield* server.url
    assert.isTrue(yield* serves(url))
    const children = (yield* Effect.promise(() =>
      fs.readFile(`/proc/${running(dataDir).pid}/task/${running(dataDir).pid}/children`, "utf8")
    )).trim()
    const pid = Number(children.split(" ").at(-1))
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
      start({ DATA_DIR: dataDir, CLUSTER_HOST: "127.0.0.1", CLUSTER_PORT: String(port) })
    )
    const first = yield* replica
    const urls = [yield* first.url]
    const second = yield* replica
    urls.push(yield* second.url)
    const database = running(dataDir)
    // the one that keeps it leaves
    first.kill("SIGTERM")
    assert.strictEqual(yield* first.ended, 0)
    yield* until(serves(urls[1] ?? ""))
    assert.deepEqual(running(dataDir), database)
    // and the other one looks after it
    yield* until(Effect.sync(() => second.text().includes("keeps the embedded database")))
    process.kill(database.pid, "SIGKILL")
    yield* until(Effect.sync(() => !isAlive(database.pid)))
    yield* until(serves(urls[1] ?? ""))
    const again = running(dataDir)
    second.kill("SIGTERM")
    assert.strictEqual(yield* second.ended, 0)
    assert.isFalse(isAlive(again.pid))
  }).pipe(Effect.scoped)
)
