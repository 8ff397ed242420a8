/**
 * PostgreSQL on a data folder and a port of its own, whose processes a test may stop, kill, pause and starve from outside,
 * as an operator's bad day does. Commits are written through, so that what was answered outlives a killed backend.
 */
import { Effect, Redacted, Schedule } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import * as EmbeddedPostgres from "../../src/store/EmbeddedPostgres.ts"
import { freePort } from "./FreePort.ts"
import { seconds } from "./Patience.ts"
import { memoryFolder } from "./RunFolders.ts"
import * as Silence from "./Silence.ts"

export interface PostgresProcess {
  readonly program: string
  readonly data: string
  readonly port: number
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
  /** Leaves no byte free on the file system of the data folder; throws if that is not a small one of its own. */
  readonly fill: Effect.Effect<void>
  readonly empty: Effect.Effect<void>
}

const FLAGS = ["fsync=off", "full_page_writes=off", "max_wal_size=64MB", "min_wal_size=32MB"]
const MAX_CONNECTIONS = 40
/** So that one disk can be filled quickly, and the other not by accident. */
const SMALL = "192m"
const LARGE = "4g"
const FAULTS = "faults.conf"
const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
const run = promisify(execFile)

/** A folder for the data, on a file system of its own of this size where this process may mount one. */
const makeFolder = (size: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await fs.mkdtemp(path.join(memoryFolder(), "switchyard-postgres-"))
      await fs.chmod(folder, 0o711)
      const mounted = isRoot
        ? await run("mount", ["-t", "tmpfs", "-o", `size=${size},mode=711`, "tmpfs", folder]).then(
            () => true,
            () => false
          )
        : false
      return { folder, mounted }
    }),
    ({ folder, mounted }) =>
      Effect.promise(async () => {
        if (mounted) await run("umount", ["-l", folder])
        await fs.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      })
  )

/** Made by the server's own layer, which is stopped at once; the files contain the path of its program. */
const initialise = Effect.fnUntraced(function* (folder: string) {
  const { password } = yield* Effect.scoped(Effect.orDie(EmbeddedPostgres.make({ dataDir: folder })))
  const data = path.join(folder, "postgres")
  const started = yield* Effect.promise(() => fs.readFile(path.join(data, "postmaster.opts"), "utf8"))
  const program = started.split(" ")[0] ?? ""
  yield* Effect.promise(() => fs.appendFile(path.join(data, "postgresql.conf"), `\ninclude_if_exists = '${FAULTS}'\n`))
  return { data, program, password: Redacted.value(password) }
})

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** One server: its program, its data folder, its port and for how many connections it has a place. */
interface Place {
  readonly program: string
  readonly data: string
  readonly port: number
  readonly maxConnections: number
}

