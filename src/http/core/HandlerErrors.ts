/**
 * What becomes of database errors in handlers: a database that is away is 503 (`store/DatabaseErrors.ts` says when it is), a
 * deadlock is tried again and then 503 as well, a value that it refuses is 400 and a defect of the endpoint that the log names, and
 * everything else is a defect of ours, which is logged and answered with 500. What the machine of this server lacks is 503 as well, in a
 * sentence.
 */
import { type Cause, Effect, Layer, Predicate, Schedule } from "effect"
import { HttpServerRequest } from "effect/http"
import { SqlClient, SqlError } from "effect/sql"
import { Availability, Caller } from "../../api/Requests.ts"
import {
  BadRequest,
  Conflict,
  type FailureMessage,
  Forbidden,
  InternalError,
  NotFound,
  ServiceUnavailable,
  TooManyRequests
} from "../../api/Answers.ts"
import { failure } from "./ErrorEnvelope.ts"
import { failWhenOurs, OwnFaults } from "../../runtime/OwnFaults.ts"
import { OwnFault } from "../../runtime/SystemErrors.ts"
import { rememberRoute } from "./Client.ts"
import {
  failWhenAway,
  isDatabaseAway,
  isHeldUp,
  meaning,
  refusedValue,
  refusedValueIn,
  sqlState
} from "../../store/DatabaseErrors.ts"

// Errors that carry their status: an error of the domain or of a service that says `httpStatus` becomes the failure of that
// status. Clients are told its `refusal`, else its message. Who needs another sentence for one route catches the error there.

/** An error that clients are told with this status. */
interface Carries<Status extends number> {
  readonly httpStatus: Status
  readonly refusal?: FailureMessage
  readonly message: string
}

const told = ({ message, refusal }: Carries<number>) => ({ message: refusal ?? message })

const carries =
  <Status extends number>(status: Status) =>
  <E>(error: E): error is Extract<E, Carries<Status>> =>
    Predicate.hasProperty(error, "httpStatus") && error.httpStatus === status

/** Turns errors that carry a status into failures of the API. */
export const withStatus = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.catchIf(carries(400), (error) => Effect.fail(new BadRequest(told(error)))),
    Effect.catchIf(carries(403), (error) => Effect.fail(new Forbidden(told(error)))),
    Effect.catchIf(carries(404), (error) => Effect.fail(new NotFound(told(error)))),
    Effect.catchIf(carries(409), (error) => Effect.fail(new Conflict(told(error)))),
    Effect.catchIf(carries(429), (error) => Effect.fail(new TooManyRequests(told(error)))),
    Effect.catchIf(carries(500), (error) => Effect.fail(new InternalError(told(error)))),
    Effect.catchIf(carries(503), (error) => Effect.fail(new ServiceUnavailable(told(error))))
  )

const COLLIDED: ReadonlySet<string> = new Set(["DeadlockError", "SerializationError"])

const hasCollided = (error: SqlError.SqlError) => COLLIDED.has(error.reason._tag)

const UNAVAILABLE = "The database is not available, try again later"

/** Whose lock holds the database up stands in the log once, not for each request. */
const refuse = (error: SqlError.SqlError) =>
  isHeldUp(error)
    ? Effect.fail(new ServiceUnavailable({ message: `${UNAVAILABLE}: ${meaning(error)}` }))
    : Effect.andThen(
        Effect.logWarning("The database does not answer", { reason: sqlState(error) ?? error.reason._tag }),
        Effect.fail(new ServiceUnavailable({ message: UNAVAILABLE }))
      )

/** A database error for a caller: 503 when the database is away, else a defect. */
export const refuseOrDie = (error: SqlError.SqlError) =>
  isDatabaseAway(error) || hasCollided(error) ? refuse(error) : Effect.die(error)

/**
 * The answer of a handler: errors that carry a status become it, a database that is away is 503, and other database errors are
 * defects.
 */
export const answered = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(failWhenAway(withStatus(effect)), SqlError.isSqlError, refuseOrDie)

/** Runs the effect in one transaction, again when it met another one in a deadlock; at most nine times. */
export const transaction = Effect.map(
  Effect.service(SqlClient.SqlClient),
  (sql) =>
    <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
      sql.withTransaction(effect).pipe(
        Effect.retry({
          times: 8,
          while: (error) => SqlError.isSqlError(error) && hasCollided(error),
          schedule: Schedule.jittered(Schedule.exponential("10 millis"))
        })
      )
)

/** The machine of this server lacks something: 503 with what it is. */
const refuseOurs = (fault: OwnFault) =>
  Effect.andThen(
    Effect.flatMap(OwnFaults, ({ note }) => note(fault)),
    Effect.fail(new ServiceUnavailable({ message: fault.message }))
  )

/** A value that the database refuses is one that the door should have refused: the log names the door, the caller what is wrong. */
const refuseValue = (door: string, cause: Cause.Cause<unknown>) =>
  Effect.andThen(
    Effect.logError(`${door} let a value pass that the database refuses`, cause),
    Effect.sync(() => {
      const error = refusedValueIn(cause)
      return failure(400, {}, `The request cannot be stored: ${(error && refusedValue(error)) ?? ""}`)
    })
  )

/**
 * Lets handlers answer 503, notes the endpoint for metrics, and answers it for those who have let a database error pass. A value that
 * the database refuses is 400.
 */
export const AvailabilityLive = Layer.succeed(Availability, (httpEffect, { endpoint }) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    rememberRoute(request, endpoint.path)
    const answer = Effect.catchIf(failWhenAway(httpEffect), SqlError.isSqlError, (error) =>
      refusedValue(error) === undefined ? refuse(error) : Effect.die(error)
    )
    return Effect.catchCauseIf(
      Effect.catch(failWhenOurs(answer), (error) =>
        error instanceof OwnFault ? refuseOurs(error) : Effect.fail(error)
      ),
      (cause) => refusedValueIn(cause) !== undefined,
      (cause) => refuseValue(`${endpoint.method} ${endpoint.path}`, cause)
    )
  })
)

// What most writing routes do: something in the name of who asks.

/** The answer of a handler that runs in the caller's name. */
export const asCaller = <A, E, R>(run: (user: string) => Effect.Effect<A, E, R>) =>
  answered(Effect.flatMap(Effect.service(Caller), ({ name }) => run(name)))
