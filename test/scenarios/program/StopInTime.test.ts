/** A stop takes ten seconds at most, whatever hangs, and the last line of the log says what was left. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { createServer, connect } from "node:net"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { SLOWNESS } from "../../support/Patience.ts"
import { dataFolder, ofThisProcess, start, until } from "../../support/Program.ts"
import * as SilentNames from "../../support/SilentNames.ts"

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
    // the same data are there at the next start
    yield* Effect.ignore(Effect.try(() => process.kill(pid, "SIGCONT")))
    const again = yield* start({ DATA_DIR: data })
    yield* again.url
    assert.strictEqual((yield* stopped(again)).code, 0)
  }).pipe(Effect.scoped)
)

it.live("stops in time although clients read nothing of what they asked for", () =>
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

it.live.skipIf(!SilentNames.canBeSilent)("stops in time although a name server is silent", () =>
  Effect.gen(function* () {
    const { words } = yield* SilentNames.make({ seconds: 30, attempts: 2 })
    const data = yield* dataFolder
    const [command, ...rest] = [
      ...words,
      process.execPath,
      path.resolve(import.meta.dirname, "../../../src/main.ts"),
      "serve"
    ]
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
        const program = (await fs.readFile(`/proc/${child.pid}/cmdline`, "utf8").catch(() => "")).includes("main.ts")
        const udp = await fs.readFile("/proc/net/udp", "utf8")
        return program && /3535637F:0035 01/.test(udp)
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
