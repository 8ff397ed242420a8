/**
 * Requests of browsers that sign on at the identity provider (docs/sign-on.md). A cookie stands for some of them, so they are done for no
 * page of a stranger; what is refused counts as a guess.
 */
import { Effect, Option, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { BASE } from "../../api/Api.ts"
import { enveloped } from "../../api/Envelope.ts"
import { Forbidden, NotFound, Unauthorized } from "../../api/Failures.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { findToken } from "../core/AuthorizationLive.ts"
import { baseUrlOf, clientOf } from "../core/Client.ts"
import { failure } from "../core/ErrorEnvelope.ts"
import { Limits } from "../core/Limits.ts"
import { makeIsTrustedOrigin } from "../core/Origins.ts"
import { makeRefusedCalls } from "../core/RefusedCalls.ts"
import { LOGOUT, loginsIn, REFRESH, withLogin, withoutLogin, withoutSession, withSession } from "../oidc/Cookies.ts"
import { SignOn, type SignOnRefused } from "../oidc/SignOn.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const OFF = "Can't login when OIDC disabled"
const NOT_LOGGED_IN = "Exception during authorization of the access token. Please try to login again."
const FOREIGN = "A page of another site asks for this: only pages of this server and of ALLOWED_ORIGINS may"
const ENDED = "The session has ended. Please try to login again."

const answer = (data: unknown): Response => HttpServerResponse.jsonUnsafe(enveloped(data))

const sessionOf = (response: Response, token: Option.Option<string>): Response =>
  Option.match(token, { onNone: () => response, onSome: (one) => withSession(response, one) })

export const makeOidcRequests = Effect.gen(function* () {
  const { FRONTEND_CALLBACK_URL, OIDC_REDIRECT_URL } = yield* ServerConfig
  const { flows } = yield* SignOn
  const limits = yield* Limits
  const isTrusted = yield* makeIsTrustedOrigin
  const refusals = yield* makeRefusedCalls

  const on = flows === null ? Effect.fail(new NotFound({ message: OFF })) : Effect.succeed(flows)

  /** The answer to a browser that is not let in. Why stands in log and audit: whoever asks need not learn it. */
  const refused = Effect.fnUntraced(function* (request: Request, { reason }: SignOnRefused, told: Response) {
    yield* limits.noteGuess(request)
    yield* refusals.stranger(request, reason)
    yield* Effect.logInfo("A login was refused", { reason, address: clientOf(request).address })
    return told
  })

  const guarded = Effect.fnUntraced(function* <E, R>(request: Request, work: Effect.Effect<Response, E, R>) {
    const refusal = yield* limits.refusalOfGuess(request)
    return refusal ?? (yield* work)
  })

  const begin = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { begin } = yield* on
    const redirect = Option.getOrElse(OIDC_REDIRECT_URL, () => `${baseUrlOf(request)}${BASE}/auth/auth`)
    const { sealed, url } = yield* begin(redirect)
    return withLogin(HttpServerResponse.redirect(url), sealed, redirect.startsWith("https:"))
  })

  const end = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { end } = yield* on
    const query = request.url.slice(request.url.indexOf("?") + 1)
    const came = end(loginsIn(request.cookies), query, clientOf(request).address).pipe(
      Effect.map(({ answer: { access_token }, refreshToken, username }) => {
        const page = new URL(FRONTEND_CALLBACK_URL)
        page.searchParams.set("token", access_token)
        if (username !== undefined) page.searchParams.set("username", username)
        return sessionOf(HttpServerResponse.redirect(page), refreshToken)
      }),
      Effect.catchTag("SignOnRefused", (why) => refused(request, why, failure(401, {}, NOT_LOGGED_IN)))
    )
    return withoutLogin(yield* guarded(request, came))
  })

  const trusted = Effect.fnUntraced(function* (request: Request) {
    if (!isTrusted(request)) return yield* new Forbidden({ message: FOREIGN })
  })

  /** The cookie stays: of two pages that refresh at once, one has brought another by now. */
  const ended = () =>
    HttpServerResponse.jsonUnsafe({ status: "error", message: ENDED, errorCode: "auth_expired" }, { status: 401 })

  const refresh = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { refresh } = yield* on
    yield* trusted(request)
    const token = request.cookies[REFRESH]
    if ((request.headers["authorization"] ?? "") === "")
      return yield* new Unauthorized({ message: "JWT token missing?" })
    if (token === undefined || token === "")
      return yield* new Unauthorized({ message: ENDED, errorCode: "auth_expired" })
    const renewed = refresh(token, clientOf(request).address).pipe(
      Effect.flatMap(({ granted, noted }) => {
        if (Result.isSuccess(noted)) return Effect.succeed(sessionOf(answer(granted.answer), granted.refreshToken))
        const why = noted.failure
        if (why._tag === "SignOnRefused") return Effect.fail(why)
        const later = failure(503, {}, "The new token cannot be looked at just now, try again later")
        return Effect.succeed(sessionOf(later, granted.refreshToken))
      }),
      Effect.catchTag("SignOnRefused", (why) => refused(request, why, ended()))
    )
    return yield* guarded(request, renewed)
  })

  const logout = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { logout } = yield* on
    yield* trusted(request)
    const bearer = Result.getSuccess(findToken(request.headers["authorization"], undefined))
    const token = Option.filter(Option.fromNullishOr(request.cookies[LOGOUT]), (text) => text !== "")
    return withoutSession(answer(yield* logout(token, bearer, clientOf(request).address)))
  })

  return { begin, end, refresh, logout }
})
