/** A stop takes ten seconds at most, whatever hangs, and the last line of the log says what was left. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { connect, createServer } from "node:net"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Database from "../../../src/store/Database.ts"
import { behaviours, listen } from "../../support/AlertReceiver.ts"
import { jobEnded, SECRET } from "../../support/AlertSite.ts"
import { SLOWNESS } from "../../support/Patience.ts"
import { dataFolder, ofThisProcess, type Program, program as PROGRAM, start, until } from "../../support/Program.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import * as Silence from "../../support/Silence.ts"

/** The promise, and a moment for a machine that is slow. */
const MOST_MILLIS = 10_000 + 2_000 * SLOWNESS

const stopped = Effect.fnUntraced(function* (program: {
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Effect.Effect<number | null>
}) {
  const since = performance.now()
  program.kill("SIGTERM")
  const code = yield* program.ended
  return { code, millis: performance.now() - since }
})

const postmasterOf = (data: string) =>
  Effect.promise(async () =>
    Number((await fs.readFile(path.join(data, "database/postgres/postmaster.pid"), "utf8")).split("\n")[0])
  )

const serve = Effect.fnUntraced(function* (more: Readonly<Record<string, string>> = {}) {
  const data = yield* dataFolder
  const program = yield* start({ DATA_DIR: data, ...more })
  const url = yield* program.url
  return { data, program, url }
})

it.live("stops in time although its database does not, and names it", () =>
  Effect.gen(function* () {
    const { data, program } = yield* serve()
    const pid = yield* postmasterOf(data)
    process.kill(pid, "SIGSTOP")
    const { millis } = yield* stopped(program)
    assert.isBelow(millis, MOST_MILLIS, program.text())
    assert.match(program.text(), /does not stop|Left: .*the database/)
    // the next start has the same data
    yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGCONT")))
    const again = yield* start({ DATA_DIR: data })
    yield* again.url
    assert.strictEqual((yield* stopped(again)).code, 0)
  }).pipe(Effect.scoped)
)

