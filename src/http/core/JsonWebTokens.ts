/**
 * Checks JSON Web Tokens (docs/api.md#json-web-tokens): they are signed with ES256 or RS256 by the key in JWT_CERT, and their claims keep
 * the rules below. Verified claims are remembered, so that a busy client costs one signature check.
 */
import { Clock, Effect, FileSystem, Option, Result, Schema } from "effect"
import { compactVerify, errors } from "jose"
import { createPublicKey, type KeyObject } from "node:crypto"
import { Permissions } from "../../access/Permissions.ts"
import { reasonOf } from "../../runtime/SystemErrors.ts"
import { DEFAULT_JWT_CERT, ServerConfig } from "../../ServerConfig.ts"
import { everybody, type Identity, subjectPerson } from "../../domain/access/Identity.ts"
import { lengthOf } from "../../domain/fields/Values.ts"
import { isText } from "../../domain/Text.ts"
import { Unauthorized } from "../../api/Answers.ts"

// Rules for the claims of a verified token (docs/api.md#json-web-tokens). A site with roles requires all of them. Without roles `exp` may
// be missing and the subject may be empty, because existing clients have such tokens. Pure.

export type ClaimSet = Readonly<Record<string, unknown>>

interface TokenRules {
  /** The site has roles: `exp` and a subject are required. */
  readonly strict: boolean
  readonly issuer: Option.Option<string>
  readonly audience: Option.Option<string>
}

const refusal = (message: string) => Result.fail(new Unauthorized({ message }))
const invalidClaim = (reason: string) => refusal(`Invalid authentication header: ${reason}`)

/** The token was valid once. */
const expired = () => new Unauthorized({ message: "The JWT token is expired", errorCode: "auth_expired" })

/** The column of jobs for the user's name has this length. */
const MAX_SUBJECT = 255

/** Seconds of allowed clock skew. */
export const LEEWAY = 30

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)
const isPast = (value: unknown, now: number): boolean => isTime(value) && value <= now + LEEWAY

const isFor = (audience: string, aud: unknown): boolean =>
  aud === audience || (Array.isArray(aud) && aud.includes(audience))

const timed = ({ exp, iat, nbf }: ClaimSet, { strict }: TokenRules, now: number): Result.Result<void, Unauthorized> => {
  if (exp === undefined && strict) return invalidClaim("Missing claim: exp")
  if (exp !== undefined && !isTime(exp)) return refusal("Could not decode JWT token")
  if (exp !== undefined && exp + LEEWAY <= now) return Result.fail(expired())
  if (iat !== undefined && !isPast(iat, now)) return invalidClaim("The token is not yet valid (iat)")
  return nbf !== undefined && !isPast(nbf, now) ? invalidClaim("The token is not yet valid (nbf)") : Result.void
}

const placed = ({ aud, iss }: ClaimSet, { audience, issuer }: TokenRules): Result.Result<void, Unauthorized> => {
  if (Option.isSome(issuer) && iss !== issuer.value) return invalidClaim("Invalid issuer")
  return Option.isSome(audience) && !isFor(audience.value, aud) ? invalidClaim("Invalid audience") : Result.void
}

const named = ({ sub, type }: ClaimSet, { strict }: TokenRules): Result.Result<string, Unauthorized> => {
  if (sub === undefined) return invalidClaim("Missing claim: sub")
  if (typeof sub !== "string") return invalidClaim("Subject must be a string")
  if (!isText(sub, "line") || lengthOf(sub) > MAX_SUBJECT) return invalidClaim("Subject cannot be stored")
  if (strict && sub.trim() === "") return invalidClaim("Subject must not be empty")
  return type !== undefined && type !== "access"
    ? invalidClaim("Only non-refresh tokens are allowed")
    : Result.succeed(sub)
}

/** The subject of verified claims at this time (epoch seconds), or why they are not accepted. */
export const subject = (claims: ClaimSet, rules: TokenRules, now: number): Result.Result<string, Unauthorized> =>
  timed(claims, rules, now).pipe(
    Result.flatMap(() => placed(claims, rules)),
    Result.flatMap(() => named(claims, rules))
  )

/** The key that JWT_CERT names cannot be used; the server does not start. */
class TokenKeyUnusable extends Schema.TaggedError<TokenKeyUnusable>()("TokenKeyUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `JWT_ENABLED is true, but the key in JWT_CERT (${this.path}) cannot be used: ${this.reason}. Give a PEM public key or certificate (P-256 or RSA), set LOCAL_USERS=true and make an administrator (switchyard user add admin --role administrator), or set JWT_ENABLED=false`
  }
}

interface VerificationKey {
  readonly key: KeyObject
  readonly algorithm: "ES256" | "RS256"
}

