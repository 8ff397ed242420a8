/**
 * Signing on with a browser (docs/sign-on.md): to the provider and back with a code (PKCE), a new token for a refresh token, and out again.
 * What the provider gives is looked at as any token is before it is handed on, so that nobody gets one that would be refused.
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
import { type ServiceUnavailable, Unauthorized } from "../../api/Answers.ts"
import { Acting, type Identity } from "../../domain/access/Identity.ts"
import { SecretKey } from "../../runtime/SecretKey.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { EventStore } from "../../store/EventStore.ts"
import { Provider, type ProviderAccess, ProviderAway, type ProviderRefused } from "./Provider.ts"
import { ProviderTokens } from "./ProviderTokens.ts"
import { EncryptJWT, jwtDecrypt } from "jose"

// What has to be known again when somebody comes back from the provider: it lies sealed in a cookie of their browser, so that any replica can
// go on. It counts for ten minutes, and once.

const State = Schema.Struct({
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  /** Where the provider sends them back to. */
  redirect: Schema.String,
  /** It was begun in the page of Switchyard, and ends there. */
  isOfPage: Schema.Boolean
})
export type LoginState = typeof State.Type

const read = Schema.decodeUnknownOption(State)

/** Seconds. */
export const LIFETIME = 600
const MAX_USED = 10_000

/** Seals states and opens them. */
export const makeLoginStates = Effect.gen(function* () {
  const key = Redacted.value((yield* SecretKey).keyFor("logins at an identity provider"))
  /** States by when they end; what is not in here any more has ended. */
  const used = new Map<string, number>()

  const use = Effect.fnUntraced(function* ({ state }: LoginState) {
    const now = (yield* Clock.currentTimeMillis) / 1000
    if (used.has(state)) return false
    used.set(state, now + LIFETIME)
    // the oldest come first; the provider takes a code once, too
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
    /** What was sealed; none for what is not ours, has ended, or was opened before. */
    open: Effect.fnUntraced(function* (text: string) {
      const currentDate = new Date(yield* Clock.currentTimeMillis)
      const options = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"], currentDate }
      const opened = yield* Effect.option(Effect.tryPromise(() => jwtDecrypt(text, key, options)))
      const found = Option.flatMap(opened, ({ payload }) => read(payload))
      return Option.isSome(found) && (yield* use(found.value)) ? found : Option.none<LoginState>()
    }),
    /** The provider did not answer, so that the same address may be tried again. */
    release: ({ state }: LoginState) => Effect.sync(() => void used.delete(state))
  }
})

/** Nobody is let in; `reason` is for the log and the audit. */
export class SignOnRefused extends Schema.TaggedError<SignOnRefused>()("SignOnRefused", { reason: Schema.String }) {}

const NO_TOKEN = "Tokens cannot be fetched"

/** What a login or a refresh has brought. */
export interface Granted {
  /** The provider's answer without the refresh token. */
  readonly answer: Readonly<Record<string, unknown>> & { readonly access_token: string }
  /** The refresh token that counts from now on; none where it stays as it is, or there is none. */
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

/** A login that a browser has kept. */
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

  /** Whom a new token stands for. */
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

  /** The new refresh token is handed on whatever comes after: the old one may count no more. */
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
  /** The provider's login page for somebody who comes back to `redirect`, and what their browser keeps until then. */
  readonly begin: (
    redirect: string,
    isOfPage: boolean
  ) => Effect.Effect<{ readonly url: URL; readonly state: string; readonly sealed: string }, ProviderAway>
  /** The login that a browser has kept, which counts once; none for one that is not ours, has ended, or has come back before. */
  readonly begun: (sent: ReadonlyArray<SentLogin>) => Effect.Effect<Option.Option<LoginState>>
  /** What somebody gets who has come back with this query. */
  readonly end: (
    login: LoginState,
    query: string,
    address: string | null
  ) => Effect.Effect<Granted & { readonly username: string | undefined; readonly bearer: Identity }, Failure>
  /** A new token; `noted` is what went wrong after the provider had given it. */
  readonly refresh: (
    token: string,
    address: string | null
  ) => Effect.Effect<{ readonly granted: Granted; readonly noted: Result.Result<void, Failure> }, Failure>
  /** Ends a session as far as it can be. `bearer` says who logs out. */
  readonly logout: (
    token: Option.Option<string>,
    bearer: Option.Option<string>,
    address: string | null
  ) => Effect.Effect<Closed, SqlError.SqlError>
  /** Revokes a refresh token of a session that has ended here. */
  readonly close: (token: Option.Option<string>) => Effect.Effect<Closed>
}

/** How far a session was ended at the provider, and the page that ends the rest of it. */
export interface Closed {
  readonly revoked: boolean
  readonly end_session_url: string | null
}

/** Yields what browsers sign on with; null while OIDC_ENABLED is false. */
export const makeSignOn = Effect.gen(function* () {
  const { access } = yield* Provider
  const { check } = yield* ProviderTokens
  return access === null || check === null ? null : ((yield* makeFlows(access, check)) satisfies Flows)
})
