/**
 * Which server keeps a data folder. The lock is one of the operating system, held by way of SQLite, which comes with Node:
 * it is taken by one process only and is free in the moment in which that process ends, however it ends. Beside it stands who
 * has it, for the sentence with which a second server refuses.
 */
import { Effect, Option, Schema } from "effect"
import { closeSync, existsSync, openSync } from "node:fs"
import * as fs from "node:fs/promises"
import { hostname } from "node:os"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { attempt, EmbeddedPostgresError } from "./PostgresPrograms.ts"

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
