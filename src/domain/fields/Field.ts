/**
 * A field of a request: an Effect schema of the value that handlers get, which carries as an annotation the rule by which JSON
 * becomes that value, with a sentence for what it refuses. `Body.ts` puts fields together and reads the rules; the API document
 * is made from the same schemas.
 */
import { Option, Predicate, Result, Schema } from "effect"
import { type JsonObject } from "./Values.ts"

/** Why a value is refused, in the words that clients read: one sentence or several. */
export type Refusal = string | ReadonlyArray<string>

/** Where a value stands: its key, and the whole object that it was sent in. */
export interface Place {
  readonly key: string
  readonly body: JsonObject
}

/** The value that stands for what was sent, or why it is refused. */
export type Rule<A> = (sent: unknown, place: Place) => Result.Result<A, Refusal>

/** What a key that was not sent means: nothing (none), a value, or a refusal. */
export type AbsentRule = (place: Place) => Result.Result<Option.Option<unknown>, Refusal>

/** What a field carries. `wire` is the schema that the API document shows for it. */
export interface FieldRule {
  readonly rule: Rule<unknown>
  readonly wire: Schema.Top
  readonly required: boolean
  readonly whenAbsent: AbsentRule
}

const FIELD = "switchyard/field"

const isFieldRule = (value: unknown): value is FieldRule =>
  Predicate.hasProperty(value, "rule") && Predicate.hasProperty(value, "whenAbsent")

/** The rule that a schema of this module carries. A schema made elsewhere has none, which is a defect of its body. */
export const fieldOf = (schema: Schema.Constraint): FieldRule => {
  const field = Schema.resolveAnnotations(schema)?.[FIELD]
  if (!isFieldRule(field)) throw new Error("a body contains a schema without a rule")
  return field
}

const nothing: AbsentRule = () => Result.succeed(Option.none())

const carry = <S extends Schema.Top>(schema: S, field: FieldRule): S["Rebuild"] => schema.annotate({ [FIELD]: field })

/**
 * A field that may be absent, and whose key is absent then. `wire` is what the document shows when that differs from the
 * value, for instance because a text of digits is taken as a number.
 */
export const optional = <S extends Schema.Top>(value: S, rule: Rule<S["Type"]>, wire: Schema.Top = value) =>
  Schema.optionalKey(carry(value, { rule, wire, required: false, whenAbsent: nothing }))

/** The same for a rule that may ignore a value: when it gives undefined, the key is absent as if it had not been sent. */
export const ignorable = <S extends Schema.Top>(
  value: S,
  rule: Rule<S["Type"] | undefined>,
  wire: Schema.Top = value
) => Schema.optionalKey(carry(value, { rule, wire, required: false, whenAbsent: nothing }))

/** A field that has to be there; `missing` is what is said when it is not. */
export const required = <S extends Schema.Top>(
  value: S,
  missing: (place: Place) => Refusal,
  rule: Rule<S["Type"]>,
  wire: Schema.Top = value
): S["Rebuild"] => carry(value, { rule, wire, required: true, whenAbsent: (place) => Result.fail(missing(place)) })

/** A field that stands for a value of its own when it is absent. */
export const otherwise = <S extends Schema.Top>(
  value: S,
  fallback: S["Type"],
  rule: Rule<S["Type"]>,
  wire: Schema.Top = value
): S["Rebuild"] =>
  carry(value, { rule, wire, required: false, whenAbsent: () => Result.succeed(Option.some(fallback)) })

/** A field whose absence is judged by what else was sent; its rule may ignore a value. */
export const depending = <S extends Schema.Top>(
  value: S,
  whenAbsent: AbsentRule,
  rule: Rule<S["Type"] | undefined>,
  wire: Schema.Top = value
) => Schema.optionalKey(carry(value, { rule, wire, required: false, whenAbsent }))
