/**
 * Who stands behind a token of the identity provider (docs/sign-on.md#tokens-of-the-provider). A JSON Web Token is checked here, with the
 * provider's published keys; any other the provider is asked about. What the token does not say of the person, the provider's user info
 * does; its answer counts for five minutes.
 */
import { Cache, Clock, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { compactVerify, decodeJwt, errors } from "jose"
import { fetchUserInfo, tokenIntrospection } from "openid-client"
import { Permissions } from "../../access/Permissions.ts"
import { type ServiceUnavailable, Unauthorized } from "../../api/Answers.ts"
import { type Identity, subjectPerson } from "../../domain/access/Identity.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { failWhenAway } from "../../store/DatabaseAway.ts"
import { LocalUserStore } from "../../store/LocalUserStore.ts"
import { attributesOf } from "../core/Tokens.ts"
import { type ClaimSet, subject } from "../core/TokenRules.ts"
import { refuseOrDie } from "../core/Unavailable.ts"
import { type KeySet, Provider, type ProviderAccess, type ProviderAway } from "./Provider.ts"
import {
  ALGORITHMS,
  besideLocalUsers,
  headerOf,
  invalid,
  isFor,
  isJwt,
  knownOf,
  lacks,
  mayAskMore,
  nameOf,
  ofAccessToken,
  undecodable
} from "./TokenClaims.ts"

const Claims = Schema.Record(Schema.String, Schema.Unknown)
const readClaims = Schema.decodeUnknownEffect(Schema.fromJsonString(Claims))
const text = new TextDecoder()

const MAX_REMEMBERED = 1000
const NO_INFO = "User info is not available"
const NO_INTROSPECTION = "Tokens cannot be looked at"
/** What a provider's own tokens look like (RFC 6750). */
const OPAQUE = /^[\w.~+/-]{8,4096}=*$/

type Refusal = Unauthorized | ProviderAway
/** After so long a user who was added at another replica is known here. */
const KEPT = "500 millis"
const UNVERIFIED =
  "A mail address does not count, because the provider does not say email_verified: true. OIDC_TRUST_EMAIL=true takes it (docs/sign-on.md#tokens-of-the-provider)"

/** Checks signatures; yields the claims. */
const makeVerify = ({ keys }: ProviderAccess) => {
  const remembered = new Map<string, ClaimSet>()
  let rememberedBy: KeySet | undefined

  const attempt = (token: string, set: KeySet) =>
    Effect.tryPromise({
      try: () => compactVerify(token, set, { algorithms: ALGORITHMS }),
      catch: (error) => (error instanceof errors.JWKSNoMatchingKey ? "unknown key" : undecodable())
    })

  const verified = Effect.fnUntraced(function* (token: string, set: KeySet) {
    yield* Effect.fromResult(headerOf(token))
    return yield* attempt(token, set).pipe(
      Effect.catch((refusal) =>
        refusal === "unknown key"
          ? // the provider may have a new key
            Effect.flatMap(keys.renewed, (renewed) => attempt(token, renewed))
          : Effect.fail(refusal)
      ),
      Effect.mapError((refusal) =>
        refusal === "unknown key" ? new Unauthorized({ message: "Invalid keys" }) : refusal
      )
    )
  })

  return Effect.fnUntraced(function* (token: string): Effect.fn.Return<ClaimSet, Refusal> {
    const set = yield* keys.get
    // what a key has signed that is withdrawn counts no more
    if (set !== rememberedBy || remembered.size >= MAX_REMEMBERED) remembered.clear()
    rememberedBy = set
    const known = remembered.get(token)
    if (known !== undefined) return known
    const { payload } = yield* verified(token, set)
    const claims = yield* Effect.mapError(readClaims(text.decode(payload)), undecodable)
    remembered.set(token, claims)
    return claims
  })
}

/** What the provider says of tokens and of people; each question is asked once in five minutes. */
const makeQuestions = Effect.fnUntraced(function* (access: ProviderAccess) {
  const info = (token: string, subjectOf: string) =>
    access.ask(NO_INFO, async (configuration) =>
      configuration.serverMetadata().userinfo_endpoint === undefined
        ? null
        : { ...(await fetchUserInfo(configuration, token, subjectOf)) }
    )

  const infoOf = Effect.fnUntraced(function* (token: string): Effect.fn.Return<ClaimSet, ProviderAway> {
    const { sub = "" } = decodeJwt(token)
    // a token that is not meant for the user info may be good all the same: it has the roles that it says itself
    const found = yield* Effect.catchTag(info(token, sub), "ProviderRefused", () => Effect.succeed(null))
    return found ?? {}
  })

  const opaque = Effect.fnUntraced(function* (token: string): Effect.fn.Return<ClaimSet, Refusal> {
    const refused = new Unauthorized({ message: "Token is no longer active" })
    const found = yield* access
      .ask(NO_INTROSPECTION, async (configuration) =>
        configuration.serverMetadata().introspection_endpoint === undefined
          ? null
          : { ...(await tokenIntrospection(configuration, token, { token_type_hint: "access_token" })) }
      )
      .pipe(Effect.catchTag("ProviderRefused", () => Effect.fail(refused)))
    if (found === null) {
      return yield* invalid("It is no JSON Web Token, and the provider says nothing about other tokens (introspection)")
    }
    const claims: ClaimSet = found
    if (found.active !== true) return yield* refused
    if (Option.isSome(access.audience) && !isFor(claims, access.audience.value, access.clientId)) {
      return yield* invalid("Invalid audience")
    }
    const isBearer = String(claims["token_type"]).toLowerCase() === "bearer"
    if (!mayAskMore(claims) || typeof found.sub !== "string") {
      return isBearer ? claims : yield* invalid("It is no access token")
    }
    const more = yield* Effect.catchTag(info(token, found.sub), "ProviderRefused", () => Effect.fail(refused))
    return more === null && !isBearer ? yield* invalid("It is no access token") : { ...more, ...claims }
  })

  const remembering = <A, E extends Refusal>(lookup: (token: string) => Effect.Effect<A, E>) =>
    Cache.makeWith(lookup, {
      capacity: MAX_REMEMBERED,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "5 minutes" : "2 seconds")
    })
  return { infos: yield* remembering(infoOf), opaques: yield* remembering(opaque) }
})

