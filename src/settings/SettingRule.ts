/**
 * The building blocks of the settings model. Each is an Effect schema of the *validated* value, and carries as an annotation
 * the rule by which text from a repository becomes that value: which conversions are allowed and which message a wrong value
 * gets (docs/settings-repository.md#forms-of-values and docs/settings-repository.md#messages). `SettingValidator` reads the
 * rules to validate, `SettingsJsonSchema` to document, so the model is written down once.
 */
import { Predicate, Schema } from "effect"
import type { Pattern } from "./Patterns.ts"

/** Bounds of an integer: `gt`/`lt` exclude the bound, `ge`/`le` include it. `strict` refuses every conversion. */
export interface IntegerRule {
  readonly kind: "integer"
  readonly gt?: number
  readonly ge?: number
  readonly lt?: number
  readonly le?: number
  readonly strict?: boolean
}

/**
 * A text of one line, or with `lines` of several: at most `maxLength` characters, then the pattern, then a check in code that answers with
 * the message.
 */
export interface TextRule {
  readonly kind: "text"
  readonly lines?: boolean
  readonly maxLength?: number
  readonly pattern?: Pattern
  readonly check?: (value: string) => string | undefined
}

/** What a value has to be. */
export type Rule = { readonly nullable?: boolean } & (
  | IntegerRule
  | TextRule
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly values: ReadonlyArray<string> }
  | { readonly kind: "integerOrText"; readonly integer: IntegerRule; readonly text: TextRule }
  | { readonly kind: "list"; readonly item: SettingField }
  | { readonly kind: "mapping"; readonly value: SettingField }
  | { readonly kind: "model"; readonly name: string; readonly fields: ReadonlyArray<NamedField> }
)

/** A rule with what belongs to its place: description, default (none: required) and a check against its siblings. */
export interface SettingField {
  readonly rule: Rule
  readonly description?: string
  readonly default?: { readonly value: unknown }
  readonly check?: SiblingCheck
}

/** A field of a model. */
export interface NamedField extends SettingField {
  readonly name: string
}

/** Looks at a value and the validated fields before it; answers with the message when it is wrong. */
export type SiblingCheck = (value: unknown, siblings: Readonly<Record<string, unknown>>) => string | undefined

const FIELD = "switchyard/settingField"

/** The rule that a schema of this module carries. A schema made elsewhere has none, which is a defect of the model. */
export const fieldOf = (schema: Schema.Constraint): SettingField => {
  const field = Schema.resolveAnnotations(schema)?.[FIELD]
  if (!isSettingField(field)) throw new Error("the settings model contains a schema without a rule")
  return field
}

const isSettingField = (value: unknown): value is SettingField =>
  Predicate.hasProperty(value, "rule") && Predicate.hasProperty(value.rule, "kind")

const carry = (field: SettingField) => ({
  [FIELD]: field,
  ...(field.description === undefined ? {} : { description: field.description })
})

const describe = (rule: Rule, description: string | undefined): SettingField =>
  description === undefined ? { rule } : { rule, description }

/** A text with its bounds. */
export const text = (options: Omit<TextRule, "kind"> & { readonly description?: string } = {}): Schema.String => {
  const { description, ...bounds } = options
  const checks = bounds.pattern === undefined ? [] : [Schema.isPattern(bounds.pattern.regExp)]
  const schema = bounds.maxLength === undefined ? checks : [Schema.isMaxCodePoints(bounds.maxLength), ...checks]
  const [first, ...rest] = schema
  const base = first === undefined ? Schema.String : Schema.String.check(first, ...rest)
  return base.annotate(carry(describe({ kind: "text", ...bounds }, description)))
}

/** An integer with its bounds. */
export const integer = (options: Omit<IntegerRule, "kind"> & { readonly description?: string } = {}): Schema.Number => {
  const { description, ...bounds } = options
  const lowest = bounds.ge ?? (bounds.gt === undefined ? Number.MIN_SAFE_INTEGER : bounds.gt + 1)
  const highest = bounds.le ?? (bounds.lt === undefined ? Number.MAX_SAFE_INTEGER : bounds.lt - 1)
  return Schema.Int.check(Schema.isBetween({ minimum: lowest, maximum: highest })).annotate(
    carry(describe({ kind: "integer", ...bounds }, description))
  )
}

/** A boolean, also written as `yes`, `on`, `1` and their opposites. */
export const flag: Schema.Boolean = Schema.Boolean.annotate(carry({ rule: { kind: "boolean" } }))

/** One of a few words. */
export const choice = <const Values extends ReadonlyArray<string>>(values: Values) =>
  Schema.Literals(values).annotate(carry({ rule: { kind: "choice", values } }))

/** An integer, or a text such as a range. */
export const integerOrText = (integerBounds: Omit<IntegerRule, "kind">, textBounds: Omit<TextRule, "kind">) =>
  Schema.Union([integer(integerBounds), text(textBounds)]).annotate(
    carry({
      rule: {
        kind: "integerOrText",
        integer: { kind: "integer", ...integerBounds },
        text: { kind: "text", ...textBounds }
      }
    })
  )

/** A list; the order is kept. */
export const list = <S extends Schema.Constraint>(item: S) =>
  Schema.Array(item).annotate(carry({ rule: { kind: "list", item: fieldOf(item) } }))

/** A mapping from free names to values; the order of the file is kept, hence a `Map`. */
export const mapping = <S extends Schema.Constraint>(value: S) =>
  Schema.ReadonlyMap(Schema.String, value).annotate(carry({ rule: { kind: "mapping", value: fieldOf(value) } }))

/** The same, or null. */
export const nullable = <S extends Schema.Constraint>(schema: S) => {
  const field = fieldOf(schema)
  return Schema.NullOr(schema).annotate(carry({ ...field, rule: { ...field.rule, nullable: true } }))
}

/** A field that may be absent; the default stands in its place. */
export const optional = <S extends Schema.Top>(schema: S, value: S["Type"]): S["Rebuild"] =>
  schema.annotate({ [FIELD]: { ...fieldOf(schema), default: { value } } })

/** A field that may be absent or null; null is its default. */
export const absent = <S extends Schema.Constraint>(schema: S) => optional(nullable(schema), null)

/** A field with a description of its own, or with a check against the fields before it. */
export const refine = <S extends Schema.Top>(
  schema: S,
  extra: { readonly description?: string; readonly check?: SiblingCheck }
): S["Rebuild"] => schema.annotate(carry({ ...fieldOf(schema), ...extra }))

/** A mapping with known fields. Unknown keys are dropped. The order of the fields is that of messages and output. */
export const model = <const Fields extends Schema.Struct.Fields>(name: string, fields: Fields) => {
  const named = Object.entries(fields).map(([key, schema]) => ({ name: key, ...fieldOf(schema) }))
  return Schema.Struct(fields).annotate({
    identifier: name,
    ...carry({ rule: { kind: "model", name, fields: named } })
  })
}
