/**
 * How the errors of handlers become answers. An unavailable database is 503 (`store/DatabaseErrors.ts` defines it). A deadlock is retried,
 * then 503. A value that the database refuses is 400, and the log names the endpoint that let it pass. Other database errors are defects:
 * they are logged and answered with 500. A fault of this server's own machine is 503 with a sentence.
 */
import { type Cause, Effect, Layer, Predicate, Schedule } from "effect"
import { HttpServerRequest } from "effect/http"
import { SqlClient, SqlError } from "effect/sql"
import { failure } from "./ErrorEnvelope.ts"
import { failWhenOurs, OwnFaults } from "../../runtime/OwnFaults.ts"
import { OwnFault } from "../../runtime/SystemErrors.ts"
import { rememberRoute } from "./Client.ts"
import { Availability, Caller } from "../../api/Requests.ts"
import { isOpen, withKnownParameters, withWarnings } from "./UnknownNames.ts"
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
import {
  failWhenAway,
  isDatabaseAway,
  isHeldUp,
  meaning,
  refusedValue,
  refusedValueIn,
  sqlState
} from "../../store/DatabaseErrors.ts"

// Errors that carry their status: an error of the domain or of a service with `httpStatus` becomes the failure of that status, with its
// `refusal`, else its message. A route that needs another sentence catches the error itself.

/** An error that says its HTTP status. */
interface Carries<Status extends number> {
  readonly httpStatus: Status
  readonly refusal?: FailureMessage
  readonly message: string
}

const messageOf = ({ message, refusal }: Carries<number>) => ({ message: refusal ?? message })

const carries =
  <Status extends number>(status: Status) =>
  <E>(error: E): error is Extract<E, Carries<Status>> =>
    Predicate.hasProperty(error, "httpStatus") && error.httpStatus === status

/** Turns errors that carry a status into failures of the API. */
export const withStatus = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.catchIf(carries(400), (error) => Effect.fail(new BadRequest(messageOf(error)))),
    Effect.catchIf(carries(403), (error) => Effect.fail(new Forbidden(messageOf(error)))),
    Effect.catchIf(carries(404), (error) => Effect.fail(new NotFound(messageOf(error)))),
    Effect.catchIf(carries(409), (error) => Effect.fail(new Conflict(messageOf(error)))),
    Effect.catchIf(carries(429), (error) => Effect.fail(new TooManyRequests(messageOf(error)))),
    Effect.catchIf(carries(500), (error) => Effect.fail(new InternalError(messageOf(error)))),
    Effect.catchIf(carries(503), (error) => Effect.fail(new ServiceUnavailable(messageOf(error))))
  )

const COLLIDED: ReadonlySet<string> = new Set(["DeadlockError", "SerializationError"])

const hasCollided = (error: SqlError.SqlError) => COLLIDED.has(error.reason._tag)

const UNAVAILABLE = "The database is not available, try again later"

/** The holder of a lock is logged once, not for each request. */
const refuse = (error: SqlError.SqlError) =>
  isHeldUp(error)
    ? Effect.fail(new ServiceUnavailable({ message: `${UNAVAILABLE}: ${meaning(error)}` }))
    : Effect.andThen(
        Effect.logWarning("The database does not answer", { reason: sqlState(error) ?? error.reason._tag }),
        Effect.fail(new ServiceUnavailable({ message: UNAVAILABLE }))
      )

/** A database error for a caller: 503 if the database is unavailable, else a defect. */
export const refuseOrDie = (error: SqlError.SqlError) =>
  isDatabaseAway(error) || hasCollided(error) ? refuse(error) : Effect.die(error)

/**
 * The answer of a handler: an error with a status becomes that status, an unavailable database is 503, and other database errors are
 * defects.
 */
export const answered = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(failWhenAway(withStatus(effect)), SqlError.isSqlError, refuseOrDie)

/** Yields a function that runs an effect in one transaction, and again after a deadlock, nine times at most. */
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

/** A fault of this server's own machine: 503 with its sentence. */
const refuseOurs = (fault: OwnFault) =>
  Effect.andThen(
    Effect.flatMap(OwnFaults, ({ note }) => note(fault)),
    Effect.fail(new ServiceUnavailable({ message: fault.message }))
  )

/** The endpoint should have refused a value that the database refuses: the log names the endpoint, the answer names the fault. */
const refuseValue = (door: string, cause: Cause.Cause<unknown>) =>
  Effect.andThen(
    Effect.logError(`${door} let a value pass that the database refuses`, cause),
    Effect.sync(() => {
      const error = refusedValueIn(cause)
      return failure(400, {}, `The request cannot be stored: ${(error && refusedValue(error)) ?? ""}`)
    })
  )

/**
 * Lets handlers answer 503, notes the endpoint for metrics, adds warnings to the answer, and answers database errors that a handler did not catch. A value that the
 * database refuses is 400.
 */
export const AvailabilityLive = Layer.succeed(Availability, (httpEffect, { endpoint }) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    rememberRoute(request, endpoint.path)
    const work = isOpen(endpoint) ? withKnownParameters(request, endpoint, httpEffect) : httpEffect
    const handled = Effect.map(work, (response) => withWarnings(request, response))
    const answer = Effect.catchIf(failWhenAway(handled), SqlError.isSqlError, (error) =>
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

/** The answer for a device whose configuration cannot be rendered. */
export const refuseUnrendered =
  (hostname: string) =>
  ({ message }: { readonly message: string }) =>
    Effect.fail(new InternalError({ message: `Exception while generating config for device ${hostname}: ${message}` }))

/** The answer of a handler that runs in the caller's name. */
export const asCaller = <A, E, R>(run: (user: string) => Effect.Effect<A, E, R>) =>
  answered(Effect.flatMap(Effect.service(Caller), ({ name }) => run(name)))
