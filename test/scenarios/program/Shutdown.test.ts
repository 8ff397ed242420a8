/** The program as a process: it starts with nothing but a data folder, and a signal ends it cleanly. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { ofThisProcess } from "../../support/Program.ts"

const program = path.resolve(import.meta.dirname, "../../../bin/switchyard")

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-process-"))),
  (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
)

const start = (env: Record<string, string>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(program, ["serve"], { env: { ...ofThisProcess, ...env } })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

const exitCode = (child: ChildProcess) =>
  Effect.callback<number | null>((resume) => {
    if (child.exitCode !== null) return resume(Effect.succeed(child.exitCode))
    child.once("exit", (code) => resume(Effect.succeed(code)))
  })

/** The output of the process so far, and its address once it listens. */
const reading = (child: ChildProcess) => {
  let text = ""
  child.stdout?.on("data", (chunk) => (text += String(chunk)))
  child.stderr?.on("data", (chunk) => (text += String(chunk)))
  const address = Effect.gen(function* () {
    for (;;) {
      const match = /Listening on (http:\/\/[\d.]+:\d+)/.exec(text)
      if (match?.[1] !== undefined) return match[1]
      if (child.exitCode !== null) return yield* Effect.die(new Error(`it ended: ${text}`))
      yield* Effect.sleep("50 millis")
    }
  })
  return { address, text: () => text }
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

it.live("starts on its own database, and SIGTERM ends both with exit code 0", () =>
  Effect.gen(function* () {
    const data = yield* folder
    yield* Effect.promise(() => fs.chmod(data, 0o711))
    const env = { DATA_DIR: data, PORT: "0", JWT_ENABLED: "false" }
    const child = yield* start(env)
    const url = yield* reading(child).address
    const alive = yield* Effect.promise(() => fetch(`${url}/api/health/live`))
    assert.strictEqual(alive.status, 200)
    const pidFile = path.join(data, "database/postgres/postmaster.pid")
    const [pid] = (yield* Effect.promise(() => fs.readFile(pidFile, "utf8"))).split("\n")
    // requests that are under way when the signal arrives are answered
    const answers = Array.from({ length: 20 }, () => fetch(`${url}/api/v1.0/devices`))
    const first = yield* Effect.promise(() => Promise.race(answers))
    child.kill("SIGTERM")
    assert.strictEqual(first.status, 200)
    const statuses = yield* Effect.promise(() => Promise.allSettled(answers))
    for (const answer of statuses) {
      if (answer.status === "fulfilled") assert.strictEqual(answer.value.status, 200)
    }
    assert.strictEqual(yield* exitCode(child), 0)
    assert.isFalse(isAlive(Number(pid)), "the database has stopped")

    // the next start has the same data
    const again = yield* start(env)
    assert.strictEqual(
      (yield* Effect.promise(async () => fetch(`${await Effect.runPromise(reading(again).address)}/api/v1.0/devices`)))
        .status,
      200
    )
    again.kill("SIGTERM")
    assert.strictEqual(yield* exitCode(again), 0)
  }).pipe(Effect.scoped)
)

it.live("names a wrong setting in a sentence, and does not start", () =>
  Effect.gen(function* () {
    const data = yield* folder
    const child = yield* start({ DATA_DIR: data, COMMIT_CONFIRMED_MODE: "7" })
    const { text } = reading(child)
    assert.strictEqual(yield* exitCode(child), 1)
    assert.include(text(), "COMMIT_CONFIRMED_MODE")
    assert.include(text(), "Expected one of 0, 1, 2")
  }).pipe(Effect.scoped)
)

it.live("refuses to listen on all addresses without tokens", () =>
  Effect.gen(function* () {
    const data = yield* folder
    yield* Effect.promise(() => fs.chmod(data, 0o711))
    const child = yield* start({ DATA_DIR: data, PORT: "0", HOST: "0.0.0.0", JWT_ENABLED: "false" })
    const { text } = reading(child)
    assert.strictEqual(yield* exitCode(child), 1)
    assert.include(text(), "ALLOW_OPEN_API=true")
  }).pipe(Effect.scoped)
)
