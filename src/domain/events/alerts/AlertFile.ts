/**
 * `alerts.yml`: the receivers of alerts (docs/alerts.md). Unreadable parts are refused, with the keys that lead to them and the
 * rule. Pure.
 */
import { Result, Schema, SchemaIssue } from "effect"
import { isGlob } from "../../access/Glob.ts"
import { deviceTypes } from "../../Device.ts"
import { alertLevels, type AlertRule, type Condition, type EventName, groupings, readyRules } from "./AlertRule.ts"
import { type Fault, fault, readDuration, readReceivers, type Receiver, receiverSchemas } from "./Receiver.ts"

const Word = Schema.Union([Schema.String, Schema.Number, Schema.Boolean])
const words = Schema.Union([Schema.String, Schema.Array(Schema.String)])
const Conditions = Schema.Record(Schema.String, Schema.Union([Word, Schema.Array(Word)]))
const Level = Schema.Literals(alertLevels)

const common = {
  to: words,
  level: Schema.optionalKey(Level),
  group: Schema.optionalKey(Schema.Literals(groupings)),
  wait: Schema.optionalKey(Schema.String),
  quiet: Schema.optionalKey(Schema.String),
  title: Schema.optionalKey(Schema.String),
  where: Schema.optionalKey(Conditions),
  unless: Schema.optionalKey(Conditions),
  hostnames: Schema.optionalKey(words),
  groups: Schema.optionalKey(words),
  device_types: Schema.optionalKey(Schema.Array(Schema.Literals(deviceTypes)))
}
const Name = Schema.Struct({ kind: words, action: Schema.optionalKey(words) })

const FileSchema = Schema.Struct({
  receivers: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, receiverSchemas))),
  ready: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.Union([words, Schema.Struct(common)])))),
  rules: Schema.optionalKey(
    Schema.NullOr(
      Schema.Record(Schema.String, Schema.Struct({ ...Name.fields, ...common, resolved_by: Schema.optionalKey(Name) }))
    )
  )
})
type FileRule = NonNullable<NonNullable<(typeof FileSchema.Type)["rules"]>[string]>
type Settings = Omit<FileRule, "kind" | "action" | "resolved_by">

