/**
 * The identity provider of the site: what it says of itself, its keys, and calls to it (docs/sign-on.md#the-provider). Nothing is asked of it
 * at the start, so that the server starts while it is away; what was known of it is used for an hour then, and no longer.
 */
import { Clock, Context, Effect, Layer, Option, Redacted, Result, Schema, Semaphore } from "effect"
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
import { isPrivate } from "../../domain/access/HostLists.ts"
import * as FairPlaces from "../../runtime/FairPlaces.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { LEEWAY } from "../core/JsonWebTokens.ts"
import * as OutboundFetch from "../../runtime/OutboundFetch.ts"
import { ownFault } from "../../runtime/SystemErrors.ts"

// A value that somebody else has, kept here and renewed: in the background once it is older than `fresh`, and in front of a request only
// when there is none that is younger than `usable`. Between two attempts lies a while, whoever asks for them. All times in milliseconds.

export interface RefreshTimes {
  readonly fresh: number
  readonly usable: number
  readonly between: number
}

export interface RefreshedValue<A, E> {
  /** The value. Fails as the last attempt did when there is none that may be used. */
  readonly get: Effect.Effect<A, E>
  /** The value after an attempt to renew it that begins after this was asked for. Fails when that goes wrong. */
  readonly renewed: Effect.Effect<A, E>
}

/** Keeps what `fetch` yields. Renewing in the background ends with the scope. */
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

  /** What has changed a moment after the last attempt is not known from it: this waits until there may be another. */
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

// Requests to the provider: nothing is followed to another place, and no answer is larger than what a provider has to say.

/** Seconds for one request and its answer. */
export const TIMEOUT = 5

/** No answer of a provider is larger. */
const MAX_BYTES = 1_048_576

const outbound = OutboundFetch.bounded({ seconds: TIMEOUT, bytes: MAX_BYTES })

/** How the provider is asked. */
export const providerFetch: CustomFetch = (url, { body, headers, method, signal }) =>
  outbound(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal })
  })

const isBusy = (status: number): boolean => status >= 500 || status === 429

/** Whether trying again later can help: the provider does not answer, or says that it cannot just now. */
export const isAway = (error: unknown): boolean => {
  if (error instanceof ResponseBodyError || error instanceof WWWAuthenticateChallengeError) return isBusy(error.status)
  if (error instanceof AuthorizationResponseError) return false
  // nobody was asked
  if (ownFault(error, "connection") !== undefined) return true
  if (error instanceof ClientError) {
    if (error.cause instanceof Response) return isBusy(error.cause.status)
    return error.code === "OAUTH_TIMEOUT" || error.code === "OAUTH_ABORT"
  }
  // what `fetch` fails with carries its cause; a wrong argument has a code of its own
  if (error instanceof TypeError) return error.cause !== undefined && !("code" in error)
  return error instanceof DOMException
}

const WORD = /^[\w.-]{1,60}$/

const worded = (...words: ReadonlyArray<unknown>): string =>
  words.find((word): word is string => typeof word === "string" && WORD.test(word)) ?? "unknown"

/** What went wrong in one word that is no secret: an error code. What providers write beside it may repeat what they were sent. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) return worded(error.error)
  if (error instanceof ClientError) return worded(error.code)
  return error instanceof Error ? worded(error.name) : "unknown"
}

/** OIDC_ENABLED is true and another setting is missing; the server does not start. */
export class SignOnIncomplete extends Schema.TaggedError<SignOnIncomplete>()("SignOnIncomplete", {
  variable: Schema.String,
  wanted: Schema.String
}) {
  override get message() {
    return `OIDC_ENABLED is true, but ${this.variable} ${this.wanted} (docs/sign-on.md)`
  }
}

/** The provider does not answer; trying again can help. */
export class ProviderAway extends Schema.TaggedError<ProviderAway>()("ProviderAway", { what: Schema.String }) {
  override get message() {
    return `ConnectionError: ${this.what}. The identity provider does not answer, try again later`
  }
  get httpStatus() {
    return 503 as const
  }
}

/** The provider has answered, and does not do what it is asked; trying again does not help. */
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
  /** The audience that tokens have to name; none when they need not. */
  readonly audience: Option.Option<string>
  readonly configuration: Effect.Effect<Configuration, ProviderAway>
  readonly keys: RefreshedValue<KeySet, ProviderAway>
  /** Calls the provider; `what` is the sentence for one that does not answer. */
  readonly ask: <A>(
    what: string,
    call: (configuration: Configuration) => Promise<A>
  ) => Effect.Effect<A, ProviderAway | ProviderRefused>
}

const SECOND = 1000
const times = { fresh: 600 * SECOND, usable: 3600 * SECOND, between: 5 * SECOND }

/** Calls at once: more wait, so that many strange tokens do not become many connections. */
const AT_ONCE = 16
const WAITING = 500
/** Milliseconds for which a provider that did not answer is asked nothing: nobody waits for it again and again. */
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

/** How the client proves itself: in the header unless the provider knows only the body. */
const clientAuthOf = (
  secret: Option.Option<Redacted.Redacted>,
  { token_endpoint_auth_methods_supported }: ServerMetadata
) => {
  if (Option.isNone(secret)) return None()
  const methods = token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
  const text = Redacted.value(secret.value)
  return methods.includes("client_secret_basic") ? ClientSecretBasic(text) : ClientSecretPost(text)
}

/** The provider's description, as the client that we are. */
const makeDescribe = Effect.gen(function* () {
  const { OIDC_CLIENT_SECRET } = yield* ServerConfig
  const { address, clientId } = yield* required
  // without TLS only on this machine (`isPrivate`)
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

const makeAccess = Effect.gen(function* () {
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

const make = Effect.gen(function* () {
  const { OIDC_ENABLED } = yield* ServerConfig
  return Provider.of({ access: OIDC_ENABLED ? yield* makeAccess : null })
})

/** The provider. */
export class Provider extends Context.Service<
  Provider,
  {
    /** Null while OIDC_ENABLED is false. */
    readonly access: ProviderAccess | null
  }
>()("switchyard/http/oidc/Provider") {
  /** Fails with SignOnIncomplete. */
  static readonly layer = Layer.effect(Provider, make)
}
