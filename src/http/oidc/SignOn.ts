/**
 * Signing on with a browser (docs/sign-on.md): at the provider with a code (PKCE), renewing a token, and signing off. A token of the
 * provider is checked like any token before it is handed on, so that no browser gets one that would be refused.
 */
import { Clock, Effect, Option, Redacted, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  tokenRevocation
} from "openid-client"
import { Acting, type Identity } from "../../domain/access/Identity.ts"
import { SecretKey } from "../../runtime/SecretKey.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { EventStore } from "../../store/EventStore.ts"
import { type ProviderAccess, ProviderAway, type ProviderRefused } from "./Provider.ts"
import { ProviderTokens } from "./ProviderTokens.ts"
import { EncryptJWT, jwtDecrypt } from "jose"
import { type ServiceUnavailable, Unauthorized } from "../../api/Answers.ts"

// The state of a login while the user is at the provider. It is sealed in a cookie of the browser, so that any replica can continue. It is
// valid for ten minutes, and once.

const State = Schema.Struct({
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  /** The address that the provider redirects to. */
  redirect: Schema.String,
  /** Begun by the page of Switchyard, to which it returns. */
  isOfPage: Schema.Boolean
})
export type LoginState = typeof State.Type

const read = Schema.decodeUnknownOption(State)

/** Seconds. */
export const LIFETIME = 600
const MAX_USED = 10_000

/** Seals states and opens them. */
const makeLoginStates = Effect.gen(function* () {
  const key = Redacted.value((yield* SecretKey).keyFor("logins at an identity provider"))
  /** Used states with their expiry; expired ones are removed. */
  const used = new Map<string, number>()

  const use = Effect.fnUntraced(function* ({ state }: LoginState) {
    const now = (yield* Clock.currentTimeMillis) / 1000
    if (used.has(state)) return false
    used.set(state, now + LIFETIME)
    // the oldest come first; the provider accepts a code only once, too
    for (const [known, end] of used) {
      if (end >= now && used.size <= MAX_USED) break
      used.delete(known)
    }
    return true
  })

  return {
    seal: Effect.fnUntraced(function* (state: LoginState) {
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const sealed = new EncryptJWT({ ...state })
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .setIssuedAt(now)
        .setExpirationTime(now + LIFETIME)
      return yield* Effect.promise(() => sealed.encrypt(key))
    }),
    /** The sealed state; none if it is not ours, has expired, or was used before. */
    open: Effect.fnUntraced(function* (text: string) {
      const currentDate = new Date(yield* Clock.currentTimeMillis)
      const options = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"], currentDate }
      const opened = yield* Effect.option(Effect.tryPromise(() => jwtDecrypt(text, key, options)))
      const found = Option.flatMap(opened, ({ payload }) => read(payload))
      return Option.isSome(found) && (yield* use(found.value)) ? found : Option.none<LoginState>()
    }),
    /** The provider did not answer: the same address may be used again. */
    release: ({ state }: LoginState) => Effect.sync(() => void used.delete(state))
  }
})

/** The login is refused; `reason` is for the log and the audit. */
export class SignOnRefused extends Schema.TaggedError<SignOnRefused>()("SignOnRefused", { reason: Schema.String }) {}

const NO_TOKEN = "Tokens cannot be fetched"

/** The result of a login or a refresh. */
export interface Granted {
  /** The provider's answer without the refresh token. */
  readonly answer: Readonly<Record<string, unknown>> & { readonly access_token: string }
  /** The new refresh token; none if it stays the same or there is none. */
  readonly refreshToken: Option.Option<string>
}

interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token?: string | undefined
}

const granted = ({ refresh_token, ...answer }: TokenAnswer): Granted => ({
  answer,
  refreshToken: Option.fromNullishOr(refresh_token)
})

type Failure = SignOnRefused | ServiceUnavailable | ProviderAway | SqlError.SqlError

/** A login from a cookie. */
type SentLogin = { readonly sealed: string; readonly isEncrypted: boolean }

const refusedBecause = ({ reason }: ProviderRefused) => Effect.fail(new SignOnRefused({ reason }))

