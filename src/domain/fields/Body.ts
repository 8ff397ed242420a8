/**
 * Request bodies as schemas that parse. A body is described once, as fields with their rules: decoding collects
 * everything that is wrong, in the order of the fields and in the words that clients know; the decoded type is what handlers
 * get; the API document and the tests see the schema of what is sent.
 */
import { Effect, Option, Predicate, Result, Schema, SchemaAST, SchemaGetter, SchemaIssue } from "effect"
import { isBody, isObject, type JsonObject } from "./Values.ts"

// A field of a request: an Effect schema of the value that handlers get, which carries as an annotation the rule by which JSON
// becomes that value, with a sentence for what it refuses. `Body.ts` puts fields together and reads the rules; the API document
// is made from the same schemas.

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
interface FieldRule {
  readonly rule: Rule<unknown>
  readonly wire: Schema.Top
  readonly required: boolean
  readonly whenAbsent: AbsentRule
}

const FIELD = "switchyard/field"

const isFieldRule = (value: unknown): value is FieldRule =>
  Predicate.hasProperty(value, "rule") && Predicate.hasProperty(value, "whenAbsent")

/** The rule that a schema of this module carries. A schema made elsewhere has none, which is a defect of its body. */
const fieldOf = (schema: Schema.Constraint): FieldRule => {
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

/** What clients read when a request is refused: a sentence, a list of them, or a list under `errors`. */
type RefusalMessage = string | ReadonlyArray<string> | { readonly errors: ReadonlyArray<string> }

const REFUSAL = "switchyard/refusal"
const WIRE = "switchyard/wire"

/** An issue whose message goes to the client as it is. */
export const refusedWith = (message: RefusalMessage) => new SchemaIssue.InvalidValue({ [REFUSAL]: message })

const isMessage = (value: unknown): value is RefusalMessage =>
  typeof value === "string" || Array.isArray(value) || (isObject(value) && Array.isArray(value["errors"]))

/** The message of the first refusal in an issue; none when the issue is no refusal, which is a defect of a schema. */
export const refusalOf = (issue: SchemaIssue.Issue): RefusalMessage | undefined => {
  switch (issue._tag) {
    case "InvalidValue": {
      const message = issue.annotations?.[REFUSAL]
      return isMessage(message) ? message : undefined
    }
    case "Filter":
    case "Encoding":
    case "Pointer":
      return refusalOf(issue.issue)
    case "Composite":
    case "AnyOf":
      return issue.issues.map(refusalOf).find((message) => message !== undefined)
    default:
      return undefined
  }
}

/** Something that was sent: every JSON value is let through to the rules; documents and samples are made from `wire`. */
export const Sent = <A>(is: (value: unknown) => value is A, wire: Schema.Top) =>
  Schema.declare(is, {
    toCodecJson: () => undefined,
    toCodecStringTree: () => undefined,
    [WIRE]: wire
  }).check(
    Schema.makeFilter<A>(() => true, {
      representation: { id: "switchyard/sent", payload: null, schemas: [wire.ast] },
      toJsonSchema: ({ schemas }) => schemas[0] ?? {}
    })
  )

/** The schema of what a client sends for a schema of this module; the schema itself when it is another one. */
export const wireOf = (schema: Schema.Top): Schema.Top => {
  const wire = SchemaAST.toEncoded(schema.ast).annotations?.[WIRE]
  return Schema.isSchema(wire) ? wire : schema
}

/** What a body is beside its fields. */
interface BodyOptions<A> {
  /** The message of all sentences; the list of them when it is not given. */
  readonly message?: (sentences: ReadonlyArray<string>) => RefusalMessage
  /** What is said of a key that is no field; such keys are ignored when it is not given. */
  readonly unknownKey?: (key: string) => string
  /** Keys that are no fields and ignored all the same. */
  readonly ignored?: ReadonlyArray<string>
  /** What a client reads for a refused field, for instance with the key and the value. */
  readonly sentencesOf?: (key: string, sent: unknown, sentence: string) => ReadonlyArray<string>
  /** Rules over several fields, asked when each of them is good: the sentences of what is wrong. */
  readonly together?: (fields: A) => ReadonlyArray<string>
}

/** The message of a body of which clients are told the first mistake only. */
export const firstOf = (sentences: ReadonlyArray<string>): string => sentences[0] ?? "Unknown error"

/** Why fields were refused, by key and in the order in which it is told. */
export type Refusals = ReadonlyMap<string, ReadonlyArray<string>>

/** All sentences, in order. */
export const sentencesOf = (refusals: Refusals): ReadonlyArray<string> => [...refusals.values()].flat()

/**
 * A body that has been looked at and not yet refused, for routes that have more to say about it than its rules can: what is
 * in the database, or what comes first.
 */
export interface CheckedBody<A> {
  /** What is good. */
  readonly fields: Partial<A>
  readonly refusals: Refusals
  /** The same with one more refusal, at the field's place; the one that the field has already stays. */
  readonly refuse: (key: string, refusal: Refusal) => CheckedBody<A>
  /** The body, or every sentence against it. */
  readonly complete: Result.Result<A, ReadonlyArray<string>>
}

const isChecked = (value: unknown): value is CheckedBody<never> =>
  Predicate.hasProperty(value, "refusals") && Predicate.hasProperty(value, "complete")

const refusedBody = <A>(fields: Partial<A>, refusals: Refusals, order: ReadonlyArray<string>): CheckedBody<A> => ({
  fields,
  refusals,
  refuse: (key, refusal) => {
    const all = new Map([[key, listOf(refusal)], ...refusals])
    const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
    return refusedBody(fields, new Map([...all].toSorted(([a], [b]) => place(a) - place(b))), order)
  },
  complete: Result.fail(sentencesOf(refusals))
})

const goodBody = <A>(body: A, order: ReadonlyArray<string>): CheckedBody<A> => ({
  fields: body,
  refusals: new Map(),
  refuse: (key, refusal) => refusedBody<A>(body, new Map([[key, listOf(refusal)]]), order),
  complete: Result.succeed(body)
})

const listOf = (refusal: Refusal): ReadonlyArray<string> => (typeof refusal === "string" ? [refusal] : refusal)

interface CollectedFields {
  readonly values: JsonObject
  readonly refusals: Refusals
}

type NamedRules = ReadonlyArray<readonly [key: string, field: FieldRule]>
type AnyOptions = Pick<BodyOptions<never>, "unknownKey" | "ignored" | "sentencesOf">

/** Looks at every field in order, and at the keys that are none. */
const collect = (rules: NamedRules, options: AnyOptions, body: JsonObject): CollectedFields => {
  const values = new Map<string, unknown>()
  const refusals = new Map<string, ReadonlyArray<string>>()
  for (const [key, field] of rules) {
    const place = { key, body }
    const outcome = Object.hasOwn(body, key)
      ? Result.map(field.rule(body[key], place), Option.fromUndefinedOr)
      : field.whenAbsent(place)
    if (Result.isFailure(outcome)) {
      const sentences = listOf(outcome.failure)
      const { sentencesOf } = options
      refusals.set(
        key,
        sentencesOf === undefined ? sentences : sentences.flatMap((text) => sentencesOf(key, body[key], text))
      )
    } else if (Option.isSome(outcome.success)) values.set(key, outcome.success.value)
  }
  const known = new Set([...rules.map(([key]) => key), ...(options.ignored ?? [])])
  for (const key of options.unknownKey === undefined ? [] : Object.keys(body)) {
    if (!known.has(key)) refusals.set(key, [options.unknownKey?.(key) ?? key])
  }
  return { values: Object.fromEntries(values), refusals }
}

const wireStruct = (rules: NamedRules) =>
  Schema.Struct(
    Object.fromEntries(rules.map(([key, { required, wire }]) => [key, required ? wire : Schema.optionalKey(wire)]))
  )

/** Looks at whole bodies. Throws when a rule gives a value that its schema does not have. */
const checkerOf = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  rules: NamedRules,
  options: BodyOptions<Schema.Struct<Fields>["Type"]>
) => {
  type A = Schema.Struct<Fields>["Type"]
  const order = rules.map(([key]) => key)
  const isWhole: (value: unknown) => value is A = Schema.is(Schema.Struct(fields))
  const tests = new Map(Object.entries(fields).map(([key, field]) => [key, Schema.is(field)]))
  const isPart = (value: unknown): value is Partial<A> =>
    isObject(value) && Object.entries(value).every(([key, part]) => tests.get(key)?.(part) === true)
  const defect = (): never => {
    throw new Error(`a rule of ${order.join(", ")} gives what its schema does not have`)
  }
  const check = (body: JsonObject): CheckedBody<A> => {
    const { refusals, values } = collect(rules, options, body)
    if (!isPart(values)) return defect()
    if (refusals.size > 0) return refusedBody<A>(values, refusals, order)
    if (!isWhole(values)) return defect()
    const wrong = options.together?.(values) ?? []
    return wrong.length === 0 ? goodBody<A>(values, order) : refusedBody<A>(values, new Map([["", wrong]]), order)
  }
  return { check, isWhole }
}

