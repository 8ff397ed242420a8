/**
 * Request bodies as schemas that parse. A body is described once, as fields with their rules: decoding collects all mistakes,
 * in the order of the fields and in the words that clients know; handlers get the decoded type; the API document and the tests
 * get the schema of the sent body.
 */
import { Effect, Option, Predicate, Result, Schema, SchemaAST, SchemaGetter, SchemaIssue } from "effect"
import { noSuchField } from "./KnownNames.ts"
import { isBody, isObject, type JsonObject } from "./Values.ts"

// A field of a request: an Effect schema of the value that handlers get, with an annotation that contains the rule by which
// JSON becomes that value and the sentence of a refusal. `Body.ts` combines fields and applies the rules; the API document is
// made from the same schemas.

/** Why a value is refused, in the words that clients read: one sentence or several. */
export type Refusal = string | ReadonlyArray<string>

/** The place of a value: its key, and the whole object in which it was sent. */
export interface Place {
  readonly key: string
  readonly body: JsonObject
}

/** The value that results from the sent one, or why it is refused. */
export type Rule<A> = (sent: unknown, place: Place) => Result.Result<A, Refusal>

/** The result for a missing key: nothing (none), a value, or a refusal. */
export type AbsentRule = (place: Place) => Result.Result<Option.Option<unknown>, Refusal>

/** The annotation of a field. `wire` is its schema in the API document. */
interface FieldRule {
  readonly rule: Rule<unknown>
  readonly wire: Schema.Top
  readonly required: boolean
  readonly whenAbsent: AbsentRule
}

const FIELD = "switchyard/field"

const isFieldRule = (value: unknown): value is FieldRule =>
  Predicate.hasProperty(value, "rule") && Predicate.hasProperty(value, "whenAbsent")

/** The rule of a schema from this module. A schema from elsewhere has none, which is a defect of its body. */
const fieldOf = (schema: Schema.Constraint): FieldRule => {
  const field = Schema.resolveAnnotations(schema)?.[FIELD]
  if (!isFieldRule(field)) throw new Error("a body contains a schema without a rule")
  return field
}

const nothing: AbsentRule = () => Result.succeed(Option.none())

const carry = <S extends Schema.Top>(schema: S, field: FieldRule): S["Rebuild"] => schema.annotate({ [FIELD]: field })

/**
 * A field that may be absent, and whose key is then absent. `wire` is its schema in the document when that differs from the
 * value, for instance because a text of digits is taken as a number.
 */
export const optional = <S extends Schema.Top>(value: S, rule: Rule<S["Type"]>, wire: Schema.Top = value) =>
  Schema.optionalKey(carry(value, { rule, wire, required: false, whenAbsent: nothing }))

/** The same for a rule that may ignore a value: when it returns undefined, the key is treated as absent. */
export const ignorable = <S extends Schema.Top>(
  value: S,
  rule: Rule<S["Type"] | undefined>,
  wire: Schema.Top = value
) => Schema.optionalKey(carry(value, { rule, wire, required: false, whenAbsent: nothing }))

/** A field that must be present; `missing` is the refusal without it. */
export const required = <S extends Schema.Top>(
  value: S,
  missing: (place: Place) => Refusal,
  rule: Rule<S["Type"]>,
  wire: Schema.Top = value
): S["Rebuild"] => carry(value, { rule, wire, required: true, whenAbsent: (place) => Result.fail(missing(place)) })

/** A field with a default. */
export const otherwise = <S extends Schema.Top>(
  value: S,
  fallback: S["Type"],
  rule: Rule<S["Type"]>,
  wire: Schema.Top = value
): S["Rebuild"] =>
  carry(value, { rule, wire, required: false, whenAbsent: () => Result.succeed(Option.some(fallback)) })

/** A field whose absence is judged by the rest of the body; its rule may ignore a value. */
export const depending = <S extends Schema.Top>(
  value: S,
  whenAbsent: AbsentRule,
  rule: Rule<S["Type"] | undefined>,
  wire: Schema.Top = value
) => Schema.optionalKey(carry(value, { rule, wire, required: false, whenAbsent }))

