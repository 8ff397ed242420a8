/** Turns a violated constraint of the schema into the tagged error that the violation means. */
import { Effect, Predicate } from "effect"
import type { SqlError } from "effect/sql"
import { IdentityTaken } from "../domain/UniqueFields.ts"

/** The unique constraint with this name was violated. */
export const violates = (error: SqlError.SqlError, constraint: string): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint

/** Replaces a violation of the unique constraint with `toError()`; other errors pass. */
export const uniqueViolation =
  <E2>(constraint: string, toError: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError, R>): Effect.Effect<A, E | E2 | SqlError.SqlError, R> =>
    Effect.catchIf(
      effect,
      (error): error is E & SqlError.SqlError => isSqlError(error) && violates(error, constraint),
      () => Effect.fail(toError())
    )

const isSqlError = (error: unknown): error is SqlError.SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** The database says which record has the value already. */
const sentenceOf = ({ reason: { cause } }: SqlError.SqlError): string =>
  Predicate.hasProperty(cause, "message") && typeof cause.message === "string"
    ? cause.message
    : "Another record has this value already"

/** Replaces the refusal of a value that another record has (migration 49). */
export const identityViolation = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, E | IdentityTaken | SqlError.SqlError, R> =>
  Effect.catchIf(
    effect,
    (error): error is E & SqlError.SqlError => isSqlError(error) && violates(error, "identity_claim_unique"),
    (error) => Effect.fail(new IdentityTaken({ message: sentenceOf(error) }))
  )
