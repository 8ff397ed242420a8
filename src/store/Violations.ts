/** Turns a violated constraint of the schema into the tagged error that the violation means. */
import { Effect } from "effect"
import type { SqlError } from "effect/sql"

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
