/**
 * The server of a benchmark in a process of its own, as `npm start` runs it, and the database under it, which the benchmark
 * reaches as well to fill it. Also what the operating system says about that process.
 */
import { Effect, Redacted } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import * as Database from "../src/store/Database.ts"
import * as EmbeddedPostgres from "../src/store/EmbeddedPostgres.ts"
import { freePort } from "../test/support/FreePort.ts"
import { makeClient } from "./BenchClient.ts"

/** Memory of a process in MB, and the seconds of processor time that it has taken. */
export const usageOf = (pid: number): { readonly megabytes: number; readonly seconds: number } => {
  if (process.platform === "linux") {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    // the name in brackets may hold blanks; user and system time are the 12th and 13th field behind it, in hundredths
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")
    return {
      megabytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1000,
      seconds: (Number(stat[11]) + Number(stat[12])) / 100
    }
  }
  const [kilobytes = "0", time = "0"] = execFileSync("ps", ["-o", "rss=,time=", "-p", String(pid)], {
    encoding: "utf8"
  })
    .trim()
    .split(/\s+/)
  return {
    megabytes: Number(kilobytes) / 1000,
    seconds: time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0)
  }
}

const ended = (child: ReturnType<typeof spawn>): boolean => child.exitCode !== null || child.signalCode !== null

/** How a server is started. */
interface Program {
  readonly env: Readonly<Record<string, string>>
  /** The server demands it, when there is one. */
  readonly token?: string | undefined
}

/** Starts a server on this database; yields when it answers with settings. It is stopped when the scope closes. */
export const startProgram = Effect.fnUntraced(function* (url: string, { env, token }: Program) {
  const port = yield* freePort
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(path.join(import.meta.dirname, "../bin/switchyard"), ["serve"], {
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: process.env["HOME"] ?? "",
          // more flags for node, such as `--cpu-prof`
          NODE_OPTIONS: process.env["NODE_FLAGS"] ?? "",
          // switches of the lab, and tokens without roles
          SECURE_DEFAULTS: "false",
          ...env,
          DATABASE_URL: url,
          PORT: String(port),
          JWT_ENABLED: String(token !== undefined)
        },
        stdio: ["ignore", process.env["LOG_LEVEL"] === undefined ? "ignore" : "inherit", "inherit"]
      })
    ),
    (started) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            if (ended(started)) return resolve()
            started.once("exit", () => resolve())
            started.kill("SIGTERM")
            setTimeout(() => started.kill("SIGKILL"), 10_000).unref()
          })
      )
  )
  const api = makeClient(port, token)
  const answers = Effect.promise(() =>
    api
      .get("/settings")
      .then(({ status }) => status === 200)
      .catch(() => false)
  )
  while (!(yield* answers)) {
    if (ended(child)) return yield* Effect.die(new Error("the server ended; LOG_LEVEL=Info shows why"))
    yield* Effect.sleep("100 millis")
  }
  return { api, port, pid: child.pid ?? 0 }
})

/** Starts PostgreSQL with these flags; yields its URL, and the way of the bench to it. */
export const startDatabase = Effect.fnUntraced(function* (folder: string, flags: ReadonlyArray<string> = []) {
  const postgres = yield* EmbeddedPostgres.make({ dataDir: path.join(folder, "postgres"), flags })
  const url = `postgres://postgres:${Redacted.value(postgres.password)}@127.0.0.1:${postgres.port()}/postgres`
  return { url, database: Database.layerUrl(Redacted.make(url)) }
})

/** Starts PostgreSQL and a server on it; yields when it answers with settings. With a token the server demands one; `flags` are of PostgreSQL. */
export const startServer = Effect.fnUntraced(function* (
  folder: string,
  env: Readonly<Record<string, string>>,
  token?: string,
  flags: ReadonlyArray<string> = []
) {
  const { database, url } = yield* startDatabase(folder, flags)
  return { ...(yield* startProgram(url, { env, token })), database }
})
