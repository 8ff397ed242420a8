/** Finds the token of a request and the caller that it names (docs/api.md#tokens). */
import { Effect, Layer, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { Authorization, Caller } from "../../api/Authorization.ts"
import { Unauthorized } from "../../api/Failures.ts"
import { Acting } from "../../domain/access/Acting.ts"
import { everybody } from "../../domain/access/Identity.ts"
import { clientOf } from "./Client.ts"
import { Limits } from "./Limits.ts"
import { rememberCaller } from "./RequestNotes.ts"
import { Tokens } from "./Tokens.ts"

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
  const limits = yield* Limits
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    if (!tokens.required) return everybody
    const query = yield* HttpServerRequest.ParsedSearchParams
    const token = yield* Effect.fromResult(findToken(request.headers["authorization"], query["jwt"]))
    const caller = yield* tokens.check(token)
    limits.vouch(token)
    return caller
  })
})

/** A token that was good once is no guess, nor is none at all. */
const isGuess = ({ errorCode, message }: Unauthorized): boolean =>
  errorCode === undefined && message !== MISSING && message !== MALFORMED

const make = Effect.gen(function* () {
  const callerOf = yield* makeCallerOf
  const limits = yield* Limits
  /** Why nobody can be named: 401, or 429 for an address that has guessed too often. */
  const refusalOf = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    unauthorized: Unauthorized
  ) {
    if (!isGuess(unauthorized)) return yield* unauthorized
    const refusal = yield* limits.refusalOfGuess(request)
    yield* limits.noteGuess(request)
    return refusal ?? (yield* unauthorized)
  })
  return Authorization.of({
    bearer: Effect.fnUntraced(function* (httpEffect) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const found = yield* Effect.result(callerOf(request))
      if (Result.isFailure(found)) return yield* refusalOf(request, found.failure)
      const caller = found.success
      const { name, way } = caller
      rememberCaller(request, name)
      const { address } = clientOf(request)
      return yield* httpEffect.pipe(
        Effect.provideService(Caller, caller),
        Effect.provideService(Acting, { name, way, address, job: null })
      )
    })
  })
})

/** The middleware in front of every endpoint that needs a token. */
export const AuthorizationLive = Layer.effect(Authorization, make)
