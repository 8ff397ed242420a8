/** The program `switchyard serve` as a process, as an operator starts it: driven by signals, seen by its API and its log. */
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import type { Readable } from "node:stream"
import { killLeftover } from "./PostgresProcesses.ts"

/** The folder of this release. */
const here = path.resolve(import.meta.dirname, "../..")
/** The program of `bin/switchyard`: the bundle, which is made once before all tests. */
export const program = path.join(here, "bin/start.mjs")

/**
 * The parts of our environment that a started program needs: the path of commands, and the folders of compiled code and temporary files.
 */
export const ofThisProcess: Readonly<Record<string, string>> = Object.fromEntries(
  ["PATH", "NODE_COMPILE_CACHE", "TMPDIR"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
)

/**
 * The environment of a program that a test starts. One without a DATA_DIR has the folder of its database, which it shares with its replicas
 * only.
 */
export const environmentOf = (env: Readonly<Record<string, string>>): Record<string, string> => {
  const of = createHash("sha256")
    .update(env["DATABASE_URL"] ?? "")
    .digest("hex")
  // next to the cache of the run, which is removed at its end
  const folder = path.join(path.dirname(process.env["NODE_COMPILE_CACHE"] ?? tmpdir()), `data-of-${of}`)
  return { ...ofThisProcess, ...(env["DATABASE_URL"] === undefined ? {} : { DATA_DIR: folder }), ...env }
}

/** The settings of a lab server, whose switches are on this machine: it logs in to any of them, and accepts their first host keys. */
const ofTheLab = { HOST_KEY_POLICY: "first-use", MANAGEMENT_NETWORKS: "0.0.0.0/0,::/0" }

export interface Program {
  readonly pid: number
  /** Its output so far. */
  readonly text: () => string
  /** Its URL, once it serves; dies with its log when it ends instead. */
  readonly url: Effect.Effect<string>
  readonly kill: (signal: NodeJS.Signals) => void
  /** Its exit code, null after a signal that it did not survive. */
  readonly ended: Effect.Effect<number | null>
}

/** A data folder that PostgreSQL's user can pass. */
export const dataFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(async () => {
    const made = await fs.mkdtemp(path.join(tmpdir(), "switchyard-program-"))
    await fs.chmod(made, 0o711)
    return made
  }),
  (made) =>
    Effect.promise(() => {
      killLeftover(made)
      return fs.rm(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    })
)

const observe = (child: ChildProcess): Program => {
  let text = ""
  child.stdout?.on("data", (chunk) => (text += String(chunk)))
  child.stderr?.on("data", (chunk) => (text += String(chunk)))
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  const url = Effect.gen(function* () {
    for (;;) {
      const match = /Listening on (http:\/\/[\d.]+:\d+)/.exec(text)
      if (match?.[1] !== undefined) return match[1]
      if (child.exitCode !== null) return yield* Effect.die(new Error(`it ended: ${text}`))
      yield* Effect.sleep("20 millis")
    }
  })
  return {
    pid: child.pid ?? 0,
    text: () => text,
    url,
    kill: (signal) => void child.kill(signal),
    ended: Effect.promise(() => ended)
  }
}

/**
 * Starts `serve` (or another sub-command) with these variables and no others; it is killed when the scope closes. `release` is
 * the folder of the release to start.
 */
export const start = (
  env: Readonly<Record<string, string>>,
  command = "serve",
  release = here,
  /** The starter in place of this process, such as `unshare`. */
  before: ReadonlyArray<string> = []
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      // releases before this one may have no bundle
      const file = release === here ? program : path.join(release, "src/main.ts")
      const words = [process.execPath, file, command]
      const [first = process.execPath, ...rest] = [...before, ...words]
      return spawn(first, rest, { env: environmentOf({ ...ofTheLab, PORT: "0", JWT_ENABLED: "false", ...env }) })
    }),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  ).pipe(Effect.map(observe))

/** A server without any settings. */
export const startNew = (env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [program, "serve"], { env: { ...ofThisProcess, ...env } })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  ).pipe(Effect.map(observe))

/** The same by the program that operators start. */
export const startInstalled = (env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(path.resolve(import.meta.dirname, "../../bin/switchyard"), ["serve"], {
        env: environmentOf({ ...ofTheLab, PORT: "0", ...env })
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  ).pipe(Effect.map(observe))

/** How a sub-command has ended: its exit code or the signal that it did not survive, and what it has printed, apart and together. */
export interface End {
  readonly code: number | null
  readonly by: NodeJS.Signals | null
  readonly out: string
  readonly err: string
  readonly text: string
}

/** Begins another sub-command with this text as its input; it is killed when the scope closes. */
export const begin = (env: Readonly<Record<string, string>>, words: ReadonlyArray<string>, input = "") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [program, ...words], { env: environmentOf(env) })
      const said = { out: "", err: "", text: "" }
      const hear = (stream: Readable, name: "out" | "err") =>
        stream.on("data", (chunk) => {
          said[name] += String(chunk)
          said.text += String(chunk)
        })
      hear(child.stdout, "out")
      hear(child.stderr, "err")
      child.stdin.on("error", () => undefined)
      child.stdin.end(input)
      const ended = new Promise<End>((resolve) => child.once("close", (code, by) => resolve({ code, by, ...said })))
      return { kill: (signal: NodeJS.Signals) => void child.kill(signal), ended: Effect.promise(() => ended) }
    }),
    ({ kill }) => Effect.sync(() => kill("SIGKILL"))
  )

/** Runs another sub-command to its end. */
export const command = (...words: Parameters<typeof begin>): Effect.Effect<End> =>
  Effect.scoped(Effect.flatMap(begin(...words), ({ ended }) => ended))

/** Waits until the condition holds. */
export const until = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    while (!(yield* condition)) yield* Effect.sleep("50 millis")
  })
