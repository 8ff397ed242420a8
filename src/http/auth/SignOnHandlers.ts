/** Handlers of signing on: with a password, at the identity provider, and in the page (docs/security.md#local-users, docs/sign-on.md). */
import { Clock, Effect, Option, Redacted, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { LocalUsers } from "../../access/LocalUsers.ts"
import { PasswordLogin } from "../../access/PasswordLogin.ts"
import { Api, BASE } from "../../api/Api.ts"
import { isText } from "../../domain/Text.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { clientOf, isOverTls, isOwnPage } from "../core/Client.ts"
import { answered } from "../core/HandlerErrors.ts"
import { makeOidcRequests } from "./OidcRequests.ts"
import type { SqlError } from "effect/sql"
import { type Handed, type Held, isPageToken, type OpenSession, PageSessions } from "../../access/PageSessions.ts"
import { Acting, type Identity } from "../../domain/access/Identity.ts"
import { makeTurns } from "../../runtime/FairPlaces.ts"
import { EventStore } from "../../store/EventStore.ts"
import { Callers, findToken, isGuess } from "../core/Callers.ts"
import { Limits } from "../core/Limits.ts"
import { endOf, heldOf, pageIn, sessionSeconds, withoutPage, withPage } from "../oidc/SessionCookies.ts"
import { FirstStart } from "../core/FirstStart.ts"
import { makeRefusalAudit } from "../core/RequestLog.ts"
import { type Flows, makeSignOn } from "../oidc/SignOn.ts"
import { enveloped, Forbidden, NotFound, ServiceUnavailable, Unauthorized } from "../../api/Answers.ts"

// Sessions of the page (docs/sign-on.md#the-page). A cookie authenticates these requests, so they are refused for other pages. Refusals
// count as guesses.

type Request = HttpServerRequest.HttpServerRequest

/** A token with fewer seconds left is renewed before it is used. */
const SOON = 60

const FOREIGN = "A page of another site asks for this: only the page of this server may"
const ENDED = "Nobody is signed on here, or the session has ended. Sign on again."

const seconds = Effect.map(Clock.currentTimeMillis, (millis) => millis / 1000)

/** The same sentence as for a missing token. */
const tokenMissing = () => new Unauthorized({ message: "JWT token missing?" })
const over = () => new Unauthorized({ message: ENDED, errorCode: "auth_expired" })

const firstOf = ({ attributes }: Identity, name: string): string | undefined =>
  Object.hasOwn(attributes, name) ? attributes[name]?.[0] : undefined

/** `byPassword` yields the token for the name and password in a request. */
const makePageRequests = Effect.fnUntraced(function* <E>(
  byPassword: (request: Request) => Effect.Effect<Redacted.Redacted, E>,
  flows: Flows | null
) {
  const callers = yield* Callers
  const events = yield* EventStore
  const limits = yield* Limits
  const refusals = yield* makeRefusalAudit
  const sessions = yield* PageSessions
  const inTurn = makeTurns()

  const own = Effect.fnUntraced(function* (request: Request) {
    if (!isOwnPage(request)) return yield* new Forbidden({ message: FOREIGN })
  })

  const answerOf = (request: Request, { cookie, cookieSeconds, token, tokenSeconds }: Handed) =>
    withPage(
      HttpServerResponse.jsonUnsafe(enveloped({ access_token: Redacted.value(token), expires_in: tokenSeconds })),
      cookie,
      cookieSeconds,
      isOverTls(request)
    )

  const cookieIn = (request: Request) => Option.fromNullishOr(pageIn(request.cookies))

  /** The session of a request, if it has a valid one. */
  const sessionOf = Effect.fnUntraced(function* (request: Request) {
    const cookie = cookieIn(request)
    if (Option.isNone(cookie)) return Option.none<OpenSession>()
    return yield* sessions.open(cookie.value).pipe(
      Effect.map(Option.some),
      Effect.catchTag("NoSession", () => Effect.succeed(Option.none<OpenSession>()))
    )
  })

  /** Ends the browser's former session. */
  const forget = (request: Request) =>
    Effect.flatMap(
      sessionOf(request),
      Option.match({ onNone: () => Effect.void, onSome: ({ id }) => sessions.end(id) })
    )

  const begin = Effect.fnUntraced(function* (request: Request, token: string) {
    const now = yield* seconds
    yield* forget(request)
    const what: Held = { token, refresh: null, until: endOf(token) }
    return answerOf(request, yield* sessions.begin(what, sessionSeconds(what, now)))
  })

  const byToken = Effect.fnUntraced(function* (request: Request) {
    const token = yield* Effect.fromResult(findToken(request.headers["authorization"], undefined))
    if (isPageToken(token)) return yield* new Unauthorized({ message: "A token of the page begins no session" })
    yield* callers.behind(token)
    return yield* begin(request, token)
  })

  /** Renews the session's token at the provider if it must be renewed and can be. */
  const renewed = Effect.fnUntraced(function* (request: Request, id: string, known: Held) {
    const now = yield* seconds
    const isLate = known.until !== null && known.until - now < SOON
    const present = yield* Effect.result(callers.behind(known.token))
    if (Result.isFailure(present) && !(present.failure instanceof Unauthorized)) return yield* present.failure
    if (Result.isSuccess(present) && !isLate) return
    if (known.refresh === null || flows === null) {
      if (Result.isSuccess(present)) return
      yield* sessions.end(id)
      return yield* over()
    }
    const { granted } = yield* flows.refresh(known.refresh, clientOf(request).address).pipe(
      Effect.catchTags({
        ProviderAway: ({ message }) => Effect.fail(new ServiceUnavailable({ message })),
        SignOnRefused: Effect.fnUntraced(function* ({ reason }) {
          yield* sessions.end(id)
          yield* refusals.stranger(request, reason)
          return yield* over()
        })
      })
    )
    const next = heldOf(
      granted.answer,
      Option.getOrElse(granted.refreshToken, () => known.refresh),
      now
    )
    // the old refresh token may be invalid from now on
    yield* sessions.replace(id, next)
    const after = yield* Effect.result(callers.behind(next.token))
    if (Result.isFailure(after)) {
      if (!(after.failure instanceof Unauthorized)) return yield* after.failure
      yield* sessions.end(id)
      return yield* over()
    }
    const isOther = Result.isSuccess(present) && firstOf(present.success, "sub") !== firstOf(after.success, "sub")
    if (!isOther) return
    yield* sessions.end(id)
    yield* Effect.logWarning(
      "SECURITY: the identity provider has renewed a session for another user: the session is ended"
    )
    return yield* over()
  })

  const exchanged = (request: Request, cookie: string) =>
    Effect.gen(function* () {
      const { held, id } = yield* sessions.open(cookie)
      yield* renewed(request, id, held)
      return answerOf(request, yield* sessions.exchange(cookie))
    }).pipe(
      // if two tabs renew together, one of them asks the provider
      (work) => inTurn(cookie.slice(0, 36), work),
      Effect.catchTag(
        "NoSession",
        Effect.fnUntraced(function* ({ isGuess, reason }) {
          if (isGuess) {
            yield* limits.noteGuess(request)
            yield* refusals.stranger(request, reason)
          }
          return yield* over()
        })
      )
    )

  const opened = Effect.fnUntraced(function* (request: Request) {
    const authorization = request.headers["authorization"] ?? ""
    if (/^Basic(?: |$)/i.test(authorization)) return yield* begin(request, Redacted.value(yield* byPassword(request)))
    const cookie = cookieIn(request)
    if (authorization === "" && Option.isNone(cookie)) return yield* tokenMissing()
    const refusal = yield* limits.refusalOfGuess(request)
    if (refusal !== undefined) return refusal
    if (authorization === "" && Option.isSome(cookie)) return yield* exchanged(request, cookie.value)
    return yield* Effect.tapError(byToken(request), (error) =>
      error instanceof Unauthorized && isGuess(error) ? limits.noteGuess(request) : Effect.void
    )
  })

  const note = (request: Request, { name, way }: Identity): Effect.Effect<void, SqlError.SqlError> =>
    events
      .append({ kind: "login", action: "ended", isAudit: true, data: { name } })
      .pipe(Effect.provideService(Acting, { name, way, address: clientOf(request).address, job: null }), Effect.asVoid)

  const closed = Effect.fnUntraced(function* (request: Request) {
    const nothing = { revoked: false, end_session_url: null }
    if (Option.isNone(cookieIn(request))) return yield* tokenMissing()
    const found = yield* sessionOf(request)
    if (Option.isNone(found)) return nothing
    const { held: known, id } = found.value
    const caller = yield* Effect.option(callers.behind(known.token))
    yield* sessions.end(id)
    if (Option.isSome(caller)) yield* note(request, caller.value)
    const isOfProvider = known.refresh !== null || Option.exists(caller, ({ way }) => way === "oidc")
    return isOfProvider && flows !== null ? yield* flows.close(Option.fromNullishOr(known.refresh)) : nothing
  })

  const asked = Effect.tap(HttpServerRequest.HttpServerRequest, own)

  return {
    open: Effect.flatMap(asked, opened),
    close: Effect.map(Effect.flatMap(asked, closed), (data) =>
      withoutPage(HttpServerResponse.jsonUnsafe(enveloped(data)))
    )
  }
})

const MAX_CREDENTIALS = 512

/** Name and password of HTTP Basic authentication. */
const credentialsIn = (header: string | undefined) => {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? "") ?? []
  const text = Buffer.from(encoded ?? "", "base64").toString("utf8")
  const colon = text.indexOf(":")
  return colon < 1 || text.length > MAX_CREDENTIALS || !isText(text, "secret")
    ? Option.none()
    : Option.some({ name: text.slice(0, colon), password: Redacted.make(text.slice(colon + 1)) })
}