const makeCheck = Effect.fnUntraced(function* (access: ProviderAccess) {
  const { OIDC_TRUST_EMAIL, OIDC_USERNAME_ATTRIBUTE, ROLES_CLAIM } = yield* ServerConfig
  const { rules } = yield* Permissions
  const users = yield* LocalUserStore
  const localNames = yield* Effect.cachedWithTTL(
    Effect.map(users.all, (all) => all.map(({ name }) => name)),
    KEPT
  )
  let isWarned = false
  const verify = makeVerify(access)
  const { infos, opaques } = yield* makeQuestions(access)

  const wanted = Effect.map(rules, (found) => [
    OIDC_USERNAME_ATTRIBUTE,
    ...Option.toArray(ROLES_CLAIM),
    ...Object.keys(found?.mappings ?? {})
  ])

  /** Checks claims by the rules of all tokens. Those of introspection need not say when they end, nor whom they are for. */
  const ruled = Effect.fnUntraced(function* (claims: ClaimSet, audience: Option.Option<string>, isWhole: boolean) {
    const now = (yield* Clock.currentTimeMillis) / 1000
    const { issuer } = (yield* access.configuration).serverMetadata()
    const asked = isWhole ? claims : { exp: now, iss: issuer, ...claims }
    yield* Effect.fromResult(subject(asked, { strict: true, issuer: Option.some(issuer), audience }, now))
  })

  const ofJwt = Effect.fnUntraced(function* (token: string) {
    const claims = yield* verify(token)
    yield* ruled(claims, access.audience, true)
    yield* Effect.fromResult(ofAccessToken(claims))
    const isShort = lacks(claims, yield* wanted) && mayAskMore(claims)
    return isShort ? [yield* Cache.get(infos, token), claims] : [claims]
  })

  const ofOther = Effect.fnUntraced(function* (token: string) {
    if (!OPAQUE.test(token)) return yield* undecodable()
    const claims = yield* Cache.get(opaques, token)
    yield* ruled(claims, Option.none(), false)
    return [claims]
  })

  const warnOfEmail = Effect.fnUntraced(function* (
    sources: ReadonlyArray<ClaimSet>,
    attributes: Identity["attributes"]
  ) {
    if (isWarned || Object.hasOwn(attributes, "email") || !(yield* wanted).includes("email")) return
    if (!sources.some(({ email, email_verified }) => email !== undefined && email_verified === undefined)) return
    isWarned = true
    yield* Effect.logWarning(UNVERIFIED)
  })

  return Effect.fn("ProviderTokens.check")(function* (
    token: string
  ): Effect.fn.Return<Identity, Refusal | ServiceUnavailable> {
    const sources = yield* isJwt(token) ? ofJwt(token) : ofOther(token)
    const attributes = knownOf(sources, attributesOf, OIDC_TRUST_EMAIL)
    yield* warnOfEmail(sources, attributes)
    const said = yield* Effect.fromResult(nameOf(attributes, OIDC_USERNAME_ATTRIBUTE, access.clientId))
    const { issuer } = (yield* access.configuration).serverMetadata()
    const locals = yield* Effect.catchTag(failWhenAway(localNames), "SqlError", refuseOrDie)
    const name = yield* Effect.fromResult(besideLocalUsers(said, issuer, locals))
    const roles = Option.match(ROLES_CLAIM, {
      onNone: () => [],
      onSome: (claim) => (Object.hasOwn(attributes, claim) ? (attributes[claim] ?? []) : [])
    })
    // a program's own token may name no subject
    const person = subjectPerson(
      "oidc",
      issuer,
      (Object.hasOwn(attributes, "sub") ? attributes["sub"]?.[0] : null) ?? name
    )
    return { name, way: "oidc", person, roles, attributes }
  })
})

const make = Effect.gen(function* () {
  const { access } = yield* Provider
  return ProviderTokens.of({ check: access === null ? null : yield* makeCheck(access) })
})

/** Turns tokens of the provider into callers. */
export class ProviderTokens extends Context.Service<
  ProviderTokens,
  {
    /** Whom a good token stands for; null while OIDC_ENABLED is false. */
    readonly check: ((token: string) => Effect.Effect<Identity, Refusal | ServiceUnavailable>) | null
  }
>()("switchyard/http/oidc/ProviderTokens") {
  static readonly layer = Layer.effect(ProviderTokens, make).pipe(Layer.provide(LocalUserStore.layer))
}
