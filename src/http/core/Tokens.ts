/**
 * Checks bearer tokens (docs/api.md#tokens): signed with ES256 or RS256 by the key whose public half JWT_CERT names, not
 * expired, not from the future, with a subject. Tokens that were good are remembered until they expire, so that a busy client
 * costs one signature check.
 */
import { Clock, Context, Effect, FileSystem, Layer, Option, Result, Schema } from "effect"
import { compactVerify, errors } from "jose"
import { createPublicKey, type KeyObject } from "node:crypto"
import { Unauthorized } from "../../api/Failures.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { everybody, type Identity } from "../../domain/access/Identity.ts"
import { isStorable, lengthOf } from "../../domain/fields/Values.ts"

/** The key that JWT_CERT names cannot be used; the server does not start. */
export class TokenKeyUnusable extends Schema.TaggedError<TokenKeyUnusable>()("TokenKeyUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `JWT_ENABLED is true, but the key in JWT_CERT (${this.path}) cannot be used: ${this.reason}. Give a PEM public key or certificate (P-256 or RSA), or set JWT_ENABLED=false`
  }
}

interface VerificationKey {
  readonly key: KeyObject
  readonly algorithm: "ES256" | "RS256"
}

/** The public key in a PEM text, and the algorithm that goes with it; or why there is none. */
export const readKey = (pem: string): Result.Result<VerificationKey, string> => {
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
/** The token was good once. */
const expired = () => new Unauthorized({ message: "The JWT token is expired", errorCode: "auth_expired" })

const Claims = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const readClaims = Schema.decodeUnknownEffect(Claims)

/** Jobs keep the name of who started them in a column of this length. */
const MAX_SUBJECT = 255

type ClaimSet = typeof Claims.Type

const isPast = (value: unknown, now: number): boolean => typeof value !== "number" || value <= now

/** The subject of verified claims at this time (epoch seconds), or why they are not accepted. */
export const subject = (claims: ClaimSet, now: number): Result.Result<string, Unauthorized> => {
  const { exp, iat, nbf, sub, type } = claims
  if (exp !== undefined && typeof exp !== "number") return Result.fail(undecodable())
  if (exp !== undefined && exp <= now) return Result.fail(expired())
  if (iat !== undefined && !isPast(iat, now)) return Result.fail(invalid("The token is not yet valid (iat)"))
  if (nbf !== undefined && !isPast(nbf, now)) return Result.fail(invalid("The token is not yet valid (nbf)"))
  if (sub === undefined) return Result.fail(invalid("Missing claim: sub"))
  if (typeof sub !== "string") return Result.fail(invalid("Subject must be a string"))
  if (!isStorable(sub) || lengthOf(sub) > MAX_SUBJECT) return Result.fail(invalid("Subject cannot be stored"))
  if (type !== undefined && type !== "access") return Result.fail(invalid("Only non-refresh tokens are allowed"))
  return Result.succeed(sub)
}

const MAX_REMEMBERED = 1000
const text = new TextDecoder()

/** Texts among the claims, by their names; a list of texts counts as such, other values as none. */
export const attributesOf = (claims: ClaimSet): Identity["attributes"] =>
  Object.fromEntries(
    Object.entries(claims).flatMap(([name, value]) => {
      const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
      const texts = values.filter((text): text is string => typeof text === "string")
      return texts.length === 0 ? [] : [[name, texts] as const]
    })
  )

const makeCheck = ({ algorithm, key }: VerificationKey, rolesClaim: Option.Option<string>) => {
  const remembered = new Map<string, ClaimSet>()
  const verify = Effect.fnUntraced(function* (token: string) {
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
  return Effect.fn("Tokens.check")(function* (token: string) {
    const claims = yield* verify(token)
    const now = (yield* Clock.currentTimeMillis) / 1000
    const name = yield* Effect.fromResult(subject(claims, now))
    const attributes = attributesOf(claims)
    const roles = Option.match(rolesClaim, { onNone: () => [], onSome: (claim) => attributes[claim] ?? [] })
    return { name, way: "jwt", roles, attributes } satisfies Identity
  })
}

const loadKey = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const unusable = (reason: string) => new TokenKeyUnusable({ path, reason })
  const pem = yield* Effect.mapError(files.readFileString(path), () => unusable("it cannot be read"))
  return yield* Effect.mapError(Effect.fromResult(readKey(pem)), unusable)
})

const make = Effect.gen(function* () {
  const { JWT_CERT, JWT_ENABLED, ROLES_CLAIM } = yield* ServerConfig
  if (!JWT_ENABLED) return Tokens.of({ required: false, check: () => Effect.succeed(everybody) })
  return Tokens.of({ required: true, check: makeCheck(yield* loadKey(JWT_CERT), ROLES_CLAIM) })
})

/** Turns a token into the caller. */
export class Tokens extends Context.Service<
  Tokens,
  {
    /** False when everybody may call, as `admin`. */
    readonly required: boolean
    /** Whom a good token names. */
    readonly check: (token: string) => Effect.Effect<Identity, Unauthorized>
  }
>()("switchyard/http/Tokens") {
  /** Reads the key. Fails with TokenKeyUnusable. */
  static readonly layer = Layer.effect(Tokens, make)
}
