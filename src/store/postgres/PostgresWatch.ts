/**
 * Checks whether the embedded database works; a running process proves nothing. If the shared memory of PostgreSQL was removed (for example by
 * systemd's RemoveIPC), it serves its existing connections and refuses every new one for ever. So the watch tries a new connection and a
 * write every few seconds, and restarts a database that fails repeatedly for a reason that a restart repairs.
 */
import { PgConnection } from "@effect/sql-pg"
import { Clock, Context, Effect, type Redacted } from "effect"
import { SqlError } from "effect/sql"
import * as fs from "node:fs/promises"
import { codeOf } from "../../runtime/SystemErrors.ts"
import { meaning, sqlState } from "../DatabaseErrors.ts"
import { at, readPidFile } from "./Postmaster.ts"
import * as PostgresProcess from "./PostgresProcess.ts"

/** The fault of this process's embedded database in words; null while it works or does not exist. */
export class EmbeddedTrouble extends Context.Reference<{ sentence: string | null }>(
  "switchyard/store/EmbeddedTrouble",
  {
    defaultValue: () => ({ sentence: null })
  }
) {}

const EVERY = "5 seconds"
const PATIENCE_MS = 5_000

/**
 * A failed look: a restart repairs `broken`; it also repairs a lasting `silent`, which a busy machine may cause as well; and it does not
 * repair `elsewhere`, such as a full disk.
 */
export interface Failed {
  readonly kind: "broken" | "silent" | "elsewhere"
  readonly why: string
  /** The SQLSTATE of PostgreSQL's answer; missing without an answer. */
  readonly state?: string
}

/** States of PostgreSQL that a restart repairs: shared memory or files of its processes are missing, or its state is inconsistent. */
const BROKEN_STATES = ["58P01", "58P02", "58000", "XX000"]

/** System error codes of a local connection if PostgreSQL does not listen or disconnects. */
const BROKEN_CODES = ["ECONNREFUSED", "ECONNRESET", "EPIPE"]

/** Classifies this error. */
export const failedBy = (error: SqlError.SqlError): Failed => {
  const state = sqlState(error)
  const code = codeOf(error.reason.cause)
  const isBroken =
    state === undefined ? code === undefined || BROKEN_CODES.includes(code) : BROKEN_STATES.includes(state)
  return { kind: isBroken ? "broken" : "elsewhere", why: meaning(error), ...(state === undefined ? {} : { state }) }
}

/** Opens a new connection and writes to the disk; the write leaves no data. */
const write = (port: number, password: Redacted.Redacted) =>
  Effect.scoped(
    Effect.flatMap(PgConnection.make({ ...at(port, password), connectTimeout: "30 seconds" }), (connection) =>
      connection.query("select pg_logical_emit_message(true, 'switchyard', 'look')::text")
    )
  )

/** Tries the database once; null if it works, or if this process was too busy to judge. */
export const look = Effect.fn("PostgresWatch.look")(function* (
  port: number,
  password: Redacted.Redacted
): Effect.fn.Return<Failed | null> {
  const began = yield* Clock.currentTimeMillis
  const failed = yield* write(port, password).pipe(
    Effect.timeoutOrElse({
      duration: PATIENCE_MS,
      orElse: () => Effect.fail<Failed>({ kind: "silent", why: "no answer" })
    }),
    Effect.match({
      onSuccess: () => null,
      onFailure: (error): Failed => (SqlError.isSqlError(error) ? failedBy(error) : error)
    })
  )
  const took = (yield* Clock.currentTimeMillis) - began
  // a timer that is this late shows that this process is slow, not the database
  return failed?.kind === "silent" && took > 2 * PATIENCE_MS ? null : failed
})

/** Consecutive failed looks, by kind. */
interface Row {
  readonly broken: number
  readonly silent: number
  readonly elsewhere: number
}

export const NO_FAILURES: Row = { broken: 0, silent: 0, elsewhere: 0 }

/** The row after another look. */
export const followedBy = (row: Row, failed: Failed | null): Row =>
  failed === null ? NO_FAILURES : { ...row, [failed.kind]: row[failed.kind] + 1 }

/** Whether a restart is due: a fault that a busy machine may cause must last twice as long. */
export const isDue = ({ broken, silent }: Row): boolean => 2 * broken + silent >= 6