const FIRST = "Nobody can log in with a password yet. Make an administrator: switchyard setup"

/** Handlers of `SignOnGroup`. */
export const SignOnLive = HttpApiBuilder.group(Api, "signOn", (handlers) =>
  Effect.gen(function* () {
    const { JWT_ENABLED, LOCAL_USERS, OIDC_CONF_WELL_KNOWN_URL, OIDC_ENABLED, SECURE_DEFAULTS, SITE_NAME } =
      yield* ServerConfig
    const first = yield* FirstStart
    const logins = yield* PasswordLogin
    const users = yield* LocalUsers
    const isOn = LOCAL_USERS && JWT_ENABLED
    // the first screen of a new installation says so
    if (isOn && !SECURE_DEFAULTS && (yield* users.all).length === 0) yield* Effect.logWarning(FIRST)

    const byPassword = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      if (!isOn) return yield* new NotFound({ message: "Not Found" })
      const sent = credentialsIn(request.headers["authorization"])
      if (Option.isNone(sent))
        return yield* new Unauthorized({ message: "Expected 'Authorization: Basic <name:password>'" })
      const { name, password } = sent.value
      return yield* Effect.catchTag(
        logins.login(name, password, clientOf(request).address),
        "LoginRefused",
        ({ message }) => Effect.fail(new Unauthorized({ message }))
      )
    })

    const login = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      return { access_token: Redacted.value(yield* byPassword(request)) }
    })
    const flows = yield* makeSignOn
    const oidc = yield* makeOidcRequests(flows)
    const pages = yield* makePageRequests(byPassword, flows)
    // the server does not start without the provider's address
    const provider = OIDC_ENABLED
      ? Option.map(OIDC_CONF_WELL_KNOWN_URL, (url) => ({
          name: new URL(url).hostname,
          path: `${BASE}/auth/login?page=ui`
        }))
      : Option.none()
    const ways = Effect.map(first.isOpen, (is_new) =>
      enveloped({
        needed: JWT_ENABLED,
        password: isOn,
        provider: Option.getOrNull(provider),
        token: JWT_ENABLED,
        site: Option.getOrNull(SITE_NAME),
        is_new
      })
    )
    return handlers
      .handle("ways", () => ways)
      .handle("login", () => answered(login))
      .handle("beginLogin", ({ query }) => answered(oidc.begin(query.page === "ui")))
      .handle("endLogin", () => answered(oidc.end))
      .handle("refreshLogin", () => answered(oidc.refresh))
      .handle("logout", () => answered(oidc.logout))
      .handle("openPage", () => answered(pages.open))
      .handle("closePage", () => answered(pages.close))
  })
)
