/**
 * What may stand in a token of the provider (docs/sign-on.md#tokens-of-the-provider), beside the rules that all tokens keep
 * (`TokenRules.ts`). Pure.
 */
import { Result } from "effect"
import { decodeProtectedHeader, type ProtectedHeaderParameters } from "jose"
import { Unauthorized } from "../../api/Answers.ts"
import { folded, type Identity } from "../../domain/access/Identity.ts"
import { lengthOf } from "../../domain/fields/Values.ts"
import { isText } from "../../domain/Text.ts"
import type { ClaimSet } from "../core/TokenRules.ts"

/** Signatures by a private key: a secret that both sides know is no proof of who has signed. */
export const ALGORITHMS: Array<string> = [
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
/** What is in no access token: ID tokens have hashes of what came with them, logout tokens an event. */
const OTHER_CLAIMS: ReadonlyArray<string> = ["at_hash", "c_hash", "events"]

export const invalid = (reason: string) => new Unauthorized({ message: `Invalid authentication header: ${reason}` })
export const undecodable = () => new Unauthorized({ message: "Could not decode JWT token" })

/** Whether a text is meant as a JSON Web Token: others are known to the provider alone. */
export const isJwt = (token: string): boolean => token.startsWith("eyJ")

/** The header of a token, before its signature was looked at; refused when it could be no access token of a provider. */
export const headerOf = (token: string): Result.Result<ProtectedHeaderParameters, Unauthorized> =>
  Result.try({ try: () => decodeProtectedHeader(token), catch: undecodable }).pipe(
    Result.flatMap((header) => {
      if (!ALGORITHMS.includes(header.alg ?? "")) {
        return Result.fail(invalid("The specified alg value is not allowed"))
      }
      const type: unknown = typeof header.typ === "string" ? header.typ.toLowerCase() : header.typ
      return ACCESS_TYPES.includes(type) ? Result.succeed(header) : Result.fail(invalid("It is no access token"))
    })
  )

/** Refuses claims of tokens that are for something else than to call with. */
export const ofAccessToken = (claims: ClaimSet): Result.Result<ClaimSet, Unauthorized> => {
  const typ = claims["typ"]
  const isOther =
    OTHER_CLAIMS.some((name) => Object.hasOwn(claims, name)) ||
    (typeof typ === "string" && !/^(?:bearer|jwt)$/i.test(typ))
  return isOther ? Result.fail(invalid("It is no access token")) : Result.succeed(claims)
}

/** Whether claims name an audience, or the client itself as the one that the token was given to. */
export const isFor = (claims: ClaimSet, audience: string, clientId: string): boolean => {
  const { aud, client_id } = claims
  return (
    aud === audience || (Array.isArray(aud) && aud.includes(audience)) || (aud === undefined && client_id === clientId)
  )
}

type Attributes = Identity["attributes"]

const first = (attributes: Attributes, name: string): string | undefined =>
  Object.hasOwn(attributes, name) ? attributes[name]?.[0] : undefined

/**
 * The name of somebody: the attribute of the site, else the program's own client, else the provider's name for them. A token that a person
 * got by signing on here names this server as the client, which says nothing of them.
 */
export const nameOf = (
  attributes: Attributes,
  attribute: string,
  clientId: string
): Result.Result<string, Unauthorized> => {
  const client = first(attributes, "client_id") ?? first(attributes, "azp")
  const name = first(attributes, attribute) ?? (client === clientId ? undefined : client) ?? first(attributes, "sub")
  return name !== undefined && name.trim() !== "" && isText(name, "line") && lengthOf(name) <= 255
    ? Result.succeed(name)
    : Result.fail(invalid("Subject cannot be stored"))
}

const verifiedOf = ({ email_verified }: ClaimSet): string => String(email_verified).toLowerCase()

/** The address that a source of claims vouches for itself. */
const vouched = (claims: ClaimSet): string | undefined => {
  const { email, email_verified } = claims
  const isVerified = email_verified === true || email_verified === "true"
  return isVerified && typeof email === "string" ? email : undefined
}

/**
 * Everything that is known of somebody. A mail address that the provider has not verified could be anybody's: it counts when the source that
 * says it says `email_verified: true`, and none says the contrary. `trustsEmail` (OIDC_TRUST_EMAIL) takes also those of which nothing is said.
 */
export const knownOf = (
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

/** The name of somebody of the provider: with its issuer before it where a user of our own has that name. */
export const besideLocalUsers = (
  name: string,
  issuer: string,
  localNames: ReadonlyArray<string>
): Result.Result<string, Unauthorized> => {
  const own = folded(name)
  if (!localNames.some((one) => folded(one) === own)) return Result.succeed(name)
  const prefixed = `${issuer}#${name}`
  return lengthOf(prefixed) <= 255 ? Result.succeed(prefixed) : Result.fail(invalid("Subject cannot be stored"))
}

/** Whether the provider would tell more to somebody with this token. */
export const mayAskMore = ({ scope }: ClaimSet): boolean =>
  typeof scope !== "string" || scope.split(" ").includes("openid")

/** What only a token itself says. */
const OF_TOKENS: ReadonlySet<string> = new Set(["sub", "client_id", "azp", "iss", "aud", "scope"])

/** Whether an attribute that decides something is not among the claims, and may be known to the provider. */
export const lacks = (claims: ClaimSet, wanted: ReadonlyArray<string>): boolean =>
  wanted.some(
    (name) =>
      !OF_TOKENS.has(name) &&
      (!Object.hasOwn(claims, name) || (name === "email" && !Object.hasOwn(claims, "email_verified")))
  )