/** The message of a refused request: a sentence, a list of them, or a list under `errors`. */
type RefusalMessage = string | ReadonlyArray<string> | { readonly errors: ReadonlyArray<string> }

const REFUSAL = "switchyard/refusal"
const WIRE = "switchyard/wire"
const KEYS = "switchyard/keys"

/** An issue whose message is sent to the client unchanged. */
export const refusedWith = (message: RefusalMessage) => new SchemaIssue.InvalidValue({ [REFUSAL]: message })

const isMessage = (value: unknown): value is RefusalMessage =>
  typeof value === "string" || Array.isArray(value) || (isObject(value) && Array.isArray(value["errors"]))

/** What is found first in an issue or in those within it; undefined where nothing is. */
const firstIn = <A>(issue: SchemaIssue.Issue, found: (issue: SchemaIssue.Issue) => A | undefined): A | undefined => {
  const here = found(issue)
  if (here !== undefined) return here
  switch (issue._tag) {
    case "Filter":
    case "Encoding":
    case "Pointer":
      return firstIn(issue.issue, found)
    case "Composite":
    case "AnyOf":
      return issue.issues.map((inner) => firstIn(inner, found)).find((inner) => inner !== undefined)
    default:
      return undefined
  }
}

/** The message of the first refusal in an issue; undefined when the issue is not a refusal, which is a defect of a schema. */
export const refusalOf = (issue: SchemaIssue.Issue): RefusalMessage | undefined =>
  firstIn(issue, (one) => {
    const message = one._tag === "InvalidValue" ? one.annotations?.[REFUSAL] : undefined
    return isMessage(message) ? message : undefined
  })

/** The name of the first parameter that an issue misses; undefined when none is missing. */
export const missingParameter = (issue: SchemaIssue.Issue): string | undefined =>
  firstIn(issue, (one) =>
    one._tag === "Pointer" && one.issue._tag === "MissingKey" ? String(one.path.at(-1)) : undefined
  )

/** The keys of a body: those with a rule, those that are accepted without effect, and whether others are refused. */
export interface BodyKeys {
  readonly known: ReadonlySet<string>
  readonly ignored: ReadonlySet<string>
  readonly refusesOthers: boolean
}

const isKeys = (value: unknown): value is BodyKeys => Predicate.hasProperty(value, "refusesOthers")

/** A sent value: every JSON value passes to the rules; documents and samples are made from `wire`. */
export const Sent = <A>(is: (value: unknown) => value is A, wire: Schema.Top, keys?: BodyKeys) =>
  Schema.declare(is, {
    toCodecJson: () => undefined,
    toCodecStringTree: () => undefined,
    [WIRE]: wire,
    [KEYS]: keys
  }).check(
    Schema.makeFilter<A>(() => true, {
      representation: { id: "switchyard/sent", payload: null, schemas: [wire.ast] },
      toJsonSchema: ({ schemas }) => schemas[0] ?? {}
    })
  )

/** The schema of the sent value for a schema of this module; any other schema unchanged. */
export const wireOf = (schema: Schema.Top): Schema.Top => {
  const wire = SchemaAST.toEncoded(schema.ast).annotations?.[WIRE]
  return Schema.isSchema(wire) ? wire : schema
}

/** The keys of the body of an endpoint; undefined for a schema from elsewhere. */
export const keysOf = (schema: Schema.Top): BodyKeys | undefined => {
  const keys = SchemaAST.toEncoded(schema.ast).annotations?.[KEYS]
  return isKeys(keys) ? keys : undefined
}

/** The sentence about an unknown key, from the known ones. */
type UnknownKey = (key: string, known: ReadonlySet<string>) => string

