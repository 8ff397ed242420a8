/**
 * The steps around every request and answer: client, limits, refusals without an endpoint, and on the way out envelope, headers, metrics
 * and log.
 */
import { Cause, Clock, Effect, Result } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { EventFeed } from "../../events/EventFeed.ts"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import {
  methodLabel,
  NO_ROUTE,
  requests,
  requestSeconds,
  requestsInFlight,
  secondsSince
} from "../../runtime/metrics/Metrics.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { clientOf, makeLoopbackRefusal, makeNoteClient, recall, rememberFault } from "./Client.ts"
import {
  answerWithoutEndpoint,
  enveloped,
  failure,
  type UnreadableAddress,
  unreadableAddress
} from "./ErrorEnvelope.ts"
import { Limits } from "./Limits.ts"
import { isProbe, logged } from "./RequestLog.ts"
import { addressPerson, Person } from "../../domain/access/Identity.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

// Every answer with 503, 429 or 408 says when to try again.

const STATUSES: ReadonlySet<number> = new Set([408, 429, 503])
const SECONDS = "5"

/** Adds `Retry-After` where it is missing. */
const withRetryAfter = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse =>
  STATUSES.has(response.status) && response.headers["retry-after"] === undefined
    ? HttpServerResponse.setHeader(response, "retry-after", SECONDS)
    : response

// Security headers (docs/security.md#headers): answers of the API are data, so browsers must not render, frame or store them.

const EVERYWHERE = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer"
} as const

const DATA = { ...EVERYWHERE, "cache-control": "no-store" } as const

/** A year. */
const HSTS = { "strict-transport-security": "max-age=31536000" } as const

/** The security headers of an answer; headers that the answer sets itself win. */
const securityHeaders = (
  { url }: HttpServerRequest.HttpServerRequest,
  { headers, status }: HttpServerResponse.HttpServerResponse,
  isEncrypted: boolean
): Readonly<Record<string, string>> => {
  // an image never changes under its name, and proxies near the switches may cache it
  const isImage = url.startsWith("/firmware/") && status < 400
  return { ...(isImage ? EVERYWHERE : DATA), ...(isEncrypted ? HSTS : {}), ...headers }
}

/** The headers for answers that a library writes. */
export const dataSecurityHeaders: Readonly<Record<string, string>> = DATA

/** The same as lines, for answers that are written to the socket. */
export const securityHeaderLines: string = Object.entries(DATA)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("")

// CORS (docs/security.md#web-pages).

const EXPOSED =
  "Authorization, Content-Disposition, Content-Type, Cookie, Link, Retry-After, Set-Cookie, X-Matching-Count, X-Total-Count"
const METHODS = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"

type Headers = Readonly<Record<string, string>>

const NONE: Headers = {}

const preflightHeaders = ({ headers, method }: Request): Headers => {
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return NONE
  const wanted = headers["access-control-request-headers"]
  return {
    "access-control-allow-methods": METHODS,
    ...(wanted === undefined ? {} : { "access-control-allow-headers": wanted })
  }
}

/** Yields a function that makes the headers for a request: any origin without credentials, or the allowed origins with them. */
const makeCorsHeaders = ({ ALLOWED_ORIGINS }: Pick<ServerSettings, "ALLOWED_ORIGINS">) => {
  const allowed = new Set(ALLOWED_ORIGINS)
  return (request: Request): Headers => {
    const { origin } = request.headers
    if (origin === undefined || !request.url.startsWith("/api/")) return NONE
    if (allowed.size > 0 && !allowed.has(origin)) return { vary: "Origin" }
    return {
      "access-control-allow-origin": origin,
      ...(allowed.size > 0 ? { "access-control-allow-credentials": "true" } : {}),
      "access-control-expose-headers": EXPOSED,
      vary: "Origin",
      ...preflightHeaders(request)
    }
  }
}

/** A site has fewer pages of its own. */
const MAX_NOTICED = 20

