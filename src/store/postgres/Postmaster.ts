/**
 * Identifies the process of our database. `postmaster.pid` alone proves nothing: after a power cut its number may belong to any other
 * program, and its port to another database. So a process counts as ours only if it is a postmaster on our data folder, and it is used only
 * if it accepts our password and confirms that it serves our data. No other process is ever signalled.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Option, type Redacted, Schema } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { closeSync, existsSync, openSync } from "node:fs"
import { hostname } from "node:os"
import { DatabaseSync } from "node:sqlite"
import { attempt, EmbeddedPostgresError } from "./PostgresPrograms.ts"

/** Lines 1, 4 and 8 of `postmaster.pid`. */
interface PidFile {
  readonly pid: number
  readonly port: number
  readonly isReady: boolean
  /** It is stopping; after SIGTERM this lasts until its last client disconnects. */
  readonly isStopping: boolean
}

const orNull = <A>(run: () => Promise<A>): Effect.Effect<A | null> =>
  Effect.orElseSucceed(Effect.tryPromise(run), () => null)

export const pidFileOf = (data: string): string => path.join(data, "postmaster.pid")

/** The pid file of a data folder; null if it is missing or cannot be read. */
export const readPidFile = (data: string): Effect.Effect<PidFile | null> =>
  Effect.map(
    orNull(() => fs.readFile(pidFileOf(data), "utf8")),
    (text) => {
      const lines = (text ?? "").split("\n")
      const [pid, port] = [Number(lines[0]), Number(lines[3])]
      const status = lines[7]?.trim()
      if (!Number.isInteger(pid) || pid <= 0) return null
      return { pid, port, isReady: status === "ready", isStopping: status === "stopping" }
    }
  )

const sameFolder = async (a: string, b: string) => (await fs.realpath(a)) === (await fs.realpath(b))

/** Compares the folder and command of a process. Children of a postmaster have a title instead of a command. */
const isPostmasterOn = async (data: string, folder: string, words: ReadonlyArray<string>) => {
  const asked = words[words.indexOf("-D") + 1]
  const isPostgres = path.basename(words[0] ?? "") === "postgres" && words.includes("-D") && asked !== undefined
  return isPostgres && (await sameFolder(folder, data)) && (await sameFolder(path.resolve(folder, asked), data))
}

/**
 * The folder of a process. Linux hides it from processes with fewer rights: a server of the service may use port 80, and so may its
 * database, but a separate command may not. Then a process of the data's owner counts as started in the data folder.
 */
const folderOf = async (pid: number, data: string) => {
  const hidden = async (error: unknown) => {
    const [{ uid }, { uid: owner }] = await Promise.all([fs.stat(`/proc/${pid}`), fs.stat(data)])
    if (uid === owner) return data
    throw error
  }
  return fs.readlink(`/proc/${pid}/cwd`).catch(hidden)
}

const fromProc = async (pid: number, data: string) => {
  const [folder, command] = await Promise.all([folderOf(pid, data), fs.readFile(`/proc/${pid}/cmdline`)])
  return isPostmasterOn(data, folder, command.toString().split("\0"))
}

/** For systems without /proc. */
const fromPs = async (pid: number, data: string) => {
  const { stdout } = await promisify(execFile)("ps", ["-o", "command=", "-p", String(pid)])
  return isPostmasterOn(data, data, stdout.trim().split(" "))
}

/** Whether the process is a postmaster on this data folder. False for a process that has ended or cannot be inspected. */
export const isOurs = (pid: number, data: string): Effect.Effect<boolean> =>
  Effect.map(
    orNull(() => (process.platform === "linux" ? fromProc(pid, data) : fromPs(pid, data))),
    (ours) => ours ?? false
  )

/** Whether any process has this number. */
export const isTaken = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** The number that `initdb` gives each cluster: the first eight bytes of its control file. */
const clusterOf = async (data: string) =>
  (await fs.readFile(path.join(data, "global", "pg_control"))).readBigUInt64LE(0).toString()

/** Connection options for a server on this machine. */
export const at = (port: number, password: Redacted.Redacted) => ({
  host: "127.0.0.1",
  port,
  username: "postgres",
  database: "postgres",
  password
})

