/**
 * What the claims of a verified token have to say before it counts (docs/api.md#json-web-tokens). A site with roles gets all of it; without
 * roles a token may do without `exp`, and its subject may be empty, because existing clients have such tokens. Pure.
 */
import { Option, Result } from "effect"
import { Unauthorized } from "../../api/Answers.ts"
import { lengthOf } from "../../domain/fields/Values.ts"
import { isText } from "../../domain/Text.ts"

export type ClaimSet = Readonly<Record<string, unknown>>

export interface TokenRules {
  /** The site has roles: `exp` has to be there, and `sub` says something. */
  readonly strict: boolean
  readonly issuer: Option.Option<string>
  readonly audience: Option.Option<string>
}

const refused = (message: string) => Result.fail(new Unauthorized({ message }))
const invalid = (reason: string) => refused(`Invalid authentication header: ${reason}`)

/** The token was good once. */
export const expired = () => new Unauthorized({ message: "The JWT token is expired", errorCode: "auth_expired" })

/** Jobs keep the name of who started them in a column of this length. */
const MAX_SUBJECT = 255

/** Seconds by which clocks may differ. */
export const LEEWAY = 30

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value)
const isPast = (value: unknown, now: number): boolean => isTime(value) && value <= now + LEEWAY

const isFor = (audience: string, aud: unknown): boolean =>
  aud === audience || (Array.isArray(aud) && aud.includes(audience))

const timed = ({ exp, iat, nbf }: ClaimSet, { strict }: TokenRules, now: number): Result.Result<void, Unauthorized> => {
  if (exp === undefined && strict) return invalid("Missing claim: exp")
  if (exp !== undefined && !isTime(exp)) return refused("Could not decode JWT token")
  if (exp !== undefined && exp + LEEWAY <= now) return Result.fail(expired())
  if (iat !== undefined && !isPast(iat, now)) return invalid("The token is not yet valid (iat)")
  return nbf !== undefined && !isPast(nbf, now) ? invalid("The token is not yet valid (nbf)") : Result.void
}

const placed = ({ aud, iss }: ClaimSet, { audience, issuer }: TokenRules): Result.Result<void, Unauthorized> => {
  if (Option.isSome(issuer) && iss !== issuer.value) return invalid("Invalid issuer")
  return Option.isSome(audience) && !isFor(audience.value, aud) ? invalid("Invalid audience") : Result.void
}

const named = ({ sub, type }: ClaimSet, { strict }: TokenRules): Result.Result<string, Unauthorized> => {
  if (sub === undefined) return invalid("Missing claim: sub")
  if (typeof sub !== "string") return invalid("Subject must be a string")
  if (!isText(sub, "line") || lengthOf(sub) > MAX_SUBJECT) return invalid("Subject cannot be stored")
  if (strict && sub.trim() === "") return invalid("Subject must not be empty")
  return type !== undefined && type !== "access" ? invalid("Only non-refresh tokens are allowed") : Result.succeed(sub)
}

/** The subject of verified claims at this time (epoch seconds), or why they are not accepted. */
export const subject = (claims: ClaimSet, rules: TokenRules, now: number): Result.Result<string, Unauthorized> =>
  timed(claims, rules, now).pipe(
    Result.flatMap(() => placed(claims, rules)),
    Result.flatMap(() => named(claims, rules))
  )
