/**
 * The identity provider of the site: its description, its keys, and calls to it (docs/sign-on.md#the-provider). It is not called at the
 * start, so the server starts while the provider is unavailable. Description and keys are used for an hour then.
 */
import { Clock, Effect, Option, Redacted, Result, Schema, Semaphore } from "effect"
import { createLocalJWKSet } from "jose"
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  type CustomFetch,
  discovery,
  None,
  ResponseBodyError,
  type ServerMetadata,
  WWWAuthenticateChallengeError
} from "openid-client"
import * as FairPlaces from "../../runtime/FairPlaces.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { LEEWAY } from "../core/JsonWebTokens.ts"
import * as OutboundFetch from "../../runtime/OutboundFetch.ts"
import { ownFault } from "../../runtime/SystemErrors.ts"
import { isPrivate } from "../../domain/access/HostLists.ts"

// A value that is fetched from another server and refreshed: in the background once it is older than `fresh`, and before a request only if
// it is older than `usable`. `between` is the least time between two attempts. All times in milliseconds.

interface RefreshTimes {
  readonly fresh: number
  readonly usable: number
  readonly between: number
}

interface RefreshedValue<A, E> {
  /** The value. Fails like the last attempt if there is no usable value. */
  readonly get: Effect.Effect<A, E>
  /** The value after an attempt that begins later than this call. Fails if the attempt fails. */
  readonly renewed: Effect.Effect<A, E>
}

/** Holds the value that `fetch` yields. Refreshing ends with the scope. */
export const makeRefreshedValue = Effect.fnUntraced(function* <A, E>(fetch: Effect.Effect<A, E>, times: RefreshTimes) {
  const scope = yield* Effect.scope
  const turn = Semaphore.makeUnsafe(1)
  let known: { readonly value: A; readonly at: number } | undefined
  let failed: { readonly error: E } | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  const attempt = Effect.gen(function* () {
    const result = yield* Effect.result(fetch)
    triedAt = yield* Clock.currentTimeMillis
    if (Result.isFailure(result)) {
      failed = { error: result.failure }
      return
    }
    known = { value: result.success, at: triedAt }
    failed = undefined
  })

  const renew = turn.withPermits(1)(
    Effect.gen(function* () {
      if ((yield* Clock.currentTimeMillis) - triedAt >= times.between) yield* attempt
    })
  )

  /** The last attempt does not show a later change: this waits until another attempt is allowed. */
  const renewLater = Effect.flatMap(Clock.currentTimeMillis, (asked) =>
    turn.withPermits(1)(
      Effect.gen(function* () {
        if (triedAt > asked) return
        yield* Effect.sleep(Math.max(0, triedAt + times.between - asked))
        yield* attempt
      })
    )
  )

  const usable = Effect.map(Clock.currentTimeMillis, (now) =>
    known !== undefined && now - known.at < times.usable
      ? { value: known.value, isOld: now - known.at >= times.fresh }
      : null
  )

  const orFailure = Effect.suspend((): Effect.Effect<A, E> => {
    if (failed !== undefined) return Effect.fail(failed.error)
    return known === undefined
      ? Effect.die(new Error("nothing was fetched, and nothing went wrong"))
      : Effect.succeed(known.value)
  })

  const get = Effect.gen(function* () {
    const found = yield* usable
    if (found?.isOld === true) yield* Effect.forkIn(renew, scope)
    if (found !== null) return found.value
    yield* renew
    const after = yield* usable
    return after === null ? yield* orFailure : after.value
  })

  return { get, renewed: Effect.andThen(renewLater, orFailure) } satisfies RefreshedValue<A, E>
})

// Requests to the provider: they follow no redirects, and their answers are bounded.

/** Seconds for one request and its answer. */
const TIMEOUT = 5

/** The largest answer of a provider. */
const MAX_BYTES = 1_048_576

const outbound = OutboundFetch.bounded({ seconds: TIMEOUT, bytes: MAX_BYTES })

/** The `fetch` for requests to the provider. */
const providerFetch: CustomFetch = (url, { body, headers, method, signal }) =>
  outbound(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal })
  })

const isBusy = (status: number): boolean => status >= 500 || status === 429

