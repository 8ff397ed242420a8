/**
 * A check (docs/checks.md): whom it is for, what it reads before and after a change, and what must hold. As the API shows it, and as
 * the row of a change keeps it.
 */
import { Result, Schema } from "effect"
import { RE2JS } from "re2js"
import type { CheckOfChange } from "../../../machines/change/ChangeChecks.ts"
import { deviceTypes } from "../Device.ts"
import { HttpQuestion } from "./HttpQuestion.ts"
import { PluginQuestion } from "./PluginQuestion.ts"
import { LogSeverity, PingQuestion, type Question, readingItems, type ReadingKind, readingKinds } from "./Readings.ts"

/** The ports of a role, by the links and the port records of the database. */
export const portRoles = ["access", "uplink", "downlink", "mlag_peer", "fabric"] as const
export const PortRole = Schema.Literals(portRoles)
export type PortRole = typeof PortRole.Type

const Names = Schema.NullOr(Schema.Array(Schema.String))

/** Devices of one of the groups, one of the types and one of the platforms; null for any. */
export const CheckScope = Schema.Struct({
  groups: Names,
  device_types: Schema.NullOr(Schema.Array(Schema.Literals(deviceTypes))),
  platforms: Names
}).annotate({ identifier: "CheckScope" })
export type CheckScope = typeof CheckScope.Type

const PlainKind = Schema.Literals(
  readingKinds.filter((kind): kind is Exclude<ReadingKind, "log" | "ping"> => kind !== "log" && kind !== "ping")
)

/** What a check reads. The log is read from the commit on; `role` limits interfaces to the ports of one role. */
export const CheckQuestion = Schema.Union([
  Schema.Struct({ reads: PlainKind, role: Schema.optionalKey(PortRole) }),
  Schema.Struct({ reads: Schema.Literal("log"), severity: LogSeverity }),
  PingQuestion,
  HttpQuestion,
  PluginQuestion
]).annotate({ identifier: "CheckQuestion" })
export type CheckQuestion = typeof CheckQuestion.Type

/** A question whose answer is made by another system or a plugin, and not by the driver. */
export type OutsideQuestion = HttpQuestion | PluginQuestion

/** What a check can read: the kinds of readings of devices, and those from elsewhere, whose fields are not known beforehand. */
export type CheckedKind = CheckQuestion["reads"]

/** Whether the answer comes from elsewhere than the driver of the device. */
export const isOutside = (question: CheckQuestion): question is OutsideQuestion =>
  question.reads === "http" || question.reads === "plugin"

const Value = Schema.Union([Schema.Boolean, Schema.Finite, Schema.String])
const Values = Schema.Record(Schema.String, Value)
const Count = Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))

/** `of`: the field whose sum counts instead of the number of items. */
const of = Schema.NullOr(Schema.String)

/**
 * What must hold. `equal`, `no_lost`, `no_new`, `at_least_share` and `grows_at_most` compare with the reading of before; the others
 * stand for themselves.
 */
export const Condition = Schema.Union([
  Schema.Struct({ must: Schema.Literal("equal"), fields: Schema.Array(Schema.String) }),
  Schema.Struct({ must: Schema.Literal("no_lost") }),
  Schema.Struct({ must: Schema.Literal("no_new") }),
  Schema.Struct({ must: Schema.Literal("at_least_share"), percent: Schema.Finite, of }),
  Schema.Struct({ must: Schema.Literal("at_least"), count: Count, of }),
  Schema.Struct({ must: Schema.Literal("at_most"), count: Count, of }),
  Schema.Struct({ must: Schema.Literal("grows_at_most"), field: Schema.String, by: Schema.Finite }),
  Schema.Struct({
    must: Schema.Literal("within"),
    field: Schema.String,
    least: Schema.NullOr(Schema.Finite),
    most: Schema.NullOr(Schema.Finite)
  }),
  Schema.Struct({ must: Schema.Literal("every"), values: Values })
]).annotate({ identifier: "CheckCondition" })
export type Condition = typeof Condition.Type
export type ConditionKind = Condition["must"]