/** The options of a body. */
interface BodyOptions<A> {
  /** Its name in the API document; by default that of its call, such as `SyncDevicesRequest`. */
  readonly identifier?: string
  /** The message from all sentences; by default the list of them. */
  readonly message?: (sentences: ReadonlyArray<string>) => RefusalMessage
  /** The refusal of an unknown key, if it is not the usual sentence. */
  readonly unknownKey?: UnknownKey
  /** Keys that clients may send and that have no effect: the answer says so. */
  readonly ignored?: ReadonlyArray<string>
  /** Unknown keys are not refused: the request changes nothing, and its answer names them. */
  readonly isLenient?: boolean
  /** The message for a refused field, for instance with the key and the value. */
  readonly sentencesOf?: (key: string, sent: unknown, sentence: string) => ReadonlyArray<string>
  /** Rules over several fields, applied when each of them is valid: the sentences of the refusal. */
  readonly together?: (fields: A) => ReadonlyArray<string>
}

/** The message of a body that reports only the first mistake. */
export const firstOf = (sentences: ReadonlyArray<string>): string => sentences[0] ?? "Unknown error"

/** Why fields were refused, by key and in the order of the message. */
export type Refusals = ReadonlyMap<string, ReadonlyArray<string>>

/** All sentences, in order. */
export const sentencesOf = (refusals: Refusals): ReadonlyArray<string> => [...refusals.values()].flat()

/** A checked body, before its refusal, for routes that report more than its rules can: facts from the database, or another order. */
export interface CheckedBody<A> {
  /** The valid fields. */
  readonly fields: Partial<A>
  readonly refusals: Refusals
  /** The same with one more refusal, at the field's place; a refusal that the field already has stays. */
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
type AnyOptions = Pick<BodyOptions<never>, "unknownKey" | "sentencesOf">

/** A body with more unknown keys is no misspelt one. */
const MOST_UNKNOWN = 20

const unknownIn = (keys: BodyKeys, body: JsonObject): ReadonlyArray<string> =>
  Object.keys(body)
    .filter((key) => !keys.known.has(key) && !keys.ignored.has(key))
    .slice(0, MOST_UNKNOWN)

/** What the answer to an accepted body says about keys that had no effect. */
export const withoutEffect = (keys: BodyKeys, body: JsonObject): ReadonlyArray<string> => [
  ...Object.keys(body)
    .filter((key) => keys.ignored.has(key))
    .map((key) => `${key}: it has no effect here`),
  ...unknownIn(keys, body).map((key) => noSuchField(key, keys.known))
]

/** Checks every field in order, and unknown keys. */
const collect = (rules: NamedRules, keys: BodyKeys, options: AnyOptions, body: JsonObject): CollectedFields => {
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
  const { unknownKey = noSuchField } = options
  if (keys.refusesOthers) for (const key of unknownIn(keys, body)) refusals.set(key, [unknownKey(key, keys.known)])
  return { values: Object.fromEntries(values), refusals }
}

const wireStruct = (rules: NamedRules, identifier: string | undefined) => {
  const wire = Schema.Struct(
    Object.fromEntries(rules.map(([key, { required, wire }]) => [key, required ? wire : Schema.optionalKey(wire)]))
  )
  return identifier === undefined ? wire : wire.annotate({ identifier })
}

/** Checks whole bodies. Throws when a rule returns a value that its schema does not allow. */
const checkerOf = <const Fields extends Schema.Struct.Fields>(
  fields: Fields,
  rules: NamedRules,
  keys: BodyKeys,
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
    const { refusals, values } = collect(rules, keys, options, body)
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
  const keys: BodyKeys = {
    known: new Set(rules.map(([key]) => key)),
    ignored: new Set(options.ignored),
    refusesOthers: options.isLenient !== true
  }
  const wire = wireStruct(rules, options.identifier)
  const { check, isWhole } = checkerOf(fields, rules, keys, options)
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
    /** The payload of a route that refuses it for any broken rule. */
    schema: Sent(isBody, wire, keys).pipe(
      Schema.decodeTo(Schema.declare(isWhole), {
        decode: SchemaGetter.transformEffect((body) => Effect.suspend(() => parse(body))),
        encode: SchemaGetter.forbiddenEncoding
      })
    ),
    /** The payload of a route that checks more before it refuses the body. */
    checked: Sent(isBody, wire, keys).pipe(
      Schema.decodeTo(part, { decode: SchemaGetter.transform(check), encode: SchemaGetter.forbiddenEncoding })
    )
  }
}