it.live("stops in time although clients read none of their answers", () =>
  Effect.gen(function* () {
    const { program, url } = yield* serve()
    const { hostname, port } = new URL(url)
    const sockets = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Array.from({ length: 20 }, (_, index) => {
          const socket = connect({ host: hostname, port: Number(port) })
          socket.on("error", () => undefined)
          socket.pause()
          const route = index % 2 === 0 ? "/api/v1.0/events" : "/api/openapi.json"
          socket.write(`GET ${route} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(index % 2 === 0 ? 1 : 50))
          return socket
        })
      ),
      (all) => Effect.sync(() => all.forEach((socket) => socket.destroy()))
    )
    yield* until(Effect.sync(() => sockets.every(({ bytesWritten }) => bytesWritten > 0)))
    const { millis } = yield* stopped(program)
    assert.isBelow(millis, MOST_MILLIS, program.text())
  }).pipe(Effect.scoped)
)

it.live("stops in time although the remote of a repository is silent", () =>
  Effect.gen(function* () {
    const remote = yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(() => undefined).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    )
    let asked = 0
    remote.on("connection", () => (asked += 1))
    const address = remote.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const { program } = yield* serve({ GITREPO_TEMPLATES: `http://127.0.0.1:${port}/templates.git` })
    yield* until(Effect.sync(() => asked > 0))
    const { code, millis } = yield* stopped(program)
    assert.isBelow(millis, MOST_MILLIS, program.text())
    assert.include([0, 5], code)
  }).pipe(Effect.scoped)
)

/** The end of the log of a stopped server: that everything is closed, or what remains. */
const LAST_LINE = /Stopped\b|Accepted work is kept, and continues at the next start/

const endsInTime = Effect.fnUntraced(function* (program: Program) {
  const { code, millis } = yield* stopped(program)
  const text = program.text()
  assert.isBelow(millis, MOST_MILLIS, text.slice(-5_000))
  assert.include([0, 5], code, text.slice(-5_000))
  if (code === 5) assert.match(text.trimEnd().split("\n").at(-1) ?? "", LAST_LINE)
})

it.live("stops in time although a receiver of alerts never answers, and sends the alert after the next start", () =>
  Effect.gen(function* () {
    const { behave, received, url: receiver } = yield* listen(behaviours.silent)
    const data = yield* dataFolder
    const alerts = `receivers:\n  noc: { type: webhook, url: "${receiver}", secret: HOOK }\nready:\n  job_not_success: noc\n`
    yield* Effect.promise(() => fs.writeFile(path.join(data, "alerts.yml"), alerts))
    const database = yield* databaseUrl
    const env = { DATABASE_URL: database, DATA_DIR: data, ALERT_SECRET_HOOK: SECRET, ALERT_TIMEOUT: "15" }
    const program = yield* start(env)
    yield* program.url
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* until(Effect.map(sql`select from alert_position`, (rows) => rows.length === 1))
      yield* jobEnded(1)
      yield* until(Effect.sync(() => received.length > 0))
      yield* endsInTime(program)
      behave(behaviours.good)
      const again = yield* start(env)
      yield* again.url
      yield* until(Effect.map(sql`select from alert_delivery where state = 'sent'`, (rows) => rows.length === 1))
      yield* endsInTime(again)
    }).pipe(Effect.provide(Database.layerUrl(Redacted.make(database))))
  }).pipe(Effect.scoped)
)

it.live("stops in time although its external database is silent, and works with it after the next start", () =>
  Effect.gen(function* () {
    const database = new URL(yield* databaseUrl)
    const proxy = yield* Silence.make(Number(database.port))
    database.port = String(proxy.port)
    const env = { DATABASE_URL: database.href, DATA_DIR: yield* dataFolder }
    const program = yield* start(env)
    yield* program.url
    yield* proxy.lose("silent")
    yield* endsInTime(program)
    yield* proxy.restore
    const again = yield* start(env)
    yield* again.url
    yield* endsInTime(again)
  }).pipe(Effect.scoped)
)

it.live("stops in time although plugins hang during loading and calls", () =>
  Effect.gen(function* () {
    const data = yield* dataFolder
    const plugins = {
      "stuck.mjs": "await new Promise(() => setInterval(() => {}, 1000)); export default () => ({})",
      "deaf.mjs": "process.on('SIGTERM', () => {}); export default () => ({ selftest() { for (;;); } })"
    }
    yield* Effect.promise(async () => {
      await fs.mkdir(path.join(data, "plugins"))
      for (const [name, source] of Object.entries(plugins)) await fs.writeFile(path.join(data, "plugins", name), source)
      const names = Object.keys(plugins).map((filename) => `  - filename: ${filename}\n`)
      await fs.writeFile(path.join(data, "plugins.yml"), `plugins:\n${names.join("")}`)
    })
    const program = yield* start({
      DATABASE_URL: yield* databaseUrl,
      DATA_DIR: data,
      PLUGIN_FILE: path.join(data, "plugins.yml"),
      PLUGIN_TIMEOUT: "120"
    })
    const children = () =>
      fs.readFile(`/proc/${program.pid}/task/${program.pid}/children`, "utf8").then(
        (text) => text.trim().split(" ").filter(Boolean),
        () => []
      )
    if (process.platform === "linux") yield* until(Effect.map(Effect.promise(children), (found) => found.length >= 2))
    else yield* program.url
    const started = yield* Effect.promise(children)
    yield* endsInTime(program)
    // they learn of its end by the end of their pipes
    yield* until(
      Effect.promise(async () => {
        const left = await Promise.all(started.map((pid) => fs.readFile(`/proc/${pid}/comm`).catch(() => null)))
        return left.every((name) => name === null)
      })
    )
  }).pipe(Effect.scoped)
)

it.live("ends at once by a second signal", () =>
  Effect.gen(function* () {
    const { data, program } = yield* serve()
    const pid = yield* postmasterOf(data)
    process.kill(pid, "SIGSTOP")
    program.kill("SIGTERM")
    yield* Effect.sleep("300 millis")
    const { code, millis } = yield* stopped(program)
    process.kill(pid, "SIGCONT")
    assert.isBelow(millis, 1_500 * SLOWNESS, program.text())
    assert.strictEqual(code, 143)
    assert.match(program.text(), /Ended at once by a second SIGTERM\. Left: /)
  }).pipe(Effect.scoped)
)

it.live.skipIf(!Silence.canBeSilent)("stops in time although a name server is silent", () =>
  Effect.gen(function* () {
    const { address, words } = yield* Silence.makeSilentNames({ seconds: 30, attempts: 2 })
    const asked = Buffer.from(address.split(".").map(Number).toReversed()).toString("hex").toUpperCase()
    const data = yield* dataFolder
    const [command, ...rest] = [...words, process.execPath, PROGRAM, "serve"]
    const env = {
      ...ofThisProcess,
      DATA_DIR: data,
      PORT: "0",
      DATABASE_URL: "postgres://a:b@db.hangs.example/switchyard"
    }
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(command, rest, { env })),
      (started) => Effect.sync(() => void started.kill("SIGKILL"))
    )
    let text = ""
    child.stdout.on("data", (chunk) => (text += String(chunk)))
    child.stderr.on("data", (chunk) => (text += String(chunk)))
    const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
    // until it has asked for the name
    yield* until(
      Effect.promise(async () => {
        const program = (await fs.readFile(`/proc/${child.pid}/cmdline`, "utf8").catch(() => "")).includes(
          path.basename(PROGRAM)
        )
        const udp = await fs.readFile("/proc/net/udp", "utf8")
        return program && udp.includes(`${asked}:0035 01`)
      })
    )
    const { code, millis } = yield* stopped({
      kill: (signal) => void child.kill(signal),
      ended: Effect.promise(() => ended)
    })
    assert.isBelow(millis, MOST_MILLIS, text)
    assert.include([0, 5], code, text)
  }).pipe(Effect.scoped)
)
