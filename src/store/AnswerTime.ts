/**
 * The time limit for answers of the database. A connection can fall silent without being closed, for example if a firewall drops it
 * or the other machine loses power; the driver would wait for hours, and so would every job that shares the pool
 * (promise 8). A statement without an answer in time is cancelled, its connection is closed, and the error says that the database
 * is unreachable. A statement that waits for a foreign lock is cancelled sooner, and its error names the holder (`ForeignLocks.ts`).
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Exit, Fiber, Option } from "effect"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { secondsSince, statementsActive, statementSeconds, statementsFailed } from "../runtime/metrics/Metrics.ts"
import { type Blockade, BlockedByOther, type Watch } from "./ForeignLocks.ts"

/** A minute is longer than any of our statements takes on a healthy machine. */
const AnswerTime = Context.Reference<Duration.Duration>("switchyard/store/AnswerTime", {
  defaultValue: () => Duration.minutes(1)
})

/** Runs work with another time limit for its statements: infinity for statements that rebuild tables. */
export const answeringWithin =
  (time: Duration.Input) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(work, AnswerTime, Duration.fromInputUnsafe(time))

const silent = (time: Duration.Duration) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause: new Error("silent connection"),
      message: `The database has not answered for ${Duration.format(time)}`,
      operation: "query"
    })
  })

/** The error of a statement that waits for a foreign lock; also for a caller whose statements are sent by another fiber. */
export const blocked = ({ sentence }: Pick<Blockade, "sentence">) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause: new BlockedByOther(sentence),
      message: `The database waits: ${sentence}`,
      operation: "query"
    })
  })

/** A statement that waits for its answer or for a connection. */
interface Pending {
  readonly text: string
  /** Whether it may wait for a connection of the pool. */
  readonly isPooled: boolean
  readonly began: number
  readonly deadline: number
  readonly giveUp: (error: SqlError.SqlError) => void
}

const LOOK_EVERY_MILLIS = 500

/** Statements that take longer may be blocked, so the watch looks for a blocker. */
const LONG_MILLIS = 1_500
/** The time that a statement waits for a foreign lock: an ordinary manual change has ended by then. */
const BLOCKED_MILLIS = 5_000
/** The same once this lock has proved lasting: the connections are needed for other statements. */
const BLOCKED_STILL_MILLIS = 1_000
/** The same for statements that do not visibly wait for the lock: most of them wait for a connection. */
const BESIDE_MILLIS = 10_000

/** Whether a statement is cancelled because of a foreign lock. */
const isHeldUp = ({ began, isPooled, text }: Pending, { isBlocked, since }: Blockade, now: number): boolean => {
  const blockedMillis = now - since >= BLOCKED_MILLIS ? BLOCKED_STILL_MILLIS : BLOCKED_MILLIS
  if (isBlocked(text)) return now - began >= blockedMillis
  return isPooled && now - began >= BESIDE_MILLIS
}

/** The statements of one client, with one shared timer: a timer and a race per statement would cost half as much time as the statement. */
const makeStatements = (others: Watch) => {
  const pending = new Set<Pending>()
  let isLooking = false
  const lookLater = () => void setTimeout(look, LOOK_EVERY_MILLIS).unref()
  const end = (statement: Pending, now: number, blockade: Blockade | null) => {
    if (statement.deadline <= now) statement.giveUp(silent(Duration.millis(statement.deadline - statement.began)))
    // work without a time limit, such as a migration, also waits for foreign locks
    else if (blockade !== null && statement.deadline < Infinity && isHeldUp(statement, blockade, now)) {
      statement.giveUp(blocked(blockade))
    }
  }
  const look = () => {
    const now = performance.now()
    const blockade = others.blockade()
    let isLong = false
    for (const statement of pending) {
      end(statement, now, blockade)
      isLong ||= now - statement.began >= (blockade === null ? LONG_MILLIS : BLOCKED_STILL_MILLIS)
    }
    if (isLong) others.look()
    isLooking = pending.size > 0
    if (isLooking) lookLater()
  }
  return {
    add: (statement: Pending): void => {
      pending.add(statement)
      if (isLooking) return
      isLooking = true
      lookLater()
    },
    /** Returns whether the statement was still pending. */
    remove: (statement: Pending): boolean => pending.delete(statement)
  }
}

/** Runs a statement until its answer or its time limit; its text identifies the waiting session. */
type InTime = <A, R>(
  statement: Effect.Effect<A, SqlError.SqlError, R>,
  text: string,
  isPooled: boolean
) => Effect.Effect<A, SqlError.SqlError, R>

/**
 * Runs each statement on its own fiber, which is abandoned if it stays silent: a caller must not interrupt a COMMIT,
 * but its silence must end.
 */
