/**
 * How long the database may take to answer. A connection can fall silent without being closed, as when a firewall forgets it
 * or the other machine loses its power; the driver would wait for hours, and so would every job that shares the pool
 * (promise 8). What is not answered in time is cancelled, its connection is given up, and the error says that the database
 * is away.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Exit, Fiber, Option } from "effect"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { statementsActive, statementSeconds, statementsFailed } from "../runtime/metrics/DatabaseMetrics.ts"
import { secondsSince } from "../runtime/metrics/Family.ts"

/** A minute is more than any statement of ours takes on a machine that is not itself in trouble. */
const AnswerTime = Context.Reference<Duration.Duration>("switchyard/store/AnswerTime", {
  defaultValue: () => Duration.minutes(1)
})

/** Runs work whose statements may take so long: infinity for those that rebuild tables. */
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

/** A statement that is being answered. */
interface Pending {
  readonly deadline: number
  readonly giveUp: () => void
}

const LOOK_EVERY_MILLIS = 500

/** The statements of one client, looked at by one timer: a timer and a race for each would take half as long as the statement. */
const makeWatch = () => {
  const pending = new Set<Pending>()
  let isLooking = false
  const lookLater = () => void setTimeout(look, LOOK_EVERY_MILLIS).unref()
  const look = () => {
    const now = performance.now()
    for (const statement of pending) if (statement.deadline <= now) statement.giveUp()
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
    /** Says whether the statement was still waited for. */
    remove: (statement: Pending): boolean => pending.delete(statement)
  }
}

/** Runs a statement until it is answered or late. */
type InTime = <A>(statement: Effect.Effect<A, SqlError.SqlError>) => Effect.Effect<A, SqlError.SqlError>

/**
 * On a fiber of its own, which is left behind when it is silent: a COMMIT must not be interrupted by whoever waits for it,
 * but its silence has to end.
 */
const makeInTime = (): InTime => {
  const watch = makeWatch()
  const watched = <A>(
    statement: Effect.Effect<A, SqlError.SqlError>,
    time: Duration.Duration,
    asking: Fiber.Fiber<unknown, unknown>
  ) =>
    Effect.callback<A, SqlError.SqlError>((resume) => {
      const answering = Effect.runForkWith(asking.context)(statement)
      const pending: Pending = {
        deadline: performance.now() + Duration.toMillis(time),
        giveUp: () => {
          watch.remove(pending)
          resume(Effect.fail(silent(time)))
          answering.interruptUnsafe()
        }
      }
      const began = performance.now()
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
  return (statement) =>
    Effect.withFiber((asking) => {
      const time = asking.getRef(AnswerTime)
      return Duration.isFinite(time) ? watched(statement, time, asking) : statement
    })
}

/** The connection, on which each statement is answered in time or fails. */
const answering = (inner: SqlConnection.Connection, inTime: InTime): SqlConnection.Connection => ({
  execute: (...statement) => inTime(inner.execute(...statement)),
  executeRaw: (...statement) => inTime(inner.executeRaw(...statement)),
  executeStream: (...statement) => inner.executeStream(...statement),
  executeValues: (...statement) => inTime(inner.executeValues(...statement)),
  executeValuesUnprepared: (...statement) => inTime(inner.executeValuesUnprepared(...statement)),
  executeUnprepared: (...statement) => inTime(inner.executeUnprepared(...statement))
})

const pooledBy = (inner: PgClient.PgClient, inTime: InTime): SqlConnection.Connection => ({
  execute: (text, values) => inTime(inner.unsafe(text, values)),
  executeRaw: (text, values) => inTime(inner.unsafe(text, values).raw),
  executeStream: (text, values) => inner.unsafe(text, values).stream,
  executeValues: (text, values) => inTime(inner.unsafe(text, values).values),
  executeValuesUnprepared: (text, values) => inTime(inner.unsafe(text, values).valuesUnprepared),
  executeUnprepared: (text, values) => inTime(inner.unsafe(text, values).unprepared)
})

/** Any connection of the client's pool for each statement, which is answered in time or fails; takes none for longer. */
export const pooled = (inner: PgClient.PgClient): SqlConnection.Connection => pooledBy(inner, makeInTime())

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

/** The client with connections and transactions that are answered in time or fail; `inner` keeps its pool and its codecs. */
export const make = (inner: PgClient.PgClient): PgClient.PgClient => {
  const { transactionService } = inner
  const inTime = makeInTime()
  const reserve = Effect.map(inner.reserve, (connection) => answering(connection, inTime))
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
