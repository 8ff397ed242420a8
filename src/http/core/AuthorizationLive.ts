/** Finds the token of a request and the caller that it names (docs/api.md#tokens). */
import { Effect, Layer, Result, Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { unhandled } from "effect/Types"
import { Grants } from "../../access/Grants.ts"
import { Permissions } from "../../access/Permissions.ts"
import { Permit, Speaking } from "../../access/Permit.ts"
import { BASE } from "../../api/Api.ts"
import {
  Authentication,
  Authorization,
  Caller,
  HandlingOfCallers,
  ScrapeAuthorization
} from "../../api/Authorization.ts"
import { Forbidden, ServiceUnavailable, Unauthorized } from "../../api/Failures.ts"
import { Acting } from "../../domain/access/Acting.ts"
import { makeContains } from "../../domain/access/AddressPrefixes.ts"
import { everybody, type Identity } from "../../domain/access/Identity.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { Callers } from "./Callers.ts"
import { clientOf } from "./Client.ts"
import { failure } from "./ErrorEnvelope.ts"
import { Limits } from "./Limits.ts"
import { makeRefusedCalls } from "./RefusedCalls.ts"
import { makePermitOf } from "./RequestPermit.ts"
import { recall, rememberCaller } from "./RequestNotes.ts"
import { refuseOrDie } from "./Unavailable.ts"

const MISSING = "JWT token missing?"
const MALFORMED = `Invalid header, ${MISSING} Bad Authorization header. Expected 'Authorization: Bearer <JWT>'`

/** What clients open with a token in the address, because browsers give them no headers there. */
const OPENED_BY_URL = ["/socket.io/"]

const IN_URL = `JWT token missing? Where there are roles, this call takes no token in its address: send 'Authorization: Bearer <JWT>'`

/**
 * One signature can be written in many ways, with white space, padding or other bits at its end. Only one of them counts, because a token in
 * another spelling would have limits of its own.
 */
const asWritten = (token: string): Result.Result<string, Unauthorized> => {
  // other tokens of a provider may have dots of their own
  const [, signature = ""] = /^ey[^.]*\.[^.]*\.([^.]*)$/.exec(token) ?? []
  const isOneWay = /^[\w.~+/=-]+$/.test(token) && spelled(signature) === signature
  return isOneWay ? Result.succeed(token) : Result.fail(new Unauthorized({ message: "Could not decode JWT token" }))
}

const spelled = (signature: string): string => Buffer.from(signature, "base64url").toString("base64url")

/** The token in the header, else in the query parameter `jwt`. */
export const findToken = (
  header: string | undefined,
  query: string | ReadonlyArray<string> | undefined
): Result.Result<string, Unauthorized> => {
  const [scheme, ...words] = (header ?? "").split(/ +/).filter((word) => word !== "")
  if (scheme === "Bearer") {
    const [token, ...more] = words
    return token === undefined || more.length > 0
      ? Result.fail(new Unauthorized({ message: MALFORMED }))
      : asWritten(token)
  }
  const jwt = typeof query === "string" ? query : query?.[0]
  return jwt === undefined || jwt === "" ? Result.fail(new Unauthorized({ message: MISSING })) : asWritten(jwt)
}

const isInUrl = (header: string | undefined): boolean => !/^ *Bearer(?: |$)/.test(header ?? "")

/** Who sends a request; fails when there is no good token. */
export const makeCallerOf = Effect.gen(function* () {
  const callers = yield* Callers
  const limits = yield* Limits
  const { rules } = yield* Permissions
  const takesUrl = (url: string) =>
    OPENED_BY_URL.some((path) => url.startsWith(path))
      ? Effect.succeed(true)
      : Effect.map(rules, (found) => found === null)

  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    if (!callers.required) return callers.everybody
    const query = yield* HttpServerRequest.ParsedSearchParams
    const header = request.headers["authorization"]
    const token = yield* Effect.fromResult(findToken(header, query["jwt"]))
    if (isInUrl(header) && !(yield* takesUrl(request.url))) return yield* new Unauthorized({ message: IN_URL })
    const caller = yield* callers.behind(token)
    limits.vouch(token)
    return caller
  })
})

type Handling = Effect.Effect<HttpServerResponse.HttpServerResponse, unhandled, Caller>