const makeFlows = Effect.fnUntraced(function* (
  access: ProviderAccess,
  check: (token: string) => Effect.Effect<Identity, Unauthorized | ServiceUnavailable | ProviderAway>
) {
  const { OIDC_CLIENT_SCOPE, OIDC_USERNAME_ATTRIBUTE } = yield* ServerConfig
  const events = yield* EventStore
  const states = yield* makeLoginStates

  const note = (action: string, { name }: Pick<Identity, "name">, address: string | null) =>
    Effect.provideService(events.append({ kind: "login", action, isAudit: true, data: { name } }), Acting, {
      name,
      way: "oidc",
      address,
      job: null
    })

  /** The identity behind a new token. */
  const bearerOf = (token: string) =>
    Effect.mapError(check(token), (error) =>
      !(error instanceof Unauthorized)
        ? error
        : new SignOnRefused({ reason: `the provider's token would be refused: ${String(error.message)}` })
    )

  const begin = Effect.fn("SignOn.begin")(function* (redirect: string, isOfPage: boolean) {
    const login: LoginState = {
      state: randomState(),
      nonce: randomNonce(),
      verifier: randomPKCECodeVerifier(),
      redirect,
      isOfPage
    }
    const configuration = yield* access.configuration
    const challenge = yield* Effect.promise(() => calculatePKCECodeChallenge(login.verifier))
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirect,
      scope: OIDC_CLIENT_SCOPE,
      response_mode: "query",
      state: login.state,
      nonce: login.nonce,
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...Option.match(access.audience, { onNone: () => ({}), onSome: (audience) => ({ audience }) })
    })
    return { url, state: login.state, sealed: yield* states.seal(login) }
  })

  const exchange = (login: LoginState, query: string) =>
    access
      .ask(NO_TOKEN, async (configuration) => {
        const came = new URL(login.redirect)
        came.search = query
        const tokens = await authorizationCodeGrant(configuration, came, {
          expectedState: login.state,
          expectedNonce: login.nonce,
          pkceCodeVerifier: login.verifier,
          idTokenExpected: true
        })
        return { ...tokens }
      })
      .pipe(Effect.catchTag("ProviderRefused", refusedBecause))

  const begun = Effect.fn("SignOn.begun")(function* (sent: ReadonlyArray<SentLogin>) {
    const opened = yield* Effect.forEach(sent, ({ isEncrypted, sealed }) =>
      Effect.map(states.open(sealed), (state) =>
        Option.filter(state, ({ redirect }) => redirect.startsWith("https:") === isEncrypted)
      )
    )
    return Option.firstSomeOf(opened)
  })

  const end = Effect.fn("SignOn.end")(function* (login: LoginState, query: string, address: string | null) {
    const tokens = yield* Effect.tapErrorTag(exchange(login, query), "ProviderAway", () => states.release(login))
    const bearer = yield* bearerOf(tokens.access_token)
    yield* note("accepted", bearer, address)
    const username = Object.hasOwn(bearer.attributes, OIDC_USERNAME_ATTRIBUTE) ? bearer.name : undefined
    return { ...granted(tokens), username, bearer }
  })

  /** The new refresh token is handed on in any case, because the old one may be invalid from now on. */
  const refresh = Effect.fn("SignOn.refresh")(function* (token: string, address: string | null) {
    const tokens = yield* access
      .ask(NO_TOKEN, async (configuration) => ({ ...(await refreshTokenGrant(configuration, token)) }))
      .pipe(Effect.catchTag("ProviderRefused", refusedBecause))
    const noted = Effect.flatMap(bearerOf(tokens.access_token), (bearer) => note("refreshed", bearer, address))
    return { granted: granted(tokens), noted: yield* Effect.result(noted) }
  })

  const revoked = (token: string) =>
    access
      .ask("Tokens cannot be revoked", async (configuration) => {
        if (configuration.serverMetadata().revocation_endpoint === undefined) return false
        await tokenRevocation(configuration, token, { token_type_hint: "refresh_token" })
        return true
      })
      .pipe(
        Effect.tapError(({ message }) => Effect.logWarning("A refresh token was not revoked", { reason: message })),
        Effect.orElseSucceed(() => false)
      )

  const endSession = Effect.map(Effect.option(access.configuration), (configuration) =>
    Option.filter(configuration, (known) => known.serverMetadata().end_session_endpoint !== undefined).pipe(
      Option.map((known) => buildEndSessionUrl(known).href),
      Option.getOrNull
    )
  )

  const logout = Effect.fn("SignOn.logout")(function* (
    token: Option.Option<string>,
    bearer: Option.Option<string>,
    address: string | null
  ) {
    if (Option.isNone(token)) return { revoked: false, end_session_url: yield* endSession }
    const known = yield* Option.match(bearer, {
      onNone: () => Effect.succeedNone,
      onSome: (one) => Effect.option(check(one))
    })
    const isRevoked = yield* revoked(token.value)
    if (Option.isSome(known)) yield* note("ended", known.value, address)
    return { revoked: isRevoked, end_session_url: yield* endSession }
  })

  const close = Effect.fn("SignOn.close")(function* (token: Option.Option<string>) {
    const isRevoked = Option.isSome(token) && (yield* revoked(token.value))
    return { revoked: isRevoked, end_session_url: yield* endSession }
  })

  return { begin, begun, end, refresh, logout, close }
})

export interface Flows {
  /** The provider's login page, and the state for the browser's cookie. */
  readonly begin: (
    redirect: string,
    isOfPage: boolean
  ) => Effect.Effect<{ readonly url: URL; readonly state: string; readonly sealed: string }, ProviderAway>
  /** The login from the cookies, which can be used once; none if it is not ours, has expired, or was used. */
  readonly begun: (sent: ReadonlyArray<SentLogin>) => Effect.Effect<Option.Option<LoginState>>
  /** Completes the login with the query of the provider's redirect. */
  readonly end: (
    login: LoginState,
    query: string,
    address: string | null
  ) => Effect.Effect<Granted & { readonly username: string | undefined; readonly bearer: Identity }, Failure>
  /** A new token; `noted` is the failure after the provider had issued it. */
  readonly refresh: (
    token: string,
    address: string | null
  ) => Effect.Effect<{ readonly granted: Granted; readonly noted: Result.Result<void, Failure> }, Failure>
  /** Ends the session as far as possible. `bearer` identifies the user. */
  readonly logout: (
    token: Option.Option<string>,
    bearer: Option.Option<string>,
    address: string | null
  ) => Effect.Effect<Closed, SqlError.SqlError>
  /** Revokes the refresh token of an ended session. */
  readonly close: (token: Option.Option<string>) => Effect.Effect<Closed>
}

/** How far the session was ended at the provider, and the page that completes the sign-off. */
interface Closed {
  readonly revoked: boolean
  readonly end_session_url: string | null
}

/** Yields what browsers sign on with; null while OIDC_ENABLED is false. */
export const makeSignOn = Effect.gen(function* () {
  const { access, check } = yield* ProviderTokens
  return access === null || check === null ? null : ((yield* makeFlows(access, check)) satisfies Flows)
})
