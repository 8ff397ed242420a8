/**
 * The database client of the whole server: the client of `@effect/sql-pg` with one rule for an unreachable database
 * (promises 3, 4 and 8). Its errors are then retryable, whatever the driver calls them, and a lost transaction
 * fails instead of dying. Accepted work, such as a job or a change of a device, waits until the database answers again:
 * it runs inside `waitingForDatabase`. A request does not wait; it is answered with 503.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import * as AnswerTime from "./AnswerTime.ts"
import { failWhenAway, isDatabaseAway, isHeldUp } from "./DatabaseErrors.ts"
import { BlockadeWatch, makeWatch } from "./ForeignLocks.ts"
import { Acting, server } from "../domain/access/Identity.ts"
import { databaseAway } from "../runtime/metrics/Metrics.ts"
import { rareRetry } from "../runtime/BackgroundWork.ts"

/** Whether statements of this fiber wait for an unreachable database. */
const WaitsForDatabase = Context.Reference<boolean>("switchyard/store/WaitsForDatabase", { defaultValue: () => false })

/**
 * Runs work that must not end because the database is unreachable. Each statement outside a transaction is sent again until it is
 * answered, so it may run twice if only its answer was lost; a transaction runs once.
 */
export const waitingForDatabase = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, WaitsForDatabase, true)

/** Runs work that fails at once if the database is unreachable, also inside `waitingForDatabase`. */
export const failingWithoutDatabase = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, WaitsForDatabase, false)

/** A connection that is silent for this long is probed. */
const KEEP_ALIVE = "20 seconds"

/** PostgreSQL ends a transaction that is idle for this long. */
const PATIENT = "120s"

/** Settings by which PostgreSQL ends silent clients: their locks would block all others for hours. */
const SESSION = {
  idle_in_transaction_session_timeout: PATIENT,
  tcp_keepalives_idle: "20",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "5"
}