/** The public key in a PEM text and its algorithm, or why it cannot be used. */
const readKey = (pem: string): Result.Result<VerificationKey, string> => {
  const key = Result.try({ try: () => createPublicKey(pem), catch: () => "it is no PEM public key or certificate" })
  return Result.flatMap(key, (key): Result.Result<VerificationKey, string> => {
    if (key.asymmetricKeyType === "rsa") return Result.succeed({ key, algorithm: "RS256" })
    return key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1"
      ? Result.succeed({ key, algorithm: "ES256" })
      : Result.fail("it is neither a P-256 nor an RSA key")
  })
}

const refused = (message: string) => new Unauthorized({ message })
const undecodable = () => refused("Could not decode JWT token")
const invalid = (reason: string) => refused(`Invalid authentication header: ${reason}`)
const Claims = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const readClaims = Schema.decodeUnknownEffect(Claims)

const MAX_REMEMBERED = 1000
const text = new TextDecoder()

/** Claims that are texts or lists of texts, by name. */
export const attributesOf = (claims: ClaimSet): Identity["attributes"] =>
  Object.fromEntries(
    Object.entries(claims).flatMap(([name, value]) => {
      const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
      const texts = values.filter((text): text is string => typeof text === "string")
      return texts.length === 0 ? [] : [[name, texts] as const]
    })
  )

/** Verifies signatures and yields the claims. */
const makeVerify = ({ algorithm, key }: VerificationKey) => {
  const remembered = new Map<string, ClaimSet>()
  return Effect.fnUntraced(function* (token: string) {
    const known = remembered.get(token)
    if (known !== undefined) return known
    const { payload } = yield* Effect.tryPromise({
      try: () => compactVerify(token, key, { algorithms: [algorithm] }),
      catch: (error) =>
        error instanceof errors.JOSEAlgNotAllowed ? invalid("The specified alg value is not allowed") : undecodable()
    })
    const claims = yield* Effect.mapError(readClaims(text.decode(payload)), undecodable)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(token, claims)
    return claims
  })
}

const NO_END =
  "A token without exp was accepted: it never expires. With permissions.yml such tokens are refused (docs/api.md#json-web-tokens)"

const makeCheck = Effect.fnUntraced(function* (key: VerificationKey) {
  const { JWT_AUDIENCE, JWT_ISSUER, ROLES_CLAIM } = yield* ServerConfig
  const { rules } = yield* Permissions
  const verify = makeVerify(key)
  let isWarned = false

  const warn = Effect.fnUntraced(function* (name: string) {
    if (isWarned) return
    isWarned = true
    yield* Effect.logWarning(NO_END, { name })
  })

  return Effect.fn("Tokens.check")(function* (token: string) {
    const claims = yield* verify(token)
    const now = (yield* Clock.currentTimeMillis) / 1000
    const strict = (yield* rules) !== null
    const asked: TokenRules = { strict, issuer: JWT_ISSUER, audience: JWT_AUDIENCE }
    const name = yield* Effect.fromResult(subject(claims, asked, now))
    if (claims["exp"] === undefined) yield* warn(name)
    const attributes = attributesOf(claims)
    const roles = Option.match(ROLES_CLAIM, { onNone: () => [], onSome: (claim) => attributes[claim] ?? [] })
    const person = subjectPerson("jwt", attributes["iss"]?.[0] ?? "", name)
    return { name, way: "jwt", person, roles, attributes } satisfies Identity
  })
})

/** Finds the caller of a token. */
interface JsonWebTokens {
  /** False if every client may call, as `admin`. */
  readonly required: boolean
  /** The identity behind a valid token. */
  readonly check: (token: string) => Effect.Effect<Identity, Unauthorized>
}

const loadKey = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const unusable = (reason: string) => new TokenKeyUnusable({ path, reason })
  const pem = yield* Effect.mapError(files.readFileString(path), (error) =>
    unusable(`it cannot be read: ${reasonOf(error)}`)
  )
  return yield* Effect.mapError(Effect.fromResult(readKey(pem)), unusable)
})

/** Reads the key and yields the check. Fails with TokenKeyUnusable. */
export const makeJsonWebTokens = Effect.gen(function* (): Effect.fn.Return<
  JsonWebTokens,
  TokenKeyUnusable,
  FileSystem.FileSystem | Permissions | ServerConfig
> {
  const { JWT_CERT, JWT_ENABLED, LOCAL_USERS, OIDC_ENABLED } = yield* ServerConfig
  if (!JWT_ENABLED) return { required: false, check: () => Effect.succeed(everybody) }
  // only tokens of the provider are valid, and `oidc/ProviderTokens.ts` checks them
  if (OIDC_ENABLED) return { required: true, check: () => Effect.fail(undecodable()) }
  const files = yield* FileSystem.FileSystem
  // a site with local users needs no other issuer
  if (
    LOCAL_USERS &&
    JWT_CERT === DEFAULT_JWT_CERT &&
    !(yield* Effect.orElseSucceed(files.exists(JWT_CERT), () => true))
  ) {
    return { required: true, check: () => Effect.fail(undecodable()) }
  }
  return { required: true, check: yield* makeCheck(yield* loadKey(JWT_CERT)) }
})
