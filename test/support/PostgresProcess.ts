/**
 * PostgreSQL on a data folder and a port of its own, whose processes a test may stop, kill, pause and starve from outside,
 * as an operator's bad day does. Commits are written through, so that what was answered outlives a killed backend.
 */
import { Effect, Redacted, Schedule } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"
import * as EmbeddedPostgres from "../../src/store/EmbeddedPostgres.ts"
import { freePort } from "./FreePort.ts"
import * as SilentProxy from "./SilentProxy.ts"
import { seconds } from "./Patience.ts"

export interface PostgresProcess {
  /** With the name and password of the superuser. */
  readonly url: string
  /** The same by a way that can fall silent. */
  readonly silentUrl: string
  /** Connections by that way stay open, and nothing arrives on them any more; new ones are not concerned. */
  readonly silence: Effect.Effect<void>
  readonly maxConnections: number
  /** Starts it and waits until it takes connections; nothing when it runs. */
  readonly start: Effect.Effect<void>
  /** `SIGINT` is a fast stop, `SIGQUIT` an immediate one, `SIGKILL` the end of the postmaster alone. Waits for its end. */
  readonly stop: (signal: "SIGINT" | "SIGQUIT" | "SIGKILL") => Effect.Effect<void>
  /** Sends a signal to the postmaster, if it runs. */
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Puts these settings in force, in place of those that were given before. */
  readonly configure: (settings: string) => Effect.Effect<void>
  /** Whether logins are let in. */
  readonly letIn: (isOpen: boolean) => Effect.Effect<void>
  /** From now on it has this certificate, and logins are let in over TLS only; `withCertificate` is what they need too. */
  readonly secure: (
    pair: {
      readonly certificate: string
      readonly key: string
      readonly authority: string
    },
    withCertificate?: boolean
  ) => Effect.Effect<void>
  /** Whether the data folder is a small file system of its own, which can be filled. */
  readonly isSmall: boolean
  /** Leaves no byte free on the file system of the data folder. */
  readonly fill: Effect.Effect<void>
  readonly empty: Effect.Effect<void>
}

const FLAGS = ["fsync=off", "full_page_writes=off", "max_wal_size=64MB", "min_wal_size=32MB"]
const MAX_CONNECTIONS = 40
const SMALL = "size=192m,mode=711"
const FAULTS = "faults.conf"
const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
const run = promisify(execFile)

/** A folder for the data, on a small file system of its own where this process may mount one. */
const makeFolder = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = await fs.mkdtemp(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "switchyard-postgres-"))
    await fs.chmod(folder, 0o711)
    const mounted = isRoot
      ? await run("mount", ["-t", "tmpfs", "-o", SMALL, "tmpfs", folder]).then(
          () => true,
          () => false
        )
      : false
    return { folder, isSmall: mounted }
  }),
  ({ folder, isSmall }) =>
    Effect.promise(async () => {
      if (isSmall) await run("umount", ["-l", folder])
      await fs.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    })
)

/** Made by the server's own layer, which is stopped at once; the files tell where its program is. */
const initialise = Effect.fnUntraced(function* (folder: string) {
  const { password } = yield* Effect.scoped(Effect.orDie(EmbeddedPostgres.make({ dataDir: folder })))
  const data = path.join(folder, "postgres")
  const started = yield* Effect.promise(() => fs.readFile(path.join(data, "postmaster.opts"), "utf8"))
  const program = started.split(" ")[0] ?? ""
  yield* Effect.promise(() => fs.appendFile(path.join(data, "postgresql.conf"), `\ninclude_if_exists = '${FAULTS}'\n`))
  return { data, program, password: Redacted.value(password) }
})

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

