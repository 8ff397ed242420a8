/**
 * The database as the whole server uses it: the client of `@effect/sql-pg`, with what happens when the database is away
 * decided once (promises 3, 4 and 8). Its errors are retryable then, whatever the driver calls them, and a lost transaction
 * fails instead of dying. Work that was accepted, such as a job or a change of a device, waits until the database is back:
 * it runs inside `waitingForDatabase`. A request does not wait; it is answered with 503.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { databaseAway } from "../runtime/metrics/Metrics.ts"
import { rareRetry } from "../runtime/BackgroundWork.ts"
import * as AnswerTime from "./AnswerTime.ts"
import { BlockadeWatch, makeWatch } from "./ForeignLocks.ts"
import { failWhenAway, isDatabaseAway, isHeldUp } from "./DatabaseErrors.ts"
import { Acting, server } from "../domain/access/Identity.ts"

/** Whether statements of this fiber wait for a database that is away. */
const WaitsForDatabase = Context.Reference<boolean>("switchyard/store/WaitsForDatabase", { defaultValue: () => false })

/**
 * Runs work that must not end because the database is away. Each statement outside a transaction is sent again until it is
 * answered, so it may be done twice when only its answer was lost; a transaction is done once.
 */
export const waitingForDatabase = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, WaitsForDatabase, true)

/** Runs work that is told at once when the database is away, for whomever it is done. */
export const failingWithoutDatabase = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, WaitsForDatabase, false)

/** After so long without a word a connection is probed. */
const KEEP_ALIVE = "20 seconds"

/** After so long without a word a transaction ends that nobody waits for. */
const PATIENT = "120s"

/** What PostgreSQL does about clients of its that fell silent: their locks would hold up everybody else for hours. */
const SESSION = {
  idle_in_transaction_session_timeout: PATIENT,
  tcp_keepalives_idle: "20",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "5"
}

const PAUSE = Schedule.jittered(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")]))

/** Two transactions met: nothing of this one was done, and another attempt may pass. */
const isCollision = ({ reason: { _tag } }: SqlError.SqlError): boolean =>
  _tag === "DeadlockError" || _tag === "SerializationError"

/** The same error under the name that says that asking again helps. */
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

/** Repeats work that the database did not answer, where the fiber waits for it, or always. */
const waitingBy =
  (retry: Retry, always = false): Retry =>
  (work) =>
    Effect.withFiber((fiber) => (always || fiber.getRef(WaitsForDatabase) ? rareRetry(work, retry) : work))

/** As statements wait, for work that shares statements with others. */
export const untilAnswered: Retry = waitingBy(Effect.retry({ while: isWorthWaiting, schedule: PAUSE }))

/** The same for statements; the first that waits and the first answer are logged. */
const makeWaiting = (always: boolean) => {
  let isAway = false
  const noticed = (error: unknown) =>
    Effect.suspend(() => {
      if (isAway || !SqlError.isSqlError(error) || !isDatabaseAway(error)) return Effect.void
      // whose lock it is was told once
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

/** Where a transaction stands after its COMMIT was not answered. */
type Ending = "committed" | "aborted" | "in progress"

/**
 * The client with these decisions; `inner` keeps its codecs and its transactions, and `pooled` sends statements that stand
 * alone. With `waitsAlways` its statements wait for whomever they are sent.
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

  /** What became of a transaction whose COMMIT was lost on the way: asked until it is known. */
  const endingOf = (id: string): Effect.Effect<Ending, SqlError.SqlError> =>
    // a standby does not know yet; once it is promoted, it does
    inner<{ status: Ending | null }>`select case when pg_is_in_recovery() then 'in progress'
      else pg_xact_status(${id}::xid8) end as status`.pipe(
      asClassified,
      Effect.map(([row]) => row?.status ?? "aborted"),
      Effect.repeat({ while: (status) => status === "in progress", schedule: Schedule.spaced("200 millis") }),
      waiting
    )

  /** A transaction whose changes are noted in the name of whoever acts. */
  const transacted = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    inner.withTransaction(
      Effect.withFiber((fiber) => {
        const acting = fiber.getRef(Acting)
        if (acting === server) return work
        return Effect.andThen(inner`select set_config('switchyard.acting', ${JSON.stringify(acting)}, true)`, work)
      })
    )

  /** A transaction that may have been committed although its COMMIT was not answered is not done again. */
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

/** Lets the transaction that is open be silent for longer, because it waits for more than the database. */
export const mayStandStill = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`select set_config('idle_in_transaction_session_timeout', ${PATIENT}, true)`
)

/** A pool of connections as a layer, with these decisions; startup parameters of `options` come before its own. */
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

/** The same client for the engine of jobs, which stores what it was given and must not lose it: its statements always wait. */
export const layerWaiting = Layer.effect(
  SqlClient.SqlClient,
  Effect.gen(function* () {
    const client = yield* PgClient.PgClient
    return make(client, AnswerTime.pooled(client, yield* BlockadeWatch), true)
  })
)

/** Lets everything that a layer builds wait for the database, such as the calls that an entity serves. */
export const layerWaits = Layer.succeed(WaitsForDatabase, true)

// The numbers of the database's advisory locks, all in one place: two works with one number would keep each other waiting.

export const locks = {
  /** Giving out addresses and links. */
  allocation: 4_201,
  /** Shared by all who call plugins; servers of 0.2 lock it for themselves, all plugins at once. */
  plugins: 4_202,
  /** The class of the locks of single plugins. */
  plugin: 4_203,
  /** The seed of the locks of single addresses, while records take them from others. */
  address: 4_204,
  /** The class of the locks of the tokens of one person, while one more is made. */
  tokens: 4_205,
  /** The commits in force: alone by who changes them, shared by who reads them for a job. */
  commits: 5_417_260,
  /** Sealing the audit, and removing from its beginning. */
  auditSealing: 5_417_280,
  /** Sending the audit elsewhere. */
  auditSending: 5_417_281,
  jobRemoval: 5_417_282,
  textPacking: 5_417_283,
  /** Beginning a round of removal and counting. */
  retentionRound: 5_417_284,
  eventRemoval: 5_417_285,
  /** Counting switches that nobody knows. */
  registration: 5_417_286,
  /** Making the first administrator. */
  setup: 5_417_290,
  /** Putting a backup back. */
  restore: 7_304_611
} as const

// Whether the database can be written: only a write shows that, because a standby and a full disk can still be read.

/** Writes the one row that is there for it. */
export const checkWritable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into written_check (one) values (true) on conflict (one) do update set written_at = now()`
}).pipe(Effect.withSpan("WrittenCheck.write"))
