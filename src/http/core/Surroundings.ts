/**
 * What happens to every request and answer, whichever endpoint it is for: where it comes from, whether it may come in at all,
 * and on the way out envelope, headers and log (`Answering.ts`).
 */
import { Cause, Clock, Effect, Result } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { addressPerson, Person } from "../../domain/access/Identity.ts"
import { EventFeed } from "../../events/EventFeed.ts"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import { secondsSince } from "../../runtime/metrics/Family.ts"
import { methodLabel, NO_ROUTE, requests, requestSeconds, requestsInFlight } from "../../runtime/metrics/HttpMetrics.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { makeAnswering } from "./Answering.ts"
import { clientOf, makeMeetClient } from "./Client.ts"
import { answerOutside, failure, type UnreadableAddress, unreadableAddress } from "./ErrorEnvelope.ts"
import { Limits } from "./Limits.ts"
import { makeRefusalOfForeign } from "./Origins.ts"
import { isProbe } from "./RequestLog.ts"
import { recall, rememberFault } from "./RequestNotes.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The answer to a request that no endpoint has to see, or undefined. */
const makeAnswerOutside = Effect.map(makeRefusalOfForeign, (refusalOfForeign) => (request: Request) => {
  const foreign = refusalOfForeign(request)
  return foreign === undefined ? answerOutside(request) : failure(403, {}, foreign)
})

/** Runs requests in their turn, counted among those that their client has in work; too many are answered with 429. */
const makeLimited = Effect.gen(function* () {
  const background = yield* BackgroundWork
  const limits = yield* Limits
  return <E, R>(request: Request, httpEffect: Effect.Effect<Response, E, R>) =>
    Effect.acquireUseRelease(
      Effect.map(Clock.currentTimeMillis, (now) => {
        requestsInFlight.add(1)
        return limits.enter(request, now)
      }),
      (entered): Effect.Effect<Response, E, R> =>
        Result.isFailure(entered)
          ? Effect.succeed(entered.failure)
          : // a probe asks whether the server is able, not whether it is idle
            isProbe(request.url)
            ? httpEffect
            : Effect.andThen(background.request, httpEffect),
      (entered) =>
        Effect.sync(() => {
          requestsInFlight.add(-1)
          if (Result.isSuccess(entered)) limits.leave(entered.success)
        })
    )
})

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])

/** Whoever follows events hears what a request has done before its answer comes, because clients wait for both (docs/events.md#order). */
const makeTold = Effect.map(
  Effect.service(EventFeed),
  ({ flushed }) =>
    <E, R>({ method }: Request, httpEffect: Effect.Effect<Response, E, R>) =>
      READS.has(method) ? httpEffect : Effect.ensuring(httpEffect, flushed)
)

const parts = Effect.all({
  answering: makeAnswering,
  answerTo: makeAnswerOutside,
  limited: makeLimited,
  told: makeTold,
  meetClient: Effect.map(ServerConfig, makeMeetClient)
})

/** Counts answers on their way out, with the time since the request came. */
const counting = (answering: (request: Request, response: Response) => Effect.Effect<Response>) => {
  const began = performance.now()
  return (request: Request, response: Response) =>
    Effect.tap(answering(request, response), ({ status }) =>
      Effect.sync(() => {
        const { route = NO_ROUTE } = recall(request)
        const method = methodLabel(request.method)
        requests.add(1, route, method, String(status))
        requestSeconds.record(secondsSince(began), route, method)
      })
    )
}

/** The request at an address that the router can read. Whoever asks for its caller refuses it afterwards. */
const withAddress = (request: Request, { message, readable }: UnreadableAddress): Request => {
  rememberFault(request, message)
  return request.modify({ url: readable })
}

/** The outermost layer. One middleware instead of four, because their order matters. */
export const Surroundings = HttpRouter.middleware(
  Effect.map(
    parts,
    ({ answerTo, answering, limited, meetClient, told }) =>
      (httpEffect) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          meetClient(request)
          yield* HttpEffect.appendPreResponseHandler(counting(answering))
          const unreadable = unreadableAddress(request)
          const found = unreadable === undefined ? request : withAddress(request, unreadable)
          const answer = answerTo(found)
          if (answer !== undefined) return answer
          const work = Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, found)
          const handled = Effect.tapCause(limited(found, told(found, work)), (cause) =>
            Cause.hasDies(cause) ? Effect.logError("A request met a defect", cause) : Effect.void
          )
          // until it is known who calls
          return yield* Effect.provideService(handled, Person, addressPerson(clientOf(request).address ?? ""))
        })
  ),
  { global: true }
)