/** Whether the fault is reported: a single failed look is not. */
export const isTold = ({ broken, elsewhere, silent }: Row): boolean => broken + silent + elsewhere >= 2

/** Milliseconds between restarts that did not help: zero at first, then longer each time. */
export const pauseAfter = (restarts: number): number =>
  restarts === 0 ? 0 : Math.min(60_000 * 2 ** (restarts - 1), 600_000)

/** Whether the process is one of PostgreSQL's on the data folder. */
const worksIn = async (pid: string, data: string): Promise<boolean> => {
  const [folder, command] = await Promise.all([
    fs.readlink(`/proc/${pid}/cwd`),
    fs.readFile(`/proc/${pid}/cmdline`, "utf8")
  ])
  return /^postgres\b|\/postgres\0/.test(command) && (await fs.realpath(data)) === folder
}

/** Ends processes that remain after their postmaster and would prevent the next start. Only Linux shows their folder. */
const endLeftovers = (data: string) =>
  Effect.promise(async () => {
    if (process.platform !== "linux") return
    for (const pid of (await fs.readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      // a process that has just ended, or that cannot be inspected, is not ours
      if (await worksIn(pid, data).catch(() => false)) process.kill(Number(pid), "SIGKILL")
    }
  }).pipe(Effect.ignoreCause)

interface Watched {
  readonly data: string
  readonly password: Redacted.Redacted
}

/** Stops a database that does not work at once; its keeper starts it again. */
const stopAtOnce = Effect.fnUntraced(function* (server: PostgresProcess.Server, { data }: Watched) {
  yield* Effect.logError("The embedded database is stopped, to be started again: it runs and does not work", {
    pid: server.pid
  })
  yield* PostgresProcess.end(server, data)
  yield* endLeftovers(data)
})

/** Milliseconds for which a database of an earlier server is tried again, by the kind of failure. */
const LEFT_PATIENCE_MS = { broken: 5_000, silent: 60_000 } as const

/**
 * Stops a database of an earlier server that has refused all connections for this long, if a restart repairs it; yields
 * true if it was stopped. A database with another answer, or on another port, may be in use by another program.
 */
export const stopIfStuck = Effect.fn("PostgresWatch.stopIfStuck")(function* (
  server: PostgresProcess.Server,
  place: Watched,
  refusedForMs: number
) {
  if (refusedForMs < LEFT_PATIENCE_MS.broken) return false
  const failed = yield* look(server.port, place.password)
  if (failed === null || failed.kind === "elsewhere") return false
  if (refusedForMs < LEFT_PATIENCE_MS[failed.kind] || (failed.kind === "broken" && failed.state === undefined))
    return false
  yield* stopAtOnce(server, place)
  return true
})

/** Watches the database until it is interrupted. `current` is the server in use. */
export const watch = Effect.fnUntraced(function* (place: Watched, current: () => PostgresProcess.Server | null) {
  const trouble = yield* EmbeddedTrouble
  let row = NO_FAILURES
  let [restarts, pid, notBefore] = [0, 0, 0]
  const once = Effect.gen(function* () {
    const server = current()
    const file = server === null ? null : yield* readPidFile(place.data)
    // a database that starts, recovers or stops is not tried
    if (server === null || file === null || file.pid !== server.pid || !file.isReady) return void (row = NO_FAILURES)
    if (server.pid !== pid) [row, pid] = [NO_FAILURES, server.pid]
    const failed = yield* look(server.port, place.password)
    row = followedBy(row, failed)
    if (failed === null) {
      if (trouble.sentence !== null) yield* Effect.logInfo("The embedded database works again")
      trouble.sentence = null
      if ((yield* Clock.currentTimeMillis) > notBefore) restarts = 0
      return
    }
    if (!isTold(row)) return
    const sentence = `the embedded database takes no new connection, or no write: ${failed.why}`
    if (trouble.sentence !== sentence) yield* Effect.logError(`Look at the database: ${sentence}`)
    trouble.sentence = sentence
    const now = yield* Clock.currentTimeMillis
    if (!isDue(row) || now < notBefore) return
    yield* stopAtOnce(server, place)
    restarts += 1
    notBefore = (yield* Clock.currentTimeMillis) + pauseAfter(restarts)
    row = NO_FAILURES
  })
  yield* Effect.ensuring(
    Effect.forever(Effect.andThen(Effect.sleep(EVERY), once)),
    Effect.sync(() => (trouble.sentence = null))
  )
})