/** Whether a retry can help: the provider does not answer, or says that it is busy. */
const isAway = (error: unknown): boolean => {
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) return isBusy(error.status)
  if (error instanceof AuthorizationResponseError) return false
  // the request was not sent
  if (ownFault(error, "connection") !== undefined) return true
  if (error instanceof ClientError) {
    if (error.cause instanceof Response) return isBusy(error.cause.status)
    return error.code === "OAUTH_TIMEOUT" || error.code === "OAUTH_ABORT"
  }
  // errors of `fetch` have a cause; a wrong argument has a code
  if (error instanceof TypeError) return error.cause !== undefined && !("code" in error)
  return error instanceof DOMException
}

const WORD = /^[\w.-]{1,60}$/

const worded = (...words: ReadonlyArray<unknown>): string =>
  words.find((word): word is string => typeof word === "string" && WORD.test(word)) ?? "unknown"

/** The error code, which is no secret. The provider's description of an error may repeat secrets. */
const reasonOf = (error: unknown): string => {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return worded(error.error)
  if (error instanceof ClientError) return worded(error.code)
  return error instanceof Error ? worded(error.name) : "unknown"
}

/** OIDC_ENABLED is true and another setting is missing; the server does not start. */
class SignOnIncomplete extends Schema.TaggedError<SignOnIncomplete>()("SignOnIncomplete", {
  variable: Schema.String,
  wanted: Schema.String
}) {
  override get message() {
    return `OIDC_ENABLED is true, but ${this.variable} ${this.wanted} (docs/sign-on.md)`
  }
}

/** The provider does not answer; a retry can help. */
export class ProviderAway extends Schema.TaggedError<ProviderAway>()("ProviderAway", { what: Schema.String }) {
  override get message() {
    return `ConnectionError: ${this.what}. The identity provider does not answer, try again later`
  }
  get httpStatus() {
    return 503 as const
  }
}

/** The provider has answered and refuses; a retry does not help. */
export class ProviderRefused extends Schema.TaggedError<ProviderRefused>()("ProviderRefused", {
  /** An error code, without anything secret. */
  reason: Schema.String
}) {
  override get message() {
    return `The identity provider refuses: ${this.reason}`
  }
}

/** Finds the key for a signature. */
export type KeySet = ReturnType<typeof createLocalJWKSet>

export interface ProviderAccess {
  readonly clientId: string
  /** The audience that tokens must name; none if any is accepted. */
  readonly audience: Option.Option<string>
  readonly configuration: Effect.Effect<Configuration, ProviderAway>
  readonly keys: RefreshedValue<KeySet, ProviderAway>
  /** Calls the provider; `what` is the sentence if it does not answer. */
  readonly ask: <A>(
    what: string,
    call: (configuration: Configuration) => Promise<A>
  ) => Effect.Effect<A, ProviderAway | ProviderRefused>
}

const SECOND = 1000
const times = { fresh: 600 * SECOND, usable: 3600 * SECOND, between: 5 * SECOND }

/** Concurrent calls; others wait, so that many unknown tokens do not open many connections. */
const AT_ONCE = 16
const WAITING = 500
/** Milliseconds for which a silent provider is not called, so that requests do not wait for it again and again. */
const REST = 3 * SECOND

const NO_ADDRESS = "Can't reach the OIDC URL"
const NO_METADATA = "OIDC metadata unavailable"
const NO_KEYS = "Can't retrieve keys"

const Keys = Schema.Struct({
  keys: Schema.mutable(
    Schema.Array(
      Schema.StructWithRest(Schema.Struct({ kty: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)])
    )
  )
})
const readKeys = Schema.decodeUnknownSync(Schema.fromJsonString(Keys))

const required = Effect.gen(function* () {
  const { OIDC_CLIENT_ID, OIDC_CLIENT_SCOPE, OIDC_CONF_WELL_KNOWN_URL } = yield* ServerConfig
  const set = <A>(variable: string, value: Option.Option<A>) =>
    Effect.mapError(Effect.fromOption(value), () => new SignOnIncomplete({ variable, wanted: "is not set" }))
  const address = new URL(yield* set("OIDC_CONF_WELL_KNOWN_URL", OIDC_CONF_WELL_KNOWN_URL))
  const clientId = yield* set("OIDC_CLIENT_ID", OIDC_CLIENT_ID)
  if (!OIDC_CLIENT_SCOPE.split(/ +/).includes("openid")) {
    return yield* new SignOnIncomplete({ variable: "OIDC_CLIENT_SCOPE", wanted: "does not name openid" })
  }
  return { address, clientId }
})

