/**
 * The middleware in front of endpoints that need a token: finds the caller, asks for permission, and runs the request in the caller's name
 * (docs/api.md#tokens).
 */
import { Effect, Layer, Result, Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Permissions } from "../../access/Permissions.ts"
import { Permit, Speaking } from "../../access/Permit.ts"
import { BASE } from "../../api/Api.ts"
import { Acting, everybody, type Identity, machinePerson, Person } from "../../domain/access/Identity.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import * as FairPlaces from "../../runtime/FairPlaces.ts"
import { isGuess, makeCallerOf } from "./Callers.ts"
import { clientOf, recall, rememberCaller } from "./Client.ts"
import { failure } from "./ErrorEnvelope.ts"
import { Limits } from "./Limits.ts"
import { makeRefusalAudit } from "./RequestLog.ts"
import { makePermitOf } from "./Permits.ts"
import { makeApprovalGate, ReplayedRequest } from "./RequestApproval.ts"
import { refuseOrDie } from "./HandlerErrors.ts"
import { withKnownParameters } from "./UnknownNames.ts"
import { Authentication, Authorization, Caller, HandlingOfCallers, ScrapeAuthorization } from "../../api/Requests.ts"
import { Forbidden, ServiceUnavailable, Unauthorized } from "../../api/Answers.ts"
import { makeContains } from "../../domain/access/HostLists.ts"

/**
 * Refuses a request whose address cannot be read, or has parameters that must be known. This happens after the caller and their permission
 * are known.
 */
const readable = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  endpoint: HttpApiEndpoint.Top,
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.ParsedSearchParams> => {
  const { fault } = recall(request)
  return fault === undefined
    ? withKnownParameters(request, endpoint, httpEffect)
    : Effect.succeed(failure(400, {}, fault))
}

/** Runs the rest of the request in the name of its caller. */
const inNameOf = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  caller: Identity,
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => {
  const { name, person, way } = caller
  rememberCaller(request, name)
  const { address } = clientOf(request)
  return httpEffect.pipe(
    Effect.provideService(Caller, caller),
    Effect.provideService(Person, person),
    Effect.provideService(Acting, { name, way, address, job: null, person })
  )
}

/** Requests that run at the same time, in all and for one person: they share the database, and most take milliseconds. */
const AT_ONCE = 48
const OF_ONE = 16

/**
 * Endpoints whose work waits for switches, threads or other servers, which have limits of their own. A stream ends when its reader goes.
 */
const WAITING_ELSEWHERE =
  /events|running_config|interface_status|port_readings|readings|lldp|optics|trust|render|generate_config|config_diff|blame|variables|preview|repository|proposals|settings|firmware|chain|apply_config|onboarding|receivers|certificate|approvals/

const isFull = Schema.is(FairPlaces.PlacesFull)

/** Persons take turns. Without tokens callers cannot be distinguished, so there are no turns. */
const makeTurns = () => {
  const places = FairPlaces.make({
    what: "requests",
    places: AT_ONCE,
    waiting: Number.POSITIVE_INFINITY,
    ofOne: OF_ONE
  })
  return <E, R>(
    { way }: Identity,
    { path }: { readonly path: string },
    handled: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
    way === "open" || WAITING_ELSEWHERE.test(path)
      ? handled
      : Effect.flatMap(ReplayedRequest, (replayed) =>
          replayed === null
            ? Effect.catchIf(places.within(handled), isFull, ({ message }) => Effect.succeed(failure(503, {}, message)))
            : handled
        )
}

/** Admits identified callers. Others get 401, or 429 when their address has guessed too often. */
const makeAdmission = Effect.gen(function* () {
  const callerOf = yield* makeCallerOf
  const limits = yield* Limits
  const refused = yield* makeRefusalAudit
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

type Turns = ReturnType<typeof makeTurns>

const isForbidden = Schema.is(Forbidden)

const makeAuthentication = Effect.fnUntraced(function* (inTurn: Turns) {
  const admit = yield* makeAdmission
  const secured = yield* makeApprovalGate
  return Authentication.of({
    bearer: (httpEffect, { endpoint }) => {
      const asksMore = [...endpoint.middlewares].some(({ key }) => key === HandlingOfCallers.key)
      return admit((request, caller) => {
        const work = secured(request, caller, endpoint, httpEffect)
        return inNameOf(request, caller, inTurn(caller, endpoint, asksMore ? work : readable(request, endpoint, work)))
      })
    }
  })
})

const makeAuthorization = Effect.fnUntraced(function* (inTurn: Turns) {
  const admit = yield* makeAdmission
  const refused = yield* makeRefusalAudit
  const permitOf = yield* makePermitOf
  const secured = yield* makeApprovalGate
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
          const work = readable(request, endpoint, secured(request, caller, endpoint, httpEffect))
          const handled = noted(inNameOf(request, caller, inTurn(caller, endpoint, work)))
          return yield* handled.pipe(Effect.provideService(Permit, permit), Effect.provideService(Speaking, speaking))
        })
      )
  })
})

/**
 * Only administrators may manage users, and a program may not make tokens; the right `audit` shows them. This is checked before the request
 * itself.
 */
const makeHandlingOfCallers = Effect.gen(function* () {
  const { mayHandleUsers, mayMakeTokens, showsAccess } = yield* Permissions
  const refused = yield* makeRefusalAudit
  return HandlingOfCallers.of((httpEffect, { endpoint }) =>
    Effect.gen(function* () {
      const caller = yield* Caller
      const request = yield* HttpServerRequest.HttpServerRequest
      const asked = endpoint.path.startsWith(`${BASE}/auth/tokens`) ? mayMakeTokens : mayHandleUsers
      const isShown = endpoint.method === "GET" && (yield* showsAccess(caller))
      yield* (isShown ? Effect.void : asked(caller)).pipe(
        Effect.tapError(({ message }) => refused.caller(request, caller, message)),
        Effect.mapError(({ message }) => new Forbidden({ message }))
      )
      return yield* readable(request, endpoint, httpEffect)
    })
  )
})

/** A scraper whose address needs no token. */
const scraper: Identity = { ...everybody, name: "metrics", person: machinePerson("metrics") }

const makeScrapeAuthorization = Effect.fnUntraced(function* (inTurn: Turns) {
  const authorization = yield* makeAuthorization(inTurn)
  const { METRICS_NETWORKS } = yield* ServerConfig
  const needsNoToken = makeContains(METRICS_NETWORKS)
  return ScrapeAuthorization.of({
    bearer: (httpEffect, options) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const { address } = clientOf(request)
        return address !== null && needsNoToken(address)
          ? inNameOf(request, scraper, readable(request, options.endpoint, httpEffect))
          : authorization.bearer(httpEffect, options)
      })
  })
})

/** The middlewares in front of endpoints that need a token. */
export const AuthorizationLive = Layer.unwrap(
  Effect.sync(() => {
    const inTurn = makeTurns()
    return Layer.mergeAll(
      Layer.effect(Authentication, makeAuthentication(inTurn)),
      Layer.effect(Authorization, makeAuthorization(inTurn)),
      Layer.effect(ScrapeAuthorization, makeScrapeAuthorization(inTurn)),
      Layer.effect(HandlingOfCallers, makeHandlingOfCallers)
    )
  })
)
