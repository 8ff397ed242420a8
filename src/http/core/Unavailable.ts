/**
 * What becomes of database errors in handlers: a database that is away is 503, a deadlock is tried again and then 503
 * as well, and everything else is a defect of ours, which is logged and answered with 500.
 */
import { Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Availability } from "../../api/Authorization.ts"
import { ServiceUnavailable } from "../../api/Failures.ts"

const AWAY: ReadonlySet<string> = new Set([
  "ConnectionError",
  "AuthenticationError",
  "LockTimeoutError",
  "StatementTimeoutError"
])
const COLLIDED: ReadonlySet<string> = new Set(["DeadlockError", "SerializationError"])

const isSqlError = (error: unknown): error is SqlError.SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** Answers 503 when the database is away; other database errors are defects. */
export const answered = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    effect,
    (error): error is E & SqlError.SqlError => isSqlError(error),
    (error) => {
      if (!AWAY.has(error.reason._tag) && !COLLIDED.has(error.reason._tag)) return Effect.die(error)
      const refusal = new ServiceUnavailable({ message: "The database is not available, try again later" })
      return Effect.andThen(
        Effect.logWarning("The database does not answer", { reason: error.reason._tag }),
        Effect.fail(refusal)
      )
    }
  )

/** Runs the effect in one transaction, again when it met another one in a deadlock; at most nine times. */
export const transaction = Effect.map(
  Effect.service(SqlClient.SqlClient),
  (sql) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
      sql.withTransaction(effect).pipe(
        Effect.retry({
          times: 8,
          while: (error) => isSqlError(error) && COLLIDED.has(error.reason._tag),
          schedule: Schedule.jittered(Schedule.exponential("10 millis"))
        })
      )
)

/** Lets handlers answer 503. */
export const AvailabilityLive = Layer.succeed(Availability, (httpEffect) => httpEffect)
