/** Finds the token of a request and the caller that it names (docs/api.md#tokens). */
import { Effect, Layer, Option, Result, Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { unhandled } from "effect/Types"
import { Permit } from "../../access/Permit.ts"
import { Authentication, Authorization, Caller } from "../../api/Authorization.ts"
import { Forbidden, ServiceUnavailable, Unauthorized } from "../../api/Failures.ts"
import { Acting } from "../../domain/access/Acting.ts"
import { everybody, type Identity } from "../../domain/access/Identity.ts"
import { makeRefusedCalls } from "./RefusedCalls.ts"
import { makePermitOf } from "./RequestPermit.ts"
import { rememberCaller } from "./RequestNotes.ts"
import { Tokens } from "./Tokens.ts"
import { refuseOrDie } from "./Unavailable.ts"

const MISSING = "JWT token missing?"
const MALFORMED = `Invalid header, ${MISSING} Bad Authorization header. Expected 'Authorization: Bearer <JWT>'`

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
      : Result.succeed(token)
  }
  const jwt = typeof query === "string" ? query : query?.[0]
  return jwt === undefined || jwt === "" ? Result.fail(new Unauthorized({ message: MISSING })) : Result.succeed(jwt)
}

/** Who sends a request; fails when there is no good token. */
export const makeCallerOf = Effect.gen(function* () {
  const tokens = yield* Tokens
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    if (!tokens.required) return everybody
    const query = yield* HttpServerRequest.ParsedSearchParams
    return yield* Effect.flatMap(
      Effect.fromResult(findToken(request.headers["authorization"], query["jwt"])),
      tokens.check
    )
  })
})

type Handling = Effect.Effect<HttpServerResponse.HttpServerResponse, unhandled, Caller>

/** Runs the rest of the request in the name of its caller. */
const inNameOf = (request: HttpServerRequest.HttpServerRequest, caller: Identity, httpEffect: Handling) => {
  const { name, way } = caller
  rememberCaller(request, name)
  const address = Option.getOrNull(request.remoteAddress)
  return httpEffect.pipe(
    Effect.provideService(Caller, caller),
    Effect.provideService(Acting, { name, way, address, job: null })
  )
}

/** As `makeCallerOf`, with refusals noted. */
const makeNotedCallerOf = Effect.gen(function* () {
  const callerOf = yield* makeCallerOf
  const refused = yield* makeRefusedCalls
  const notedCallerOf = (request: HttpServerRequest.HttpServerRequest) =>
    Effect.tapError(callerOf(request), ({ message }) => refused.stranger(request, String(message)))
  return { callerOf: notedCallerOf, refused }
})

const isForbidden = Schema.is(Forbidden)

const makeAuthentication = Effect.gen(function* () {
  const { callerOf } = yield* makeNotedCallerOf
  return Authentication.of({
    bearer: Effect.fnUntraced(function* (httpEffect) {
      const request = yield* HttpServerRequest.HttpServerRequest
      return yield* inNameOf(request, yield* callerOf(request), httpEffect)
    })
  })
})

const makeAuthorization = Effect.gen(function* () {
  const { callerOf, refused } = yield* makeNotedCallerOf
  const permitOf = yield* makePermitOf
  return Authorization.of({
    bearer: Effect.fnUntraced(function* (httpEffect, { endpoint }) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const caller = yield* callerOf(request)
      const noted = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.tapError(work, (error) =>
          isForbidden(error) ? refused.caller(request, caller, String(error.message)) : Effect.void
        )
      const permit = yield* permitOf(request, caller, endpoint).pipe(
        Effect.catchTags({
          NotPermitted: ({ message }) => new Forbidden({ message }),
          SettingsUnavailable: ({ refusal }) => new ServiceUnavailable({ message: refusal }),
          SqlError: refuseOrDie
        }),
        noted
      )
      const handled = noted(inNameOf(request, caller, httpEffect))
      return yield* permit === null ? handled : Effect.provideService(handled, Permit, permit)
    })
  })
})

/** The middlewares in front of endpoints that need a token. */
export const AuthorizationLive = Layer.merge(
  Layer.effect(Authentication, makeAuthentication),
  Layer.effect(Authorization, makeAuthorization)
)