/** What a check does that fails, or cannot be read, before the change already. */
export const beforePolicies = ["warn", "refuse"] as const
export const BeforePolicy = Schema.Literals(beforePolicies)
export type BeforePolicy = typeof BeforePolicy.Type

/** A check. `only` and `when_diff` are regular expressions that are searched for (RE2); times are in seconds. */
export const Check = Schema.Struct({
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  for: CheckScope,
  when_diff: Schema.NullOr(Schema.String),
  question: CheckQuestion,
  only: Schema.NullOr(Schema.String),
  where: Values,
  condition: Condition,
  settle: Count,
  within: Count,
  before: BeforePolicy,
  also_neighbours: Schema.Boolean,
  /** The ready set that it comes from. */
  set: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Check" })
export type Check = typeof Check.Type

/** Whether the condition compares with the reading of before. */
export const comparesBefore = ({ must }: Condition): boolean =>
  must === "equal" || must === "no_lost" || must === "no_new" || must === "at_least_share" || must === "grows_at_most"

/** The field that counts the things of an item, for kinds whose items are counts. */
export const countField = (kind: CheckedKind): string | null =>
  kind === "routes" || kind === "macs" || kind === "arp" ? "count" : null

/** The names of the fields of a kind; null for a kind that can have any. */
export const fieldsOf = (kind: CheckedKind): ReadonlyArray<string> | null =>
  kind === "http" || kind === "plugin" ? null : Object.keys(readingItems[kind].fields)

/** The question that a driver is asked; the log is asked for from `since` on, in epoch milliseconds. */
export const questionAt = (question: Exclude<CheckQuestion, OutsideQuestion>, since: number): Question => {
  if (question.reads === "log") return { ...question, since }
  return question.reads === "ping" ? question : { reads: question.reads }
}

/** A regular expression that is searched for in a text; fails with what is wrong with it. */
export const searchFor = (source: string): Result.Result<(text: string) => boolean, string> =>
  Result.try({
    try: () => {
      const pattern = RE2JS.compile(source, RE2JS.MULTILINE)
      return (text: string) => pattern.matcher(text).find()
    },
    catch: (error) => (error instanceof Error ? error.message : "it cannot be compiled")
  })

const matches = (source: string, text: string): boolean =>
  Result.match(searchFor(source), { onFailure: () => false, onSuccess: (test) => test(text) })

/** Whether a difference calls for the check: one of its changed lines matches. */
export const appliesTo = ({ when_diff }: Check, diff: string): boolean =>
  when_diff === null ||
  diff
    .split("\n")
    .filter((line) => /^[+-](?![+-]{2} )/.test(line))
    .some((line) => matches(when_diff, line.slice(1)))

/** Whether a name of an item is one of those that the check looks at. */
export const looksAt = ({ only }: Check, name: string): boolean => only === null || matches(only, name)

/** The device as checks choose it. */
export interface CheckedDevice {
  readonly device_type: string
  readonly platform: string | null
  readonly groups: ReadonlyArray<string>
}

/** Whether the check is for a device, before anything is known of a difference. */
export const isFor = ({ for: scope }: Check, { device_type, groups, platform }: CheckedDevice): boolean =>
  (scope.groups === null || scope.groups.some((group) => groups.includes(group))) &&
  (scope.device_types === null || scope.device_types.some((type) => type === device_type)) &&
  (scope.platforms === null || (platform !== null && scope.platforms.includes(platform)))

const { encodeSync, decodeUnknownOption } = {
  encodeSync: Schema.encodeSync(Check),
  decodeUnknownOption: Schema.decodeUnknownOption(Check)
}

/** The check as the row of a change keeps it. */
export const storedCheck = (check: Check): CheckOfChange => ({
  name: check.name,
  settle: check.settle,
  within: check.within,
  definition: encodeSync(check)
})

/** The check of a row; none if another release has stored it in another form. */
export const checkOf = ({ definition }: CheckOfChange) => decodeUnknownOption(definition)