const launch = (program: string, data: string, port: number) =>
  Effect.callback<ChildProcess, Error>((resume) => {
    const settings = [...FLAGS, `max_connections=${MAX_CONNECTIONS}`, "listen_addresses=127.0.0.1"]
    const flags = [...settings, "unix_socket_directories="].flatMap((flag) => ["-c", flag])
    const child = spawn(program, ["-D", data, "-p", String(port), ...flags], {
      ...owner,
      cwd: data,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let log = ""
    child.stderr.on("data", (chunk) => {
      log = `${log}${String(chunk)}`.slice(-4_000)
      if (log.includes("ready to accept connections")) resume(Effect.succeed(child))
    })
    child.once("error", (error) => resume(Effect.fail(error)))
    child.once("exit", () => resume(Effect.fail(new Error(`PostgreSQL has ended: ${log}`))))
  })

/** Waits for its end; what does not end is killed. */
const ended = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (hasEnded(child)) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  }).pipe(
    Effect.timeoutOrElse({
      duration: seconds(20),
      orElse: () => Effect.sync(() => void child.kill("SIGKILL"))
    })
  )

const filler = async (file: string) => {
  const handle = await fs.open(file, "a")
  // the last bytes too
  for (let size = 1 << 20; size >= 512;) {
    const { bytesWritten } = await handle.write(Buffer.alloc(size)).catch(() => ({ bytesWritten: 0 }))
    if (bytesWritten < size) size >>= 1
  }
  await handle.close()
}

/** A running server; it is stopped when the scope closes. */
export const make = Effect.gen(function* () {
  const { folder, isSmall } = yield* makeFolder
  const { data, password, program } = yield* initialise(folder)
  const port = yield* freePort
  const access = path.join(data, "pg_hba.conf")
  const usual = yield* Effect.promise(() => fs.readFile(access, "utf8"))
  let child: ChildProcess | undefined

  // what a killed server has left releases its memory late
  const start = Effect.suspend(() =>
    child !== undefined && !hasEnded(child)
      ? Effect.void
      : launch(program, data, port).pipe(
          Effect.retry({ times: 100, schedule: Schedule.spaced("200 millis") }),
          Effect.orDie,
          Effect.map((started) => {
            child = started
          })
        )
  )
  const signal = (name: NodeJS.Signals) => Effect.sync(() => void child?.kill(name))
  const stop = (name: NodeJS.Signals) =>
    Effect.andThen(
      signal(name),
      Effect.suspend(() => (child === undefined ? Effect.void : ended(child)))
    )
  const write = (file: string, text: string) => Effect.promise(() => fs.writeFile(file, text))
  const configure = (settings: string) => Effect.andThen(write(path.join(data, FAULTS), settings), signal("SIGHUP"))

  const writeOwn = async (name: string, text: string) => {
    const file = path.join(data, name)
    await fs.writeFile(file, text, { mode: 0o600 })
    if (isRoot) await fs.chown(file, NOBODY, NOBODY)
  }
  const secure: PostgresProcess["secure"] = ({ authority, certificate, key }, withCertificate = false) =>
    Effect.gen(function* () {
      yield* Effect.promise(async () => {
        await writeOwn("server.crt", certificate)
        await writeOwn("server.key", key)
        await writeOwn("clients.crt", authority)
      })
      yield* write(access, `hostssl all all all scram-sha-256${withCertificate ? " clientcert=verify-ca" : ""}\n`)
      yield* configure("ssl = on\nssl_ca_file = 'clients.crt'\n")
    })

  yield* start
  yield* Effect.addFinalizer(() => Effect.andThen(signal("SIGCONT"), stop("SIGQUIT")))
  const proxy = yield* SilentProxy.make(port)
  const urlOf = (at: number) => `postgres://postgres:${password}@127.0.0.1:${at}/postgres`
  const server: PostgresProcess = {
    url: urlOf(port),
    silentUrl: urlOf(proxy.port),
    silence: proxy.silence,
    maxConnections: MAX_CONNECTIONS,
    start,
    stop,
    signal,
    configure,
    secure,
    letIn: (isOpen) => Effect.andThen(write(access, isOpen ? usual : "host all all all reject\n"), signal("SIGHUP")),
    isSmall,
    fill: Effect.promise(() => filler(path.join(folder, "filler"))),
    empty: Effect.promise(() => fs.rm(path.join(folder, "filler"), { force: true }))
  }
  return server
})