/** Refuses a request whose address cannot be read, once it is known who calls and what they may. */
const readable = <R>(
  request: HttpServerRequest.HttpServerRequest,
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, unhandled, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, unhandled, R> => {
  const { fault } = recall(request)
  return fault === undefined ? httpEffect : Effect.succeed(failure(400, {}, fault))
}

/** Runs the rest of the request in the name of its caller. */
const inNameOf = (request: HttpServerRequest.HttpServerRequest, caller: Identity, httpEffect: Handling) => {
  const { name, way } = caller
  rememberCaller(request, name)
  const { address } = clientOf(request)
  return httpEffect.pipe(
    Effect.provideService(Caller, caller),
    Effect.provideService(Acting, { name, way, address, job: null })
  )
}

/** A token that was good once is no guess, nor is none at all. */
export const isGuess = ({ errorCode, message }: Unauthorized): boolean =>
  errorCode === undefined && message !== MISSING && message !== MALFORMED

/** Lets in who can be named: others are told 401, or 429 when their address has guessed too often. */
const makeAdmission = Effect.gen(function* () {
  const callerOf = yield* makeCallerOf
  const limits = yield* Limits
  const refused = yield* makeRefusedCalls
  const refusalOf = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    unauthorized: Unauthorized
  ) {
    yield* refused.stranger(request, String(unauthorized.message))
    if (!isGuess(unauthorized)) return yield* unauthorized
    const refusal = yield* limits.refusalOfGuess(request)
    yield* limits.noteGuess(request)
    return refusal ?? (yield* unauthorized)
  })
  return Effect.fnUntraced(function* <E, R>(
    handle: (
      request: HttpServerRequest.HttpServerRequest,
      caller: Identity
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const found = yield* Effect.result(callerOf(request))
    return yield* Result.isFailure(found) ? refusalOf(request, found.failure) : handle(request, found.success)
  })
})

const isForbidden = Schema.is(Forbidden)

const makeAuthentication = Effect.map(makeAdmission, (admit) =>
  Authentication.of({
    bearer: (httpEffect, { endpoint }) => {
      const asksMore = [...endpoint.middlewares].some(({ key }) => key === HandlingOfCallers.key)
      return admit((request, caller) =>
        inNameOf(request, caller, asksMore ? httpEffect : readable(request, httpEffect))
      )
    }
  })
)

const makeAuthorization = Effect.gen(function* () {
  const admit = yield* makeAdmission
  const refused = yield* makeRefusedCalls
  const permitOf = yield* makePermitOf
  return Authorization.of({
    bearer: (httpEffect, { endpoint }) =>
      admit(
        Effect.fnUntraced(function* (request, caller) {
          const noted = <A, E, R>(work: Effect.Effect<A, E, R>) =>
            Effect.tapError(work, (error) =>
              isForbidden(error) ? refused.caller(request, caller, String(error.message)) : Effect.void
            )
          const { permit, speaking } = yield* permitOf(request, caller, endpoint).pipe(
            Effect.catchTags({
              NotPermitted: ({ message }) => new Forbidden({ message }),
              SettingsUnavailable: ({ refusal }) => new ServiceUnavailable({ message: refusal }),
              SqlError: refuseOrDie
            }),
            noted
          )
          const handled = noted(inNameOf(request, caller, readable(request, httpEffect)))
          return yield* handled.pipe(Effect.provideService(Permit, permit), Effect.provideService(Speaking, speaking))
        })
      )
  })
})

/** Only who may do everything handles users; a program makes no tokens. Asked before what is wrong with the call. */
const makeHandlingOfCallers = Effect.gen(function* () {
  const { mayHandleUsers, mayMakeTokens } = yield* Grants
  const refused = yield* makeRefusedCalls
  return HandlingOfCallers.of((httpEffect, { endpoint }) =>
    Effect.gen(function* () {
      const caller = yield* Caller
      const request = yield* HttpServerRequest.HttpServerRequest
      const asked = endpoint.path.startsWith(`${BASE}/auth/users`) ? mayHandleUsers : mayMakeTokens
      yield* asked(caller).pipe(
        Effect.tapError(({ message }) => refused.caller(request, caller, message)),
        Effect.mapError(({ message }) => new Forbidden({ message }))
      )
      return yield* readable(request, httpEffect)
    })
  )
})

/** Whoever asks for metrics from an address that needs no token. */
const scraper: Identity = { ...everybody, name: "metrics" }

const makeScrapeAuthorization = Effect.gen(function* () {
  const authorization = yield* makeAuthorization
  const { METRICS_NETWORKS } = yield* ServerConfig
  const needsNoToken = makeContains(METRICS_NETWORKS)
  return ScrapeAuthorization.of({
    bearer: (httpEffect, options) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const { address } = clientOf(request)
        return address !== null && needsNoToken(address)
          ? inNameOf(request, scraper, readable(request, httpEffect))
          : authorization.bearer(httpEffect, options)
      })
  })
})

/** The middlewares in front of endpoints that need a token. */
export const AuthorizationLive = Layer.mergeAll(
  Layer.effect(Authentication, makeAuthentication),
  Layer.effect(Authorization, makeAuthorization),
  Layer.effect(ScrapeAuthorization, makeScrapeAuthorization),
  Layer.effect(HandlingOfCallers, makeHandlingOfCallers)
)