/** The client's authentication: in the header unless the provider accepts only the body. */
const clientAuthOf = (
  secret: Option.Option<Redacted.Redacted>,
  { token_endpoint_auth_methods_supported }: ServerMetadata
) => {
  if (Option.isNone(secret)) return None()
  const methods = token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
  const text = Redacted.value(secret.value)
  return methods.includes("client_secret_basic") ? ClientSecretBasic(text) : ClientSecretPost(text)
}

/** Reads the provider's description. */
const makeDescribe = Effect.gen(function* () {
  const { OIDC_CLIENT_SECRET } = yield* ServerConfig
  const { address, clientId } = yield* required
  // without TLS only on loopback (`isPrivate`)
  const isPlain = address.protocol === "http:"
  const execute = isPlain ? [allowInsecureRequests] : []
  return async () => {
    const options = { execute, timeout: TIMEOUT, [customFetch]: providerFetch }
    const found = await discovery(address, clientId, undefined, None(), options)
    const metadata = found.serverMetadata()
    const client = { [clockTolerance]: LEEWAY }
    const configuration = new Configuration(metadata, clientId, client, clientAuthOf(OIDC_CLIENT_SECRET, metadata))
    if (isPlain) allowInsecureRequests(configuration)
    configuration.timeout = TIMEOUT
    configuration[customFetch] = providerFetch
    return configuration
  }
})

const fetchKeys = async (configuration: Configuration): Promise<KeySet> => {
  const { jwks_uri = "" } = configuration.serverMetadata()
  if (!isPrivate(jwks_uri)) throw new Error("the address of the keys is not private")
  const response = await providerFetch(jwks_uri, {
    method: "GET",
    headers: { accept: "application/json" },
    body: undefined,
    redirect: "manual"
  })
  if (response.status !== 200) throw new Error(`the keys are answered with ${response.status}`)
  const { keys } = readKeys(await response.text())
  return createLocalJWKSet({ keys: keys.filter(({ kty }) => kty !== "oct") })
}

/** Access to the provider. Fails with SignOnIncomplete. */
export const makeProviderAccess = Effect.gen(function* () {
  const { AUDIENCE, VERIFY_AUDIENCE } = yield* ServerConfig
  const { clientId } = yield* required
  const describe = yield* makeDescribe

  const unavailable = Effect.fnUntraced(function* (what: string, error: unknown) {
    yield* Effect.logWarning(`The identity provider does not answer as it should: ${what}`, { reason: reasonOf(error) })
    return yield* new ProviderAway({ what })
  })

  const described = yield* makeRefreshedValue(
    Effect.tryPromise({ try: describe, catch: (error) => error }).pipe(
      Effect.catch((error) => unavailable(isAway(error) ? NO_ADDRESS : NO_METADATA, error))
    ),
    times
  )
  const keys = yield* makeRefreshedValue(
    Effect.flatMap(described.get, (configuration) =>
      Effect.tryPromise({ try: () => fetchKeys(configuration), catch: (error) => error }).pipe(
        Effect.catch((error) => unavailable(NO_KEYS, error))
      )
    ),
    times
  )

  const places = FairPlaces.make({
    what: "questions to the identity provider",
    places: AT_ONCE,
    waiting: WAITING,
    ofOne: AT_ONCE / 2
  })
  let restsUntil = 0
  const asked: ProviderAccess["ask"] = Effect.fnUntraced(function* (what, call) {
    const configuration = yield* described.get
    if ((yield* Clock.currentTimeMillis) < restsUntil) return yield* new ProviderAway({ what })
    const result = yield* Effect.result(Effect.tryPromise({ try: () => call(configuration), catch: (error) => error }))
    if (Result.isSuccess(result)) return result.success
    if (!isAway(result.failure)) return yield* new ProviderRefused({ reason: reasonOf(result.failure) })
    restsUntil = (yield* Clock.currentTimeMillis) + REST
    return yield* unavailable(what, result.failure)
  })
  const ask: ProviderAccess["ask"] = Effect.fn("Provider.ask")((what, call) =>
    Effect.catchTag(places.within(asked(what, call)), "PlacesFull", () => Effect.fail(new ProviderAway({ what })))
  )

  return {
    clientId,
    audience: VERIFY_AUDIENCE ? Option.orElse(AUDIENCE, () => Option.some(clientId)) : Option.none(),
    configuration: described.get,
    keys,
    ask
  } satisfies ProviderAccess
})