/**
 * Yields a function that gives, once for each origin, a warning for the operator: a browser asks whether a page of another origin may POST,
 * and does not send the request if it carries credentials.
 */
const makeOriginNotice = ({ ALLOWED_ORIGINS }: Pick<ServerSettings, "ALLOWED_ORIGINS">) => {
  const noticed = new Set<string>()
  return ({ headers, method }: Request): string | undefined => {
    const { "access-control-request-method": wanted, origin } = headers
    if (ALLOWED_ORIGINS.length > 0 || method !== "OPTIONS" || wanted !== "POST" || origin === undefined)
      return undefined
    if (noticed.size >= MAX_NOTICED || noticed.has(origin)) return undefined
    noticed.add(origin)
    return `A page of ${origin.slice(0, 255)} calls. If it sends cookies with its requests, browsers refuse them until ALLOWED_ORIGINS names it`
  }
}

// Answers on their way out, in this order: envelope, Retry-After, headers, log.

const dressed = (request: Request, response: Response, more: Readonly<Record<string, string>>): Response =>
  HttpServerResponse.setHeaders(response, {
    ...securityHeaders(request, response, clientOf(request).isEncrypted),
    ...more
  })

/** Completes answers of the API. */
const makeAnswering = Effect.map(ServerConfig, (config) => {
  const corsHeaders = makeCorsHeaders(config)
  const originNotice = makeOriginNotice(config)
  return (request: Request, response: Response) => {
    const completed = withRetryAfter(enveloped(request, response))
    const answering = logged(request, dressed(request, completed, corsHeaders(request)))
    const notice = originNotice(request)
    return notice === undefined ? answering : Effect.andThen(Effect.logWarning(notice), answering)
  }
})

/** Completes answers of the listener for switches. */
export const answeringFiles = (request: Request, response: Response) =>
  logged(request, dressed(request, withRetryAfter(response), {}))

/** The answer to a request that needs no endpoint, or undefined. */
const makeAnswerOutside = Effect.map(makeLoopbackRefusal, (refusalOfForeign) => (request: Request) => {
  const foreign = refusalOfForeign(request)
  return foreign === undefined ? answerWithoutEndpoint(request) : failure(403, {}, foreign)
})

/** Runs requests within the limits of their client; a request beyond them is answered with 429. */
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

/** Followers of events receive the events of a request before its answer is sent, because clients wait for both (docs/events.md#order). */
const makeEventsFirst = Effect.map(
  Effect.service(EventFeed),
  ({ flushed }) =>
    <E, R>({ method }: Request, httpEffect: Effect.Effect<Response, E, R>) =>
      READS.has(method) ? httpEffect : Effect.ensuring(httpEffect, flushed)
)

const parts = Effect.all({
  answering: makeAnswering,
  answerTo: makeAnswerOutside,
  limited: makeLimited,
  eventsFirst: makeEventsFirst,
  meetClient: Effect.map(ServerConfig, makeNoteClient)
})

/** Counts answers for the metrics, with the time since the request arrived. */
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

/** The request with a readable address. The middleware that finds its caller refuses it afterwards. */
const withAddress = (request: Request, { message, readable }: UnreadableAddress): Request => {
  rememberFault(request, message)
  return request.modify({ url: readable })
}

/** The global middleware. It is one instead of four, because the order matters. */
export const GlobalMiddleware = HttpRouter.middleware(
  Effect.map(
    parts,
    ({ answerTo, answering, limited, meetClient, eventsFirst }) =>
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
          const handled = Effect.tapCause(limited(found, eventsFirst(found, work)), (cause) =>
            Cause.hasDies(cause) ? Effect.logError("A request met a defect", cause) : Effect.void
          )
          // until the caller is known
          return yield* Effect.provideService(handled, Person, addressPerson(clientOf(request).address ?? ""))
        })
  ),
  { global: true }
)