const PAUSE = Schedule.jittered(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")]))

/** Two transactions collided: this one had no effect, and another attempt may succeed. */
const isCollision = ({ reason: { _tag } }: SqlError.SqlError): boolean =>
  _tag === "DeadlockError" || _tag === "SerializationError"

/** The same error under a name that marks it as retryable. */
const classified = (error: SqlError.SqlError): SqlError.SqlError =>
  error.isRetryable || !isDatabaseAway(error)
    ? error
    : new SqlError.SqlError({
        reason: new SqlError.ConnectionError({
          cause: error.reason.cause,
          message: error.message,
          operation: error.reason.operation ?? "query"
        })
      })

const asClassified = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.catchIf(
    work,
    (error): error is E & SqlError.SqlError => SqlError.isSqlError(error),
    (error) => Effect.fail(classified(error))
  )

const isWorthWaiting = (error: unknown) => SqlError.isSqlError(error) && (isDatabaseAway(error) || isCollision(error))

type Retry = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Repeats work that the database did not answer, if the fiber waits for the database, or always. */
const waitingBy =
  (retry: Retry, always = false): Retry =>
  (work) =>
    Effect.withFiber((fiber) => (always || fiber.getRef(WaitsForDatabase) ? rareRetry(work, retry) : work))

/** The same retry rule for work that shares statements. */
export const untilAnswered: Retry = waitingBy(Effect.retry({ while: isWorthWaiting, schedule: PAUSE }))

/** The same for statements; the first waiting statement and the first answer are logged. */
const makeWaiting = (always: boolean) => {
  let isAway = false
  const noticed = (error: unknown) =>
    Effect.suspend(() => {
      if (isAway || !SqlError.isSqlError(error) || !isDatabaseAway(error)) return Effect.void
      // the watch has already logged the lock's holder
      if (isHeldUp(error)) return Effect.void
      isAway = true
      databaseAway.add(1)
      return Effect.logWarning("The database is away: work waits for it", { error: error.message })
    })
  const answered = Effect.suspend(() => {
    if (!isAway) return Effect.void
    isAway = false
    return Effect.logInfo("The database is back")
  })
  const retry: Retry = (work) =>
    work.pipe(
      Effect.tapError(noticed),
      Effect.retry({ while: isWorthWaiting, schedule: PAUSE }),
      Effect.tap(() => answered)
    )
  return waitingBy(retry, always)
}

/** The state of a transaction whose COMMIT was not answered. */
type Ending = "committed" | "aborted" | "in progress"

/**
 * The client with these rules; `inner` keeps its codecs and its transactions, and `pooled` sends statements outside
 * transactions. With `waitsAlways` its statements wait for every caller.
 */
export const make = (
  inner: PgClient.PgClient,
  pooled: SqlConnection.Connection,
  waitsAlways = false
): PgClient.PgClient => {
  const { transactionService } = inner
  const waiting = makeWaiting(waitsAlways)

  const onConnection: SqlConnection.Borrower = (use) =>
    Effect.withFiber((fiber) => {
      const open = Context.getOption(fiber.context, transactionService)
      return Option.isSome(open) ? asClassified(use(open.value[0])) : waiting(asClassified(use(pooled)))
    })
  const acquirer = Effect.map(Effect.serviceOption(transactionService), (open) =>
    Option.isSome(open) ? open.value[0] : pooled
  )

  /** Asks for the result of a transaction whose COMMIT was lost, until it is known. */
  const endingOf = (id: string): Effect.Effect<Ending, SqlError.SqlError> =>
    // a standby knows the result only after its promotion
    inner<{ status: Ending | null }>`select case when pg_is_in_recovery() then 'in progress'
      else pg_xact_status(${id}::xid8) end as status`.pipe(
      asClassified,
      Effect.map(([row]) => row?.status ?? "aborted"),
      Effect.repeat({ while: (status) => status === "in progress", schedule: Schedule.spaced("200 millis") }),
      waiting
    )

  /** A transaction whose changes are recorded under the name of the actor. */
  const transacted = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    inner.withTransaction(
      Effect.withFiber((fiber) => {
        const acting = fiber.getRef(Acting)
        if (acting === server) return work
        return Effect.andThen(inner`select set_config('switchyard.acting', ${JSON.stringify(acting)}, true)`, work)
      })
    )

  /** Does not repeat a transaction that may have been committed although its COMMIT was not answered. */
  const once = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.suspend(() => {
      let done: { readonly value: A; readonly id: string | null } | undefined
      const body = Effect.gen(function* () {
        const value = yield* work
        const [row] = yield* inner<{ id: string | null }>`select pg_current_xact_id_if_assigned()::text as id`
        done = { value, id: row?.id ?? null }
        return value
      })
      const settled = (error: E | SqlError.SqlError) => {
        if (done === undefined || done.id === null) return Effect.fail(error)
        const { id, value } = done
        return Effect.flatMap(endingOf(id), (ending) =>
          ending === "committed" ? Effect.succeed(value) : Effect.fail(error)
        )
      }
      return Effect.catch(asClassified(failWhenAway(transacted(body))), settled)
    })

  const withTransaction = <R, E, A>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.flatMap(Effect.serviceOption(transactionService), (open) =>
      Effect.withFiber((fiber) => {
        if (Option.isSome(open)) return asClassified(inner.withTransaction(work))
        if (waitsAlways || fiber.getRef(WaitsForDatabase)) return waiting(once(work))
        return asClassified(failWhenAway(transacted(work)))
      })
    )

  const statements = Statement.make(acquirer, PgClient.makeCompiler(), [], undefined, onConnection)
  const client: PgClient.PgClient = Object.assign(statements, inner, { ...statements, withTransaction })
  return Object.assign(client, { safe: client, withoutTransforms: () => client })
}

/** Allows the open transaction to be idle for longer, because it waits for other work than the database's. */
export const mayStandStill = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select set_config('idle_in_transaction_session_timeout', ${PATIENT}, true)`
)

/** A pool of connections as a layer, with these rules; startup parameters of `options` win over the defaults. */
export const layer = (options: PgClient.PgPoolConfig) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const session: PgClient.PgPoolConfig = {
        ...options,
        keepAlive: KEEP_ALIVE,
        startupParameters: { ...SESSION, ...options.startupParameters }
      }
      const watch = yield* makeWatch(session)
      const client = Effect.map(PgClient.make(session), (inner) =>
        make(AnswerTime.make(inner, watch), AnswerTime.pooled(inner, watch))
      )
      return Layer.merge(PgClient.layerFrom(client), Layer.succeed(BlockadeWatch, watch))
    })
  )

/** The same client for the job engine, which must not lose accepted work: its statements always wait. */
export const layerWaiting = Layer.effect(
  SqlClient.SqlClient,
  Effect.gen(function* () {
    const client = yield* PgClient.PgClient
    return make(client, AnswerTime.pooled(client, yield* BlockadeWatch), true)
  })
)

/** Makes all work of a layer wait for the database, such as the calls that an entity serves. */
export const layerWaits = Layer.succeed(WaitsForDatabase, true)

// The numbers of all advisory locks of the database in one place: two tasks with the same number would block each other.

export const locks = {
  /** Allocation of addresses and links. */
  allocation: 4_201,
  /** Shared by all callers of plugins; servers of 0.2 lock it exclusively, for all plugins at once. */
  plugins: 4_202,
  /** The class of the locks of single plugins. */
  plugin: 4_203,
  /** The seed of the locks of single addresses, while a record takes one from another record. */
  address: 4_204,
  /** The class of the locks of one person's tokens, while another token is created. */
  tokens: 4_205,
  /** The commits in force: exclusive for changes, shared for reads on behalf of a job. */
  commits: 5_417_260,
  /** Sealing the audit, and removing its oldest entries. */
  auditSealing: 5_417_280,
  /** Sending the audit to another system. */
  auditSending: 5_417_281,
  jobRemoval: 5_417_282,
  textPacking: 5_417_283,
  /** Beginning a round of removal and counting. */
  retentionRound: 5_417_284,
  eventRemoval: 5_417_285,
  /** Counting unknown switches. */
  registration: 5_417_286,
  /** Creating the first administrator. */
  setup: 5_417_290,
  /** Restoring a backup. */
  restore: 7_304_611
} as const

// Whether the database accepts writes. Only a write shows that: a standby, or a server with a full disk, still answers reads.

/** Writes the one row of this check. */
export const checkWritable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into written_check (one) values (true) on conflict (one) do update set written_at = now()`
}).pipe(Effect.withSpan("WrittenCheck.write"))