const makeInTime = (others: Watch): InTime => {
  const watch = makeStatements(others)
  const watched = <A, R>(
    statement: Effect.Effect<A, SqlError.SqlError, R>,
    text: string,
    isPooled: boolean,
    time: Duration.Duration,
    context: Context.Context<R>
  ) =>
    Effect.callback<A, SqlError.SqlError>((resume) => {
      const answering = Effect.runForkWith(context)(statement)
      const began = performance.now()
      const pending: Pending = {
        text,
        isPooled,
        began,
        deadline: began + Duration.toMillis(time),
        giveUp: (error) => {
          watch.remove(pending)
          resume(Effect.fail(error))
          answering.interruptUnsafe()
        }
      }
      watch.add(pending)
      statementsActive.add(1)
      answering.addObserver((exit) => {
        statementsActive.add(-1)
        statementSeconds.record(secondsSince(began))
        if (Exit.isFailure(exit)) statementsFailed.add(1)
        if (watch.remove(pending)) resume(exit)
      })
      return Effect.suspend(() => {
        watch.remove(pending)
        return Fiber.interrupt(answering)
      })
    })
  /** A statement without a time limit stays on the caller's fiber; its blocker is still reported. */
  const unhurried = <A, R>(statement: Effect.Effect<A, SqlError.SqlError, R>, text: string) =>
    Effect.suspend(() => {
      const pending = { text, isPooled: false, began: performance.now(), deadline: Infinity, giveUp: () => undefined }
      watch.add(pending)
      return Effect.ensuring(
        statement,
        Effect.sync(() => watch.remove(pending))
      )
    })
  return <A, R>(statement: Effect.Effect<A, SqlError.SqlError, R>, text: string, isPooled: boolean) =>
    Effect.contextWith((context: Context.Context<R>) =>
      Effect.withFiber((asking) => {
        const time = asking.getRef(AnswerTime)
        return Duration.isFinite(time) ? watched(statement, text, isPooled, time, context) : unhurried(statement, text)
      })
    )
}

/** The connection, on which each statement is answered in time or fails. */
const answering = (inner: SqlConnection.Connection, inTime: InTime): SqlConnection.Connection => ({
  execute: (text, ...rest) => inTime(inner.execute(text, ...rest), text, false),
  executeRaw: (text, ...rest) => inTime(inner.executeRaw(text, ...rest), text, false),
  executeStream: (...statement) => inner.executeStream(...statement),
  executeValues: (text, ...rest) => inTime(inner.executeValues(text, ...rest), text, false),
  executeValuesUnprepared: (text, ...rest) => inTime(inner.executeValuesUnprepared(text, ...rest), text, false),
  executeUnprepared: (text, ...rest) => inTime(inner.executeUnprepared(text, ...rest), text, false)
})

const pooledBy = (inner: PgClient.PgClient, inTime: InTime): SqlConnection.Connection => ({
  execute: (text, values) => inTime(inner.unsafe(text, values), text, true),
  executeRaw: (text, values) => inTime(inner.unsafe(text, values).raw, text, true),
  executeStream: (text, values) => inner.unsafe(text, values).stream,
  executeValues: (text, values) => inTime(inner.unsafe(text, values).values, text, true),
  executeValuesUnprepared: (text, values) => inTime(inner.unsafe(text, values).valuesUnprepared, text, true),
  executeUnprepared: (text, values) => inTime(inner.unsafe(text, values).unprepared, text, true)
})

/** Sends each statement on any connection of the client's pool, with the time limit, and returns the connection at once. */
export const pooled = (inner: PgClient.PgClient, others: Watch): SqlConnection.Connection =>
  pooledBy(inner, makeInTime(others))

/** PostgreSQL answers the COMMIT of a transaction that has failed with ROLLBACK. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    typeof result === "object" && result !== null && "command" in result && result.command === "ROLLBACK"
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: new Error("rolled back"),
              message: "The database has rolled back a transaction that was to be committed",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )

const control = (connection: SqlConnection.Connection, statement: string) =>
  Effect.asVoid(connection.execute(statement, [], undefined))

/** The client with the time limit on connections and transactions; `inner` keeps its pool and its codecs. */
export const make = (inner: PgClient.PgClient, others: Watch): PgClient.PgClient => {
  const { transactionService } = inner
  const inTime = makeInTime(others)
  const reserve = Effect.map(inTime(inner.reserve, "", true), (connection) => answering(connection, inTime))
  const single = pooledBy(inner, inTime)
  const acquirer = Effect.map(Effect.serviceOption(transactionService), (open) =>
    Option.isSome(open) ? open.value[0] : single
  )
  const withTransaction = SqlClient.makeWithTransaction({
    transactionService,
    spanAttributes: [["db.system.name", "postgresql"]],
    acquireConnection: (restore) => restore(reserve),
    begin: (connection, statement = "BEGIN") => control(connection, statement),
    savepoint: (connection, id) => control(connection, `SAVEPOINT effect_sql_${id}`),
    releaseSavepoint: (connection, id) => control(connection, `RELEASE SAVEPOINT effect_sql_${id}`),
    commit,
    rollback: (connection) => control(connection, "ROLLBACK"),
    rollbackSavepoint: (connection, id) => control(connection, `ROLLBACK TO SAVEPOINT effect_sql_${id}`)
  })
  const borrower: SqlConnection.Borrower = (use) => Effect.flatMap(acquirer, use)
  const statements = Statement.make(acquirer, PgClient.makeCompiler(), [], undefined, borrower)
  const client: PgClient.PgClient = Object.assign(statements, inner, { ...statements, reserve, withTransaction })
  return Object.assign(client, { safe: client, withoutTransforms: () => client })
}
