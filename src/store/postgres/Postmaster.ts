/**
 * Which process is our database. `postmaster.pid` alone proves nothing: after a power cut its number may belong to any other
 * program, and its port to another database. So a process counts as ours only when it is a postmaster whose data folder is
 * ours, and is used only when it lets us in with our password and says that it serves our data. Nothing else is ever
 * signalled.
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

/** What `postmaster.pid` says: lines 1, 4 and 8. */
export interface PidFile {
  readonly pid: number
  readonly port: number
  readonly isReady: boolean
  /** Told to stop; until its last client has left, if it was told to stop gently. */
  readonly isStopping: boolean
}

const orNull = <A>(run: () => Promise<A>): Effect.Effect<A | null> =>
  Effect.orElseSucceed(Effect.tryPromise(run), () => null)

export const pidFileOf = (data: string): string => path.join(data, "postmaster.pid")

/** The pid file of a data folder, null when there is none that can be read. */
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

/** Folder and words of a process's command. Children of a postmaster have a title instead of these words. */
const isPostmasterOn = async (data: string, folder: string, words: ReadonlyArray<string>) => {
  const asked = words[words.indexOf("-D") + 1]
  const isPostgres = path.basename(words[0] ?? "") === "postgres" && words.includes("-D") && asked !== undefined
  return isPostgres && (await sameFolder(folder, data)) && (await sameFolder(path.resolve(folder, asked), data))
}

/**
 * The folder of a process. Linux hides it from whoever has fewer rights than the process: a server of the service may use port 80, and so
 * may its database, but a command beside it may not. A process of the user whom the data belongs to then counts as begun in them.
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

/** Where there is no /proc. */
const fromPs = async (pid: number, data: string) => {
  const { stdout } = await promisify(execFile)("ps", ["-o", "command=", "-p", String(pid)])
  return isPostmasterOn(data, data, stdout.trim().split(" "))
}

/** Whether the process is a postmaster on this data folder. One that has ended, or that cannot be looked at, is not. */
export const isOurs = (pid: number, data: string): Effect.Effect<boolean> =>
  Effect.map(
    orNull(() => (process.platform === "linux" ? fromProc(pid, data) : fromPs(pid, data))),
    (ours) => ours ?? false
  )

/** Whether some process has this number, ours or not. */
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

/** How to reach a server on this machine. */
export const at = (port: number, password: Redacted.Redacted) => ({
  host: "127.0.0.1",
  port,
  username: "postgres",
  database: "postgres",
  password
})

/** What a server says about itself to whoever has the password. */
const introduction = Effect.fnUntraced(function* (port: number, password: Redacted.Redacted) {
  const connection = yield* PgConnection.make({ ...at(port, password), connectTimeout: "2 seconds" })
  const [row = []] = yield* connection.queryValues(
    "select current_setting('data_directory'), system_identifier::text from pg_control_system()"
  )
  return row.map(String)
}, Effect.scoped)

/** Whether the server at the port knows our password and serves this data folder; false as well while it cannot say so. */
export const provesItself = (port: number, password: Redacted.Redacted, data: string): Effect.Effect<boolean> =>
  introduction(port, password).pipe(
    Effect.timeout("5 seconds"),
    Effect.flatMap(([folder = "", cluster]) =>
      orNull(async () => (await sameFolder(folder, data)) && cluster === (await clusterOf(data)))
    ),
    Effect.match({ onSuccess: (proved) => proved === true, onFailure: () => false })
  )

// Which server keeps a data folder. The lock is one of the operating system, held by way of SQLite, which comes with Node:
// it is taken by one process only and is free in the moment in which that process ends, however it ends. Beside it stands who
// has it, for the sentence with which a second server refuses.

const Owner = Schema.Struct({ pid: Schema.Int, host: Schema.String, since: Schema.String })
const OwnerFile = Schema.fromJsonString(Owner)

const lockFile = (folder: string) => path.join(folder, "server.lock")
const ownerFile = (folder: string) => path.join(folder, "server.json")

/** SQLite's answer when another process has the lock. */
const BUSY = 5

const isBusy = (error: unknown) => error instanceof Error && "errcode" in error && error.errcode === BUSY

/** The folder is ours until it is released. */
export interface Lock {
  readonly release: () => void
}

/** SQLite would make one that everybody may read. One that is there is not opened: to close it would end the lock of this process. */
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

/** Takes the folder, null when another server has it. */
export const take = Effect.fn("FolderOwner.take")(function* (
  folder: string
): Effect.fn.Return<Lock | null, EmbeddedPostgresError> {
  const lock = yield* Effect.try({
    try: () => open(folder),
    catch: (cause) => new EmbeddedPostgresError({ message: `${lockFile(folder)} cannot be locked`, cause })
  })
  if (lock === null) return null
  const owner = { pid: process.pid, host: hostname(), since: new Date().toISOString() }
  // the lock is what counts; a disk may be full
  yield* attempt(`write ${ownerFile(folder)}`, () =>
    fs.writeFile(ownerFile(folder), JSON.stringify(owner), { mode: 0o600 })
  ).pipe(Effect.catch(({ message }) => Effect.logWarning(`Who keeps the folder cannot be told to others: ${message}`)))
  return lock
}, Effect.uninterruptible)

/** Does something while no server has the folder, and keeps servers from it meanwhile; null when one has it. */
export const whileFree = async <A>(folder: string, run: () => Promise<A>): Promise<A | null> => {
  // without the file no server of this release has been here; one that is made now would belong to whoever looks
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

/** Fails with the sentence that names who has the folder. */
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
