/**
 * What the database refuses, as what it means: a violated constraint as a tagged error, a value that no column can hold as a sentence.
 * A value should have been refused at the door where it came in, so whoever meets such a sentence has found a defect of that door.
 */
import { Cause, Effect, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { IdentityTaken } from "../domain/DeviceIdentity.ts"
import { sqlState } from "./DatabaseAway.ts"

/** The unique constraint with this name was violated. */
export const violates = (error: SqlError.SqlError, constraint: string): boolean =>
  error.reason._tag === "UniqueViolation" && error.reason.constraint === constraint

/** Replaces a violation of the unique constraint with `toError()`; other errors pass. */
export const uniqueViolation =
  <E2>(constraint: string, toError: () => E2) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError, R>): Effect.Effect<A, E | E2 | SqlError.SqlError, R> =>
    Effect.catchIf(
      effect,
      (error): error is E & SqlError.SqlError => SqlError.isSqlError(error) && violates(error, constraint),
      () => Effect.fail(toError())
    )

/** SQLSTATEs of class 22, and what is wrong with the value (PostgreSQL 18, appendix A). */
const REFUSED: Readonly<Record<string, string>> = {
  "22001": "a text is too long",
  "22003": "a number is too large or too small",
  "22007": "a date or time does not exist",
  "22008": "a date or time is out of range",
  "22021": "a text holds a character that cannot be stored",
  "22P02": "a value does not have the form of its field",
  "22P05": "a text holds a character that cannot be stored"
}

/** What is wrong with the value that the database refuses; undefined when it refuses something else. */
export const refusedValue = (error: SqlError.SqlError): string | undefined => {
  const state = sqlState(error)
  return state?.startsWith("22") === true ? (REFUSED[state] ?? "a value cannot be stored") : undefined
}

/** The error that shows that the database refuses a value, wherever it stands in the cause. */
export const refusedValueIn = (cause: Cause.Cause<unknown>): SqlError.SqlError | undefined => {
  for (const reason of cause.reasons) {
    const thrown = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    if (SqlError.isSqlError(thrown) && refusedValue(thrown) !== undefined) return thrown
  }
  return undefined
}

/** Constraints of what belongs to one record (migration 49), and what is said when the database itself names no other record. */
const IDENTITIES: Readonly<Record<string, string>> = {
  identity_claim_unique: "Another record has this value already",
  network_claim_apart: "The network overlaps that of a link or management domain"
}

/** `unique_violation` and `exclusion_violation`. */
const TAKEN: ReadonlySet<string | undefined> = new Set(["23505", "23P01"])

const identityConstraint = (error: SqlError.SqlError): string | undefined => {
  const { cause } = error.reason
  if (!TAKEN.has(sqlState(error)) || !Predicate.hasProperty(cause, "constraint")) return undefined
  return typeof cause.constraint === "string" && cause.constraint in IDENTITIES ? cause.constraint : undefined
}

/** The triggers say which record has the value already; PostgreSQL by itself speaks of keys and constraints. */
const sentenceOf = (error: SqlError.SqlError): string => {
  const { cause } = error.reason
  const message = Predicate.hasProperty(cause, "message") && typeof cause.message === "string" ? cause.message : ""
  return / is used already: | overlaps network /.test(message)
    ? message
    : (IDENTITIES[identityConstraint(error) ?? ""] ?? message)
}

/** Replaces the refusal of a value that another record has. */
export const identityViolation = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError.SqlError, R>
): Effect.Effect<A, E | IdentityTaken | SqlError.SqlError, R> =>
  Effect.catchIf(
    effect,
    (error): error is E & SqlError.SqlError => SqlError.isSqlError(error) && identityConstraint(error) !== undefined,
    (error) => Effect.fail(new IdentityTaken({ message: sentenceOf(error) }))
  )
