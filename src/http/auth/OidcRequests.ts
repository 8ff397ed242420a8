/**
 * Requests of browsers that sign on at the identity provider (docs/sign-on.md). Some are authenticated by a cookie, so they are refused for
 * pages of other sites. Refusals count as guesses.
 */
import { findToken } from "../core/Callers.ts"
import { Clock, Effect, Option, Predicate, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { PageSessions } from "../../access/PageSessions.ts"
import { BASE } from "../../api/Api.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { baseUrlOf, clientOf, makeIsTrustedOrigin } from "../core/Client.ts"
import { failure } from "../core/ErrorEnvelope.ts"
import { Limits } from "../core/Limits.ts"
import { makeRefusalAudit } from "../core/RequestLog.ts"
import {
  heldOf,
  loginsIn,
  LOGOUT,
  REFRESH,
  sessionSeconds,
  withLogin,
  withoutLogin,
  withoutSession,
  withPage,
  withSession
} from "../oidc/SessionCookies.ts"
import { type Flows, type Granted, type LoginState, SignOnRefused } from "../oidc/SignOn.ts"
import { PAGE_BASE } from "../page/WebPages.ts"
import { enveloped, Forbidden, NotFound, Unauthorized } from "../../api/Answers.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

const OFF = "Can't login when OIDC disabled"
const NOT_LOGGED_IN = "Exception during authorization of the access token. Please try to login again."
const FOREIGN = "A page of another site asks for this: only pages of this server and of ALLOWED_ORIGINS may"
const ENDED = "The session has ended. Please try to login again."

/** Where the page of Switchyard continues after a login. */
const SIGNED_ON = `${PAGE_BASE}signed-on`

/** The provider's errors for users who come back without a code; these are no guesses. */
const BROKEN_OFF: ReadonlySet<string> = new Set([
  "access_denied",
  "consent_required",
  "interaction_required",
  "login_required",
  "account_selection_required",
  "server_error",
  "temporarily_unavailable"
])

const NOT_BEGUN = "no login was begun in this browser, or it has ended"

/** A sentence for the user, by the reason. It repeats nothing of the address. */
const sentenceOf = (reason: string): string => {
  if (reason === NOT_BEGUN) {
    return "This sign-on was begun in another browser, was used before, or took longer than ten minutes."
  }
  if (reason === "server_error" || reason === "temporarily_unavailable") {
    return "The identity provider cannot sign anybody on just now."
  }
  return BROKEN_OFF.has(reason)
    ? "The sign-on was cancelled, or the identity provider does not let you use Switchyard."
    : "The identity provider did not confirm who you are, or its answer is not accepted. If it happens again, ask an administrator."
}

const isBrowser = ({ headers, method }: Request): boolean =>
  method === "GET" && /\btext\/html\b/.test(headers["accept"] ?? "")

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)

