/**
 * Errors that carry their status: an error of the domain or of a service that says `httpStatus` becomes the failure of that
 * status. Clients are told its `refusal`, else its message. Who needs another sentence for one route catches the error there.
 */
import { Effect, Predicate } from "effect"
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