/** A body from its fields, in the order in which they are checked. */
export const make = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  options: BodyOptions<Schema.Struct<Fields>["Type"]> = {}
) => {
  type A = Schema.Struct<Fields>["Type"]
  const rules: NamedRules = Object.entries(fields).map(([key, field]) => [key, fieldOf(field)])
  const wire = wireStruct(rules)
  const { check, isWhole } = checkerOf(fields, rules, options)
  const part = Schema.declare((value): value is CheckedBody<A> => isChecked(value))
  const parse = (body: JsonObject): Effect.Effect<A, SchemaIssue.Issue> =>
    Result.match(check(body).complete, {
      onFailure: (sentences) => Effect.fail(refusedWith(options.message?.(sentences) ?? sentences)),
      onSuccess: (value) => Effect.succeed(value)
    })

  return {
    check,
    wire,
    /** A part of another body that is checked by these rules and not refused with it. */
    part,
    /** The payload of a route that refuses what breaks a rule. */
    schema: Sent(isBody, wire).pipe(
      Schema.decodeTo(Schema.declare(isWhole), {
        decode: SchemaGetter.transformEffect((body) => Effect.suspend(() => parse(body))),
        encode: SchemaGetter.forbiddenEncoding
      })
    ),
    /** The payload of a route that has more to say about a body before it refuses it. */
    checked: Sent(isBody, wire).pipe(
      Schema.decodeTo(part, { decode: SchemaGetter.transform(check), encode: SchemaGetter.forbiddenEncoding })
    )
  }
}