/** A page that says why the user is not signed on, with links back. */
const pageOf = (status: number, sentence: string, [again, back]: readonly [string, string]): Response =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not signed on - Switchyard</title></head>
<body><main>
<h1>Not signed on</h1>
<p>${escaped(sentence)}</p>
<p><a href="${escaped(again)}">Try again</a></p>
<p><a href="${escaped(back)}">Back to the start</a></p>
</main></body>
</html>
`,
    { status, contentType: "text/html; charset=utf-8", headers: { "cache-control": "no-store" } }
  )

const answer = (data: unknown): Response => HttpServerResponse.jsonUnsafe(enveloped(data))

const sessionOf = (response: Response, token: Option.Option<string>): Response =>
  Option.match(token, { onNone: () => response, onSome: (one) => withSession(response, one) })

export const makeOidcRequests = Effect.fnUntraced(function* (flows: Flows | null) {
  const { FRONTEND_CALLBACK_URL, OIDC_REDIRECT_URL } = yield* ServerConfig
  const limits = yield* Limits
  const sessions = yield* PageSessions
  const isTrusted = yield* makeIsTrustedOrigin
  const refusals = yield* makeRefusalAudit

  const on = flows === null ? Effect.fail(new NotFound({ message: OFF })) : Effect.succeed(flows)

  const callback = new URL(FRONTEND_CALLBACK_URL)
  const isOwnCallback = callback.pathname === SIGNED_ON
  const endsInPage = (login: Pick<LoginState, "isOfPage">) => login.isOfPage || isOwnCallback

  /** The links back: try again, and the start page. */
  const waysBack = (isOfPage: boolean) =>
    isOfPage || isOwnCallback
      ? ([`${BASE}/auth/login?page=ui`, PAGE_BASE] as const)
      : ([`${BASE}/auth/login`, new URL("/", callback).href] as const)

  const asPage = (status: number, sentence: string, isOfPage: boolean): Response =>
    pageOf(status, sentence, waysBack(isOfPage))

  /** Shows the failure as a page in a browser. */
  const shownTo =
    (request: Request, isOfPage: boolean) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | Response, E, R> =>
      Effect.catchIf(
        work,
        (error): error is Extract<E, { readonly httpStatus: 404 | 503 }> =>
          isBrowser(request) &&
          Predicate.hasProperty(error, "httpStatus") &&
          (error.httpStatus === 503 || error.httpStatus === 404),
        ({ httpStatus }) =>
          Effect.succeed(
            httpStatus === 404
              ? asPage(404, "Nobody signs on at an identity provider here.", isOfPage)
              : asPage(503, "The identity provider does not answer. Try again in a moment.", isOfPage)
          )
      )

  /** Refuses a login. The reason is in the log and the audit only. */
  const refused = Effect.fnUntraced(function* (request: Request, { reason }: SignOnRefused, answer: Response) {
    if (!BROKEN_OFF.has(reason)) yield* limits.noteGuess(request)
    yield* refusals.stranger(request, reason)
    yield* Effect.logInfo("A login was refused", { reason, address: clientOf(request).address })
    return answer
  })

  const notLoggedIn = (request: Request, { reason }: SignOnRefused, isOfPage: boolean): Response =>
    isBrowser(request) ? asPage(401, sentenceOf(reason), isOfPage) : failure(401, {}, NOT_LOGGED_IN)

  const guarded = Effect.fnUntraced(function* <E, R>(request: Request, work: Effect.Effect<Response, E, R>) {
    const refusal = yield* limits.refusalOfGuess(request)
    return refusal ?? (yield* work)
  })

  const begin = Effect.fnUntraced(function* (isOfPage: boolean) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const redirect = Option.getOrElse(OIDC_REDIRECT_URL, () => `${baseUrlOf(request)}${BASE}/auth/auth`)
    const begun = Effect.gen(function* () {
      const { sealed, state, url } = yield* (yield* on).begin(redirect, isOfPage)
      const isEncrypted = redirect.startsWith("https:")
      return withLogin(HttpServerResponse.redirect(url), { sealed, state }, isEncrypted, request.cookies)
    })
    return yield* shownTo(request, isOfPage)(begun)
  })

  /** The page gets a cookie that only this server reads, and no token in its address. */
  const toPage = Effect.fnUntraced(function* ({ answer, refreshToken }: Granted, isEncrypted: boolean) {
    const now = (yield* Clock.currentTimeMillis) / 1000
    const held = heldOf(answer, Option.getOrNull(refreshToken), now)
    const { cookie, cookieSeconds } = yield* sessions.begin(held, sessionSeconds(held, now))
    return withPage(HttpServerResponse.redirect(SIGNED_ON), cookie, cookieSeconds, isEncrypted)
  })

  const toFrontend = (granted: Granted, username: string | undefined): Response => {
    const page = new URL(callback)
    page.searchParams.set("token", granted.answer.access_token)
    if (username !== undefined) page.searchParams.set("username", username)
    return sessionOf(HttpServerResponse.redirect(page), granted.refreshToken)
  }

  const end = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const known = yield* shownTo(request, isOwnCallback)(on)
    if (!("begun" in known)) return known
    const { begun, end } = known
    const query = request.url.includes("?") ? request.url.slice(request.url.indexOf("?") + 1) : ""
    const state = new URLSearchParams(query).get("state") ?? ""
    const came = Effect.gen(function* () {
      const found = yield* begun(loginsIn(request.cookies, state))
      if (Option.isNone(found)) {
        const why = new SignOnRefused({ reason: NOT_BEGUN })
        return yield* refused(request, why, notLoggedIn(request, why, false))
      }
      const login = found.value
      const answer = yield* end(login, query, clientOf(request).address).pipe(
        Effect.flatMap((granted) =>
          endsInPage(login)
            ? toPage(granted, login.redirect.startsWith("https:"))
            : Effect.succeed(toFrontend(granted, granted.username))
        ),
        Effect.catchTag("SignOnRefused", (why) => refused(request, why, notLoggedIn(request, why, login.isOfPage))),
        shownTo(request, login.isOfPage)
      )
      // the address can be tried again if the provider was unavailable
      return answer.status === 503 ? answer : withoutLogin(answer, state)
    })
    return yield* guarded(request, came)
  })

  const trusted = Effect.fnUntraced(function* (request: Request) {
    if (!isTrusted(request)) return yield* new Forbidden({ message: FOREIGN })
  })

  /** The cookie stays: if two pages refresh at once, the other one may have set a new one. */
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
        if (why instanceof SignOnRefused) return Effect.fail(why)
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
