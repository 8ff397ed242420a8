/**
 * Checks JSON Web Tokens (docs/api.md#json-web-tokens): signed with ES256 or RS256 by the key whose public half JWT_CERT names, and with
 * claims that keep the rules (`TokenRules.ts`). Claims whose signature was good are remembered, so that a busy client costs one
 * signature check.
 */
import { Clock, Context, Effect, FileSystem, Layer, Option, Result, Schema } from "effect"
import { compactVerify, errors } from "jose"
import { createPublicKey, type KeyObject } from "node:crypto"
import { Permissions } from "../../access/Permissions.ts"
import { Unauthorized } from "../../api/Answers.ts"
import { reasonOf } from "../../runtime/SystemErrors.ts"
import { DEFAULT_JWT_CERT, ServerConfig } from "../../ServerConfig.ts"
import { everybody, type Identity, subjectPerson } from "../../domain/access/Identity.ts"
import { type ClaimSet, subject, type TokenRules } from "./TokenRules.ts"

/** The key that JWT_CERT names cannot be used; the server does not start. */
export class TokenKeyUnusable extends Schema.TaggedError<TokenKeyUnusable>()("TokenKeyUnusable", {
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
const Claims = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const readClaims = Schema.decodeUnknownEffect(Claims)

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

/** Verifies signatures; yields the claims. */
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

const loadKey = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const unusable = (reason: string) => new TokenKeyUnusable({ path, reason })
  const pem = yield* Effect.mapError(files.readFileString(path), (error) =>
    unusable(`it cannot be read: ${reasonOf(error)}`)
  )
  return yield* Effect.mapError(Effect.fromResult(readKey(pem)), unusable)
})

const make = Effect.gen(function* () {
  const { JWT_CERT, JWT_ENABLED, LOCAL_USERS, OIDC_ENABLED } = yield* ServerConfig
  if (!JWT_ENABLED) return Tokens.of({ required: false, check: () => Effect.succeed(everybody) })
  // the provider's tokens are checked elsewhere (`oidc/ProviderTokens.ts`), and no others count
  if (OIDC_ENABLED) return Tokens.of({ required: true, check: () => Effect.fail(undecodable()) })
  const files = yield* FileSystem.FileSystem
  // a site whose people have passwords need not have another issuer
  if (
    LOCAL_USERS &&
    JWT_CERT === DEFAULT_JWT_CERT &&
    !(yield* Effect.orElseSucceed(files.exists(JWT_CERT), () => true))
  ) {
    return Tokens.of({ required: true, check: () => Effect.fail(undecodable()) })
  }
  return Tokens.of({ required: true, check: yield* makeCheck(yield* loadKey(JWT_CERT)) })
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
