/**
 * The identity behind a token of the provider (docs/sign-on.md#tokens-of-the-provider). A JSON Web Token is checked with the provider's
 * published keys; for other tokens the provider is asked. Missing attributes come from the provider's user info, which is reused for five
 * minutes.
 */
import { Cache, Clock, Context, Effect, Exit, Layer, Option, Result, Schema } from "effect"
import { compactVerify, decodeJwt, decodeProtectedHeader, errors, type ProtectedHeaderParameters } from "jose"
import { fetchUserInfo, tokenIntrospection } from "openid-client"
import { Permissions } from "../../access/Permissions.ts"
import { folded, type Identity, subjectPerson } from "../../domain/access/Identity.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { attributesOf, type ClaimSet, subject } from "../core/JsonWebTokens.ts"
import { refuseOrDie } from "../core/HandlerErrors.ts"
import { type KeySet, makeProviderAccess, type ProviderAccess, type ProviderAway } from "./Provider.ts"
import { lengthOf } from "../../domain/fields/Values.ts"
import { isText } from "../../domain/Text.ts"
import { type ServiceUnavailable, Unauthorized } from "../../api/Answers.ts"
import { failWhenAway } from "../../store/DatabaseErrors.ts"
import { PersonStore } from "../../store/AccountStore.ts"

// Rules for tokens of the provider (docs/sign-on.md#tokens-of-the-provider), in addition to the rules for all tokens
// (`core/JsonWebTokens.ts`). Pure.

/** Signatures by a private key: a shared secret does not prove the signer. */
const ALGORITHMS: Array<string> = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519"
]

const ACCESS_TYPES: ReadonlyArray<unknown> = [undefined, "jwt", "at+jwt", "application/at+jwt"]
/** Claims of other tokens: ID tokens have hashes, logout tokens have events. */
const OTHER_CLAIMS: ReadonlyArray<string> = ["at_hash", "c_hash", "events"]

const invalid = (reason: string) => new Unauthorized({ message: `Invalid authentication header: ${reason}` })
const undecodable = () => new Unauthorized({ message: "Could not decode JWT token" })

/** Whether a token looks like a JSON Web Token; only the provider can read others. */
const isJwt = (token: string): boolean => token.startsWith("eyJ")

/** The header of a token whose signature is not checked yet. Refused if it cannot be an access token of a provider. */
const headerOf = (token: string): Result.Result<ProtectedHeaderParameters, Unauthorized> =>
  Result.try({ try: () => decodeProtectedHeader(token), catch: undecodable }).pipe(
    Result.flatMap((header) => {
      if (!ALGORITHMS.includes(header.alg ?? "")) {
        return Result.fail(invalid("The specified alg value is not allowed"))
      }
      const type: unknown = typeof header.typ === "string" ? header.typ.toLowerCase() : header.typ
      return ACCESS_TYPES.includes(type) ? Result.succeed(header) : Result.fail(invalid("It is no access token"))
    })
  )

/** Refuses claims of tokens that are no access tokens. */
const ofAccessToken = (claims: ClaimSet): Result.Result<ClaimSet, Unauthorized> => {
  const typ = claims["typ"]
  const isOther =
    OTHER_CLAIMS.some((name) => Object.hasOwn(claims, name)) ||
    (typeof typ === "string" && !/^(?:bearer|jwt)$/i.test(typ))
  return isOther ? Result.fail(invalid("It is no access token")) : Result.succeed(claims)
}

/** Whether the claims name the audience, or this client as the one that received the token. */
const isFor = (claims: ClaimSet, audience: string, clientId: string): boolean => {
  const { aud, client_id } = claims
  return (
    aud === audience || (Array.isArray(aud) && aud.includes(audience)) || (aud === undefined && client_id === clientId)
  )
}

type Attributes = Identity["attributes"]

const first = (attributes: Attributes, name: string): string | undefined =>
  Object.hasOwn(attributes, name) ? attributes[name]?.[0] : undefined

/**
 * The user's name: the configured attribute, else the program's own client, else the provider's subject. The token of a user who signed on
 * here names this server as the client, which says nothing about the user.
 */
const nameOf = (attributes: Attributes, attribute: string, clientId: string): Result.Result<string, Unauthorized> => {
  const client = first(attributes, "client_id") ?? first(attributes, "azp")
  const name = first(attributes, attribute) ?? (client === clientId ? undefined : client) ?? first(attributes, "sub")
  return name !== undefined && name.trim() !== "" && isText(name, "line") && lengthOf(name) <= 255
    ? Result.succeed(name)
    : Result.fail(invalid("Subject cannot be stored"))
}

const verifiedOf = ({ email_verified }: ClaimSet): string => String(email_verified).toLowerCase()

/** The mail address that this source has verified itself. */
const vouched = (claims: ClaimSet): string | undefined => {
  const { email, email_verified } = claims
  const isVerified = email_verified === true || email_verified === "true"
  return isVerified && typeof email === "string" ? email : undefined
}

/**
 * All attributes of a user. An unverified mail address may be another person's: it counts if its source says `email_verified: true` and no
 * source says the contrary. `trustsEmail` (OIDC_TRUST_EMAIL) also accepts addresses without that claim.
 */