const launch = ({ data, maxConnections, port, program }: Place) =>
  Effect.callback<ChildProcess, Error>((resume) => {
    const settings = [...FLAGS, `max_connections=${maxConnections}`, "listen_addresses=127.0.0.1"]
    const flags = [...settings, "unix_socket_directories="].flatMap((flag) => ["-c", flag])
    const child = spawn(program, ["-D", data, "-p", String(port), ...flags], {
      ...owner,
      cwd: data,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let log = ""
    child.stderr.on("data", (chunk) => {
      log = `${log}${String(chunk)}`.slice(-4_000)
      if (/ready to accept (read-only )?connections/.test(log)) resume(Effect.succeed(child))
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

type Hold = Pick<PostgresProcess, "start" | "stop" | "signal">

/** The process of a server, which does not run yet; it is stopped when the scope closes. */
const processAt = Effect.fnUntraced(function* (place: Place) {
  let child: ChildProcess | undefined
  // what a killed server has left releases its memory late
  const start = Effect.suspend(() =>
    child !== undefined && !hasEnded(child)
      ? Effect.void
      : launch(place).pipe(
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
  yield* Effect.addFinalizer(() => Effect.andThen(signal("SIGCONT"), stop("SIGQUIT")))
  const hold: Hold = { start, stop, signal }
  return hold
})

const makeOf = Effect.fnUntraced(function* (size: string, maxConnections: number) {
  const { folder, mounted } = yield* makeFolder(size)
  const { data, password, program } = yield* initialise(folder)
  const port = yield* freePort
  const access = path.join(data, "pg_hba.conf")
  const usual = yield* Effect.promise(() => fs.readFile(access, "utf8"))
  const { signal, start, stop } = yield* processAt({ data, maxConnections, port, program })
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
  const proxy = yield* Silence.make(port)
  const urlOf = (at: number) => `postgres://postgres:${password}@127.0.0.1:${at}/postgres`
  const isSmall = mounted && size === SMALL
  const server: PostgresProcess = {
    program,
    data,
    port,
    url: urlOf(port),
    silentUrl: urlOf(proxy.port),
    silence: proxy.silence,
    maxConnections,
    start,
    stop,
    signal,
    configure,
    secure,
    letIn: (isOpen) => Effect.andThen(write(access, isOpen ? usual : "host all all all reject\n"), signal("SIGHUP")),
    isSmall,
    // it would be the memory of the whole machine
    fill: isSmall
      ? Effect.promise(() => filler(path.join(folder, "filler")))
      : Effect.die(new Error("only a small file system of its own may be filled")),
    empty: Effect.promise(() => fs.rm(path.join(folder, "filler"), { force: true }))
  }
  return server
})

/** A running server; it is stopped when the scope closes. */
export const make = makeOf(SMALL, MAX_CONNECTIONS)

/** Two servers behind one address, as sites have them. */
export interface PostgresPair {
  /** By the address that moves; it is started, stopped and signalled where the address leads to. */
  readonly postgres: PostgresProcess
  /** The first one is killed; the address leads to the standby, which is promoted a moment later. */
  readonly failOver: Effect.Effect<void>
}

/** Sites with a standby have room for several replicas. */
const PAIR_CONNECTIONS = 120

/** A server, and a standby that has every commit before it is answered. The standby begins as a copy of the stopped server. */
export const makePair = Effect.gen(function* () {
  const primary = yield* makeOf(LARGE, PAIR_CONNECTIONS)
  const { folder } = yield* makeFolder(LARGE)
  const copy = path.join(folder, "standby")
  const port = yield* freePort
  const from = new URL(primary.url)
  yield* primary.stop("SIGINT")
  yield* Effect.promise(async () => {
    await run("cp", ["-a", primary.data, copy])
    await fs.writeFile(path.join(copy, "standby.signal"), "")
    const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${from.password}`
    await fs.appendFile(path.join(copy, "postgresql.conf"), `\nprimary_conninfo = '${source}'\n`)
  })
  yield* primary.start
  const { program } = primary
  const standby = yield* processAt({ program, data: copy, port, maxConnections: PAIR_CONNECTIONS })
  yield* standby.start
  yield* primary.configure("synchronous_standby_names = '*'\n")
  let leader: Hold = primary
  let leadsTo = primary.port
  const proxy = yield* Silence.make(() => leadsTo)
  from.port = String(proxy.port)
  const failOver = Effect.gen(function* () {
    yield* primary.stop("SIGKILL")
    leader = standby
    leadsTo = port
    yield* proxy.cut
    yield* Effect.sleep("1 second")
    yield* Effect.promise(() => fs.writeFile(path.join(copy, "promote"), ""))
    yield* standby.signal("SIGUSR1")
  })
  const postgres: PostgresProcess = {
    ...primary,
    url: from.href,
    silentUrl: from.href,
    start: Effect.suspend(() => leader.start),
    stop: (signal) => Effect.suspend(() => leader.stop(signal)),
    signal: (signal) => Effect.suspend(() => leader.signal(signal))
  }
  const pair: PostgresPair = { postgres, failOver }
  return pair
})