/** The facts that a server reports after a login with the password. */
const introduction = Effect.fnUntraced(function* (port: number, password: Redacted.Redacted) {
  const connection = yield* PgConnection.make({ ...at(port, password), connectTimeout: "2 seconds" })
  const [row = []] = yield* connection.queryValues(
    "select current_setting('data_directory'), system_identifier::text from pg_control_system()"
  )
  return row.map(String)
}, Effect.scoped)

/** Whether the server at the port accepts our password and serves this data folder; also false while it cannot answer. */
export const provesItself = (port: number, password: Redacted.Redacted, data: string): Effect.Effect<boolean> =>
  introduction(port, password).pipe(
    Effect.timeout("5 seconds"),
    Effect.flatMap(([folder = "", cluster]) =>
      orNull(async () => (await sameFolder(folder, data)) && cluster === (await clusterOf(data)))
    ),
    Effect.match({ onSuccess: (proved) => proved === true, onFailure: () => false })
  )

// The server that keeps a data folder. The lock is a lock of the operating system, held through SQLite, which comes with Node:
// only one process can hold it, and it is free at the moment when that process ends for any reason. A second file names the
// holder, for the message of a second server that refuses to start.

const Owner = Schema.Struct({ pid: Schema.Int, host: Schema.String, since: Schema.String })
const OwnerFile = Schema.fromJsonString(Owner)

const lockFile = (folder: string) => path.join(folder, "server.lock")
const ownerFile = (folder: string) => path.join(folder, "server.json")

/** SQLite's answer when another process has the lock. */
const BUSY = 5

const isBusy = (error: unknown) => error instanceof Error && "errcode" in error && error.errcode === BUSY

/** Holds the folder until it is released. */
export interface Lock {
  readonly release: () => void
}

/** SQLite would create a file that all users may read. An existing file is not opened: closing it would end this process's lock. */
const makeLockFile = (file: string): void => {
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600))
}

const open = (folder: string): Lock | null => {
  makeLockFile(lockFile(folder))
  const file = new DatabaseSync(lockFile(folder), { timeout: 0 })
  try {
    file.exec("begin exclusive")
    return { release: () => file.close() }
  } catch (error) {
    file.close()
    if (isBusy(error)) return null
    throw error
  }
}

/** Takes the folder; null if another server holds it. */
export const take = Effect.fn("FolderOwner.take")(function* (
  folder: string
): Effect.fn.Return<Lock | null, EmbeddedPostgresError> {
  const lock = yield* Effect.try({
    try: () => open(folder),
    catch: (cause) => new EmbeddedPostgresError({ message: `${lockFile(folder)} cannot be locked`, cause })
  })
  if (lock === null) return null
  const owner = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  // only the lock counts; the disk may be full
  yield* attempt(`write ${ownerFile(folder)}`, () =>
    fs.writeFile(ownerFile(folder), JSON.stringify(owner), { mode: 0o600 })
  ).pipe(Effect.catch(({ message }) => Effect.logWarning(`Who keeps the folder cannot be told to others: ${message}`)))
  return lock
}, Effect.uninterruptible)

/** Runs work while no server holds the folder, and blocks servers in the meantime; null if a server holds it. */
export const whileFree = async <A>(folder: string, run: () => Promise<A>): Promise<A | null> => {
  // without the file no server of this release has run here; a new file would belong to this process's user
  if (!existsSync(lockFile(folder))) return run()
  const lock = open(folder)
  if (lock === null) return null
  return run().finally(lock.release)
}

const readOwner = (folder: string) =>
  attempt(`read ${ownerFile(folder)}`, () => fs.readFile(ownerFile(folder), "utf8")).pipe(
    Effect.flatMap(Schema.decodeEffect(OwnerFile)),
    Effect.option
  )

/** Fails with a message that names the folder's holder. */
export const refuse = Effect.fn("FolderOwner.refuse")(function* (
  folder: string,
  asked: string
): Effect.fn.Return<never, EmbeddedPostgresError> {
  const first = Option.match(yield* readOwner(folder), {
    onNone: () => "another server",
    onSome: ({ host, pid, since }) => `the server with process ${pid} on ${host} since ${since}`
  })
  return yield* new EmbeddedPostgresError({
    message: `${asked} is in use by ${first}: stop that one, or set another DATA_DIR. Several servers that work together need CLUSTER_HOST`
  })
})