const knownOf = (
  sources: ReadonlyArray<ClaimSet>,
  attributesOf: (claims: ClaimSet) => Attributes,
  trustsEmail: boolean
): Attributes => {
  const all: Attributes = Object.assign({}, ...sources.map(attributesOf))
  const { email: _, ...others } = all
  if (sources.some((claims) => verifiedOf(claims) === "false")) return others
  if (trustsEmail) return all
  const email = sources.map(vouched).findLast((one) => one !== undefined)
  return email === undefined ? others : { ...others, email: [email] }
}

/** The name of a provider's user, prefixed by the issuer if a local user has the same name. */
const besideLocalUsers = (
  name: string,
  issuer: string,
  localNames: ReadonlyArray<string>
): Result.Result<string, Unauthorized> => {
  const own = folded(name)
  if (!localNames.some((one) => folded(one) === own)) return Result.succeed(name)
  const prefixed = `${issuer}#${name}`
  return lengthOf(prefixed) <= 255 ? Result.succeed(prefixed) : Result.fail(invalid("Subject cannot be stored"))
}

/** Whether the provider's user info may be read with this token. */
const mayAskMore = ({ scope }: ClaimSet): boolean => typeof scope !== "string" || scope.split(" ").includes("openid")

/** Claims that only the token itself has. */
const OF_TOKENS: ReadonlySet<string> = new Set(["sub", "client_id", "azp", "iss", "aud", "scope"])

/** Whether a required attribute is missing and may be in the user info. */
const lacks = (claims: ClaimSet, wanted: ReadonlyArray<string>): boolean =>
  wanted.some(
    (name) =>
      !OF_TOKENS.has(name) &&
      (!Object.hasOwn(claims, name) || (name === "email" && !Object.hasOwn(claims, "email_verified")))
  )

const Claims = Schema.Record(Schema.String, Schema.Unknown)
const readClaims = Schema.decodeUnknownEffect(Schema.fromJsonString(Claims))
const text = new TextDecoder()

const MAX_REMEMBERED = 1000
const NO_INFO = "User info is not available"
const NO_INTROSPECTION = "Tokens cannot be looked at"
/** The form of opaque tokens (RFC 6750). */
const OPAQUE = /^[\w.~+/-]{8,4096}=*$/

type Refusal = Unauthorized | ProviderAway
/** The time after which a user who was added at another replica is known here. */
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
    // signatures of a withdrawn key are not valid any more
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

/** Introspection and user info; each question is asked once in five minutes. */
const makeQuestions = Effect.fnUntraced(function* (access: ProviderAccess) {
  const info = (token: string, subjectOf: string) =>
    access.ask(NO_INFO, async (configuration) =>
      configuration.serverMetadata().userinfo_endpoint === undefined
        ? null
        : { ...(await fetchUserInfo(configuration, token, subjectOf)) }
    )

  const infoOf = Effect.fnUntraced(function* (token: string): Effect.fn.Return<ClaimSet, ProviderAway> {
    const { sub = "" } = decodeJwt(token)
    // a token that the user info refuses may be valid; then its own roles count
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
  const { localUsers: users } = yield* PersonStore
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

  /** Checks claims by the rules for all tokens. An introspected token may lack expiry and audience. */
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
    const stated = yield* Effect.fromResult(nameOf(attributes, OIDC_USERNAME_ATTRIBUTE, access.clientId))
    const { issuer } = (yield* access.configuration).serverMetadata()
    const locals = yield* Effect.catchTag(failWhenAway(localNames), "SqlError", refuseOrDie)
    const name = yield* Effect.fromResult(besideLocalUsers(stated, issuer, locals))
    const roles = Option.match(ROLES_CLAIM, {
      onNone: () => [],
      onSome: (claim) => (Object.hasOwn(attributes, claim) ? (attributes[claim] ?? []) : [])
    })
    // a program's token may have no subject
    const person = subjectPerson(
      "oidc",
      issuer,
      (Object.hasOwn(attributes, "sub") ? attributes["sub"]?.[0] : null) ?? name
    )
    return { name, way: "oidc", person, roles, attributes }
  })
})

const make = Effect.gen(function* () {
  const { OIDC_ENABLED } = yield* ServerConfig
  if (!OIDC_ENABLED) return ProviderTokens.of({ access: null, check: null })
  const access = yield* makeProviderAccess
  return ProviderTokens.of({ access, check: yield* makeCheck(access) })
})

/** The identity provider and the callers behind its tokens; null while OIDC_ENABLED is false. */
export class ProviderTokens extends Context.Service<
  ProviderTokens,
  {
    readonly access: ProviderAccess | null
    /** The identity behind a valid token. */
    readonly check: ((token: string) => Effect.Effect<Identity, Refusal | ServiceUnavailable>) | null
  }
>()("switchyard/http/oidc/ProviderTokens") {
  /** Fails with SignOnIncomplete. */
  static readonly layer = Layer.effect(ProviderTokens, make).pipe(Layer.provide(PersonStore.layer))
}
