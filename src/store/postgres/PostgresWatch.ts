/**
 * Whether the embedded database works, by what it can do: a process that runs proves nothing. PostgreSQL whose shared memory was removed (by
 * systemd's RemoveIPC, for one) serves the connections that it has and refuses every new one, for ever. So a new connection and a write are
 * tried every few seconds, and a database that fails again and again, for a reason that a new start mends, is started again.
 */
import { PgConnection } from "@effect/sql-pg"
import { Clock, Context, Effect, type Redacted } from "effect"
import { SqlError } from "effect/sql"
import * as fs from "node:fs/promises"
import { codeOf } from "../../runtime/SystemErrors.ts"
import { meaning, sqlState } from "../DatabaseErrors.ts"
import { at, readPidFile } from "./Postmaster.ts"
import * as PostgresProcess from "./PostgresProcess.ts"

/** What is wrong with the embedded database of this process, in words; null while it works or there is none. */
export class EmbeddedTrouble extends Context.Reference<{ sentence: string | null }>(
  "switchyard/store/EmbeddedTrouble",
  {
    defaultValue: () => ({ sentence: null })
  }
) {}

const EVERY = "5 seconds"
const PATIENCE_MS = 5_000

/**
 * How a look has failed: `broken` is what a new start mends, `silent` the same if it lasts, for which a busy machine may be the reason, and
 * `elsewhere` what no start mends, such as a full disk.
 */
export interface Failed {
  readonly kind: "broken" | "silent" | "elsewhere"
  readonly why: string
  /** What PostgreSQL has answered; nothing when it has not. */
  readonly state?: string
}

/** States of PostgreSQL that a new start mends: memory or files that its processes share are not there, or it is confused. */
const BROKEN_STATES = ["58P01", "58P02", "58000", "XX000"]

/** Codes of the system by which a connection to this machine fails when PostgreSQL does not listen, or hangs up. */
const BROKEN_CODES = ["ECONNREFUSED", "ECONNRESET", "EPIPE"]

/** How this error is to be taken. */
export const failedBy = (error: SqlError.SqlError): Failed => {
  const state = sqlState(error)
  const code = codeOf(error.reason.cause)
  const isBroken =
    state === undefined ? code === undefined || BROKEN_CODES.includes(code) : BROKEN_STATES.includes(state)
  return { kind: isBroken ? "broken" : "elsewhere", why: meaning(error), ...(state === undefined ? {} : { state }) }
}

/** A new connection and a write that is on the disk; nothing of it stays. */
const write = (port: number, password: Redacted.Redacted) =>
  Effect.scoped(
    Effect.flatMap(PgConnection.make({ ...at(port, password), connectTimeout: "30 seconds" }), (connection) =>
      connection.query("select pg_logical_emit_message(true, 'switchyard', 'look')::text")
    )
  )

/** Tries the database once; null when it works, and when this process was too busy to say. */
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
  // a timer that is late by so much tells of this process, not of the database
  return failed?.kind === "silent" && took > 2 * PATIENCE_MS ? null : failed
})

/** Looks that failed in a row, by their kind. */
export interface Row {
  readonly broken: number
  readonly silent: number
  readonly elsewhere: number
}

export const NO_FAILURES: Row = { broken: 0, silent: 0, elsewhere: 0 }

/** The row with one look more. */
export const followedBy = (row: Row, failed: Failed | null): Row =>
  failed === null ? NO_FAILURES : { ...row, [failed.kind]: row[failed.kind] + 1 }

/** Whether a new start is due: what may be a busy machine has to last for twice as long. */
export const isDue = ({ broken, silent }: Row): boolean => 2 * broken + silent >= 6

/** Whether it is told that something is wrong: once is nothing. */
export const isTold = ({ broken, elsewhere, silent }: Row): boolean => broken + silent + elsewhere >= 2

/** Milliseconds after a new start in which there is no other, when it has not helped: the first at once, then longer and longer. */
export const pauseAfter = (restarts: number): number =>
  restarts === 0 ? 0 : Math.min(60_000 * 2 ** (restarts - 1), 600_000)

/** Whether the process works in the data folder as one of PostgreSQL's. */
const worksIn = async (pid: string, data: string): Promise<boolean> => {
  const [folder, command] = await Promise.all([
    fs.readlink(`/proc/${pid}/cwd`),
    fs.readFile(`/proc/${pid}/cmdline`, "utf8")
  ])
  return /^postgres\b|\/postgres\0/.test(command) && (await fs.realpath(data)) === folder
}

/** Ends processes that a postmaster has left behind, which would keep the next one from starting. Only Linux shows where they work. */
const endLeftovers = (data: string) =>
  Effect.promise(async () => {
    if (process.platform !== "linux") return
    for (const pid of (await fs.readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      // one that has ended meanwhile, or that nobody may look at, is none of ours
      if (await worksIn(pid, data).catch(() => false)) process.kill(Number(pid), "SIGKILL")
    }
  }).pipe(Effect.ignoreCause)

interface Watched {
  readonly data: string
  readonly password: Redacted.Redacted
}

/** Stops a database that does not work, at once; whoever keeps it running starts it again. */
const stopAtOnce = Effect.fnUntraced(function* (server: PostgresProcess.Server, { data }: Watched) {
  yield* Effect.logError("The embedded database is stopped, to be started again: it runs and does not work", {
    pid: server.pid
  })
  yield* PostgresProcess.end(server, data)
  yield* endLeftovers(data)
})

/** Milliseconds for which one that an earlier server has left behind is asked again, by what it answers. */
const LEFT_PATIENCE_MS = { broken: 5_000, silent: 60_000 } as const

/**
 * Stops a database that an earlier server has left behind and that has let nobody in for so long, when a new start mends that; yields
 * whether it did. One that answers otherwise, or does not listen where we look, may be in use by somebody else.
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

/** Looks at the database until it is interrupted. `current` is the server that is used now. */
export const watch = Effect.fnUntraced(function* (place: Watched, current: () => PostgresProcess.Server | null) {
  const trouble = yield* EmbeddedTrouble
  let row = NO_FAILURES
  let [restarts, pid, notBefore] = [0, 0, 0]
  const once = Effect.gen(function* () {
    const server = current()
    const file = server === null ? null : yield* readPidFile(place.data)
    // one that starts, recovers or stops is not asked
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
