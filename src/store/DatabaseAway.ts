/**
 * What it means that the database is away: it does not answer, or answers that it cannot work now, as no healthy database
 * of ours ever would. Such an error says nothing about the request or the job that met it: both may ask again. Decided
 * here, once, for all callers. `@effect/sql-pg` knows too little of it: it calls most of these states unknown, and a
 * connection that is lost inside a transaction becomes a defect, because the ROLLBACK dies.
 */
import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql"
import { ownFault } from "../runtime/SystemErrors.ts"
import * as DatabaseTls from "./DatabaseTls.ts"
import { BlockedByOther } from "./ForeignLocks.ts"

/** SQLSTATEs, or classes of them by their first two characters, and what they mean (PostgreSQL 18, appendix A). */
export const AWAY_STATES: Readonly<Record<string, string>> = {
  "08": "connection exception",
  "25006": "read-only: in recovery, a standby, or set so by somebody",
  "25P03": "connection ended: idle in a transaction for too long",
  "25P04": "connection ended: transaction took too long",
  "28": "login refused: password or access rules are being changed",
  "42501": "the user of the database may not: rights of our tables were taken away",
  "3D000": "database missing: it is being restored",
  "53": "out of disk, memory, connections or another resource",
  "55P03": "lock not available in the time that the database allows",
  "57": "stopped, starting, in recovery, or cancelled by an operator",
  "58": "error of the system below: input, output, missing file",
  XX001: "damaged data",
  XX002: "damaged index"
}

/** States of these classes that say more than their class. */
const EXACTLY: Readonly<Record<string, string>> = {
  "53100": "the disk of the database is full",
  "53200": "the database has no memory left",
  "53300": "the database takes no further connection: others have all of them",
  "53400": "a limit of the database's configuration is reached",
  "58000": "the system below the database gives an error, such as memory that is not there any more",
  "58030": "the disk of the database does not read or write",
  "58P01": "a file of the database is missing, or memory that its processes share"
}

/** The SQLSTATE that PostgreSQL has given, if the error is one of its answers. */
export const sqlState = (error: SqlError.SqlError): string | undefined => {
  const { cause } = error.reason
  if (typeof cause !== "object" || cause === null || !("code" in cause)) return undefined
  const { code } = cause
  // errors of sockets have a code too, such as ECONNREFUSED
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** Whether the database is away; what was asked may be asked again when it is back. */
export const isDatabaseAway = (error: SqlError.SqlError): boolean => {
  const { _tag, operation } = error.reason
  if (_tag === "ConnectionError" || operation === "connect") return true
  const state = sqlState(error)
  return state !== undefined && (state in AWAY_STATES || state.slice(0, 2) in AWAY_STATES)
}

/** Whether a lock of somebody else holds the statement up; `meaning` names who has it. */
export const isHeldUp = ({ reason }: SqlError.SqlError): boolean => reason.cause instanceof BlockedByOther

/** What an error of the database means to an operator: in our own words, without the statement, which the log has. */
export const meaning = (error: SqlError.SqlError): string => {
  const { _tag, cause, operation } = error.reason
  if (cause instanceof BlockedByOther) return cause.sentence
  const state = sqlState(error)
  const ofTls = DatabaseTls.meaning(cause)
  if (ofTls !== undefined) return state === undefined ? ofTls : `${ofTls} (SQLSTATE ${state})`
  if (state !== undefined) {
    return `${EXACTLY[state] ?? AWAY_STATES[state] ?? AWAY_STATES[state.slice(0, 2)] ?? "refused"} (SQLSTATE ${state})`
  }
  const own = ownFault(cause, "connection")
  if (own !== undefined) return own.message
  return _tag === "ConnectionError" || operation === "connect" ? "no connection" : "the answer cannot be used"
}

/** How deep the error of the database may lie: the engine of jobs wraps what its storage met. */
const DEPTH = 4

const sqlErrorIn = (thrown: unknown, depth = DEPTH): SqlError.SqlError | undefined => {
  if (SqlError.isSqlError(thrown)) return thrown
  return depth > 0 && thrown instanceof Error ? sqlErrorIn(thrown.cause, depth - 1) : undefined
}

/** The error that shows that the database is away, wherever it stands in the cause: as a failure or as a defect. */
export const databaseAwayIn = (cause: Cause.Cause<unknown>): SqlError.SqlError | undefined => {
  for (const reason of cause.reasons) {
    // a failure that has such a cause says by itself what it means
    const found = Cause.isFailReason(reason)
      ? sqlErrorIn(reason.error, 0)
      : sqlErrorIn(Cause.isDieReason(reason) ? reason.defect : undefined)
    if (found !== undefined && isDatabaseAway(found)) return found
  }
  return undefined
}

/**
 * Makes a failure of each defect that only says that the database is away. A transaction that is lost is rolled back, so
 * whatever else its cause holds did not happen; an interruption stays one.
 */
export const failWhenAway = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.catchCause(effect, (cause): Effect.Effect<never, E | SqlError.SqlError> => {
    const away = databaseAwayIn(cause)
    if (away === undefined) return Effect.failCause(cause)
    return Cause.hasInterrupts(cause) ? Effect.failCause(withoutDefects(cause)) : Effect.fail(away)
  })

const withoutDefects = <E>(cause: Cause.Cause<E>): Cause.Cause<E> =>
  Cause.fromReasons(cause.reasons.filter(Cause.isInterruptReason))