/** The contents of the file. */
export interface AlertRules {
  readonly receivers: ReadonlyArray<Receiver>
  readonly rules: ReadonlyArray<AlertRule>
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
const MAX_TITLE = 200

const decode = Schema.decodeUnknownResult(FileSchema, { onExcessProperty: "error" })
const formatted = SchemaIssue.makeFormatterStandardSchemaV1()

const isWords = (value: string | ReadonlyArray<string> | Settings): value is string | ReadonlyArray<string> =>
  typeof value === "string" || Array.isArray(value)

const listOf = (value: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : value

type Path = ReadonlyArray<string>
type Read<A> = Result.Result<A, Fault>

const readGlobs = (
  path: Path,
  value: string | ReadonlyArray<string> | undefined
): Read<ReadonlyArray<string> | null> => {
  if (value === undefined) return Result.succeed(null)
  const globs = listOf(value)
  if (globs.length === 0) return fault(path, "an empty list matches nothing")
  const bad = globs.find((glob) => glob === "" || !isGlob(glob))
  return bad === undefined ? Result.succeed(globs) : fault(path, `${JSON.stringify(bad)} is not a glob`)
}

const readName = (path: Path, { action = "*", kind }: typeof Name.Type): Read<EventName> =>
  Result.gen(function* () {
    const kinds = (yield* readGlobs([...path, "kind"], kind)) ?? []
    const actions = (yield* readGlobs([...path, "action"], action)) ?? []
    return { kinds, actions }
  })

const readConditions = (path: Path, given: typeof Conditions.Type = {}): Read<ReadonlyArray<Condition>> =>
  Result.all(
    Object.entries(given).map(([field, value]) =>
      Result.map(
        readGlobs([...path, field], (Array.isArray(value) ? value : [value]).map(String)),
        (values): Condition => ({ path: field, values: values ?? [] })
      )
    )
  )

/** The keys of every rule, with their defaults. */
const readSettings = (
  path: Path,
  given: Partial<Settings>,
  known: ReadonlySet<string>,
  before: Omit<AlertRule, "to">
) =>
  Result.gen(function* () {
    const to = listOf(given.to ?? [])
    if (to.length === 0) return yield* fault([...path, "to"], "names no receiver")
    const unknown = to.find((name) => !known.has(name))
    if (unknown !== undefined) return yield* fault([...path, "to"], `there is no receiver ${unknown}`)
    if ((given.title ?? "").length > MAX_TITLE) {
      return yield* fault([...path, "title"], `is longer than ${MAX_TITLE} characters`)
    }
    const rule: AlertRule = {
      ...before,
      to,
      level: given.level ?? before.level,
      groupBy: given.group ?? before.groupBy,
      title: given.title ?? before.title,
      wait: given.wait === undefined ? before.wait : yield* readDuration([...path, "wait"], given.wait),
      quiet: given.quiet === undefined ? before.quiet : yield* readDuration([...path, "quiet"], given.quiet),
      where: [...before.where, ...(yield* readConditions([...path, "where"], given.where))],
      unless: [...before.unless, ...(yield* readConditions([...path, "unless"], given.unless))],
      hostnames: yield* readGlobs([...path, "hostnames"], given.hostnames),
      groups: given.groups === undefined ? null : listOf(given.groups),
      deviceTypes: given.device_types ?? null
    }
    if (rule.quiet > 0 && rule.groupBy === "event") {
      return yield* fault([...path, "quiet"], "each event is a message of its own: add group: job, device or rule")
    }
    return rule
  })

const checkRuleName = (path: Path, name: string): Read<void> =>
  NAME.test(name) ? Result.void : fault(path, "a name has 1 to 64 letters, digits and _.-")

const readRule = (name: string, rule: FileRule, known: ReadonlySet<string>): Read<AlertRule> =>
  Result.gen(function* () {
    const path = ["rules", name]
    yield* checkRuleName(path, name)
    if (readyRules.some((ready) => ready.name === name)) {
      return yield* fault(path, `${name} is a ready rule: it is switched on under ready, and a rule needs another name`)
    }
    const resolvedBy =
      rule.resolved_by === undefined ? null : yield* readName([...path, "resolved_by"], rule.resolved_by)
    return yield* readSettings(path, rule, known, {
      ...(yield* readName(path, rule)),
      name,
      where: [],
      unless: [],
      hostnames: null,
      groups: null,
      deviceTypes: null,
      level: "warning",
      groupBy: resolvedBy === null ? "event" : "device",
      wait: 0,
      quiet: 0,
      title: null,
      resolvedBy,
      endsWithCause: false
    })
  })

const readReady = (
  name: string,
  given: string | ReadonlyArray<string> | Settings,
  known: ReadonlySet<string>
): Read<AlertRule> => {
  const path = ["ready", name]
  const ready = readyRules.find((rule) => rule.name === name)
  if (ready === undefined) {
    return fault(path, `there is no ready rule ${name}; there are ${readyRules.map((rule) => rule.name).join(", ")}`)
  }
  const settings = isWords(given) ? { to: given } : given
  return readSettings(path, settings, known, ready)
}

/** The contents of a file, given as plain data; or its first mistake, and the place of it. */
export const readAlerts = (data: unknown): Read<AlertRules> =>
  Result.gen(function* () {
    const decoded = decode(data ?? {})
    if (Result.isFailure(decoded)) {
      const [issue] = formatted(decoded.failure.issue).issues
      const path = (issue?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key))
      return yield* fault(path, issue?.message ?? "is not understood")
    }
    const { ready, receivers, rules } = decoded.success
    const found = yield* readReceivers(receivers ?? {})
    const known = new Set(found.map(({ name }) => name))
    const own = yield* Result.all(Object.entries(rules ?? {}).map(([name, rule]) => readRule(name, rule, known)))
    const on = yield* Result.all(Object.entries(ready ?? {}).map(([name, given]) => readReady(name, given, known)))
    return { receivers: found, rules: [...on, ...own] }
  })
