/**
 * `checks.yml` of the templates repository (docs/checks.md): the checks of a site and the ready sets that it includes, from plain
 * data. Every mistake is found, with the keys that lead to it. Pure.
 */
import { deviceTypes } from "../Device.ts"
import { type Check, type CheckedKind, type CheckQuestion, type CheckScope, type Condition, fieldsOf } from "./Check.ts"
import { type CheckFault, CheckReader, isData, isTexts, shown } from "./CheckFaults.ts"
import { isOwnName } from "./OutsideItems.ts"
import { readQuestion } from "./QuestionFile.ts"

/** The ready sets by name: each has the checks of its file, as data. */
export type ReadySets = Readonly<Record<string, unknown>>

/** What a file holds: the checks that could be read, and its mistakes. A file with mistakes must not be used. */
export interface ReadChecks {
  readonly checks: ReadonlyArray<Check>
  readonly faults: ReadonlyArray<CheckFault>
}

type Path = ReadonlyArray<string>
type Data = Readonly<Record<string, unknown>>

const NAME = /^[a-z][a-z0-9_-]{0,63}$/
const MOST_CHECKS = 200
/** The longest time in seconds that a check may wait. */
const LONGEST = 3_600
const FILE_KEYS = ["include", "checks"]
const KEYS = [
  "description",
  "for",
  "when_diff",
  "reads",
  "only",
  "where",
  "must",
  "settle",
  "try_again",
  "before",
  "also"
]
const SCOPE_KEYS = ["groups", "device_types", "platforms"]
const MUSTS =
  "equal, no_lost, no_new, at_least_share, at_least, at_most, grows_at_most, within or every, such as {at_least: 2}"

const DEFAULT_SETTLE = 10
const DEFAULT_AGAIN = 30

const readScope = (reader: CheckReader, value: unknown): CheckScope | undefined => {
  const path = ["for"]
  if (value === "all") return { groups: null, device_types: null, platforms: null }
  if (!isData(value)) {
    return reader.fault(
      path,
      "must be all, or name groups, device_types or platforms, such as {device_types: [ACCESS]}"
    )
  }
  reader.unknownKeys(path, value, SCOPE_KEYS)
  const names = (key: string) => {
    const list = value[key]
    if (list === undefined) return null
    return isTexts(list) ? list : (reader.fault([...path, key], "must be a list of names"), null)
  }
  const types = names("device_types")
  const unknown = types?.find((type) => !deviceTypes.some((known) => known === type))
  if (unknown !== undefined)
    reader.fault([...path, "device_types"], `${unknown} is not one of ${deviceTypes.join(", ")}`)
  if (Object.keys(value).length === 0) reader.fault(path, "names no devices; all devices are: all")
  return {
    groups: names("groups"),
    device_types: types === null ? null : deviceTypes.filter((type) => types.includes(type)),
    platforms: names("platforms")
  }
}

type Values = Readonly<Record<string, boolean | number | string>>

const isValue = (value: unknown): value is boolean | number | string =>
  typeof value === "boolean" || typeof value === "string" || (typeof value === "number" && Number.isFinite(value))

const isField = (field: string, kind: CheckedKind): boolean => fieldsOf(kind)?.includes(field) ?? isOwnName(field)

const NO_FIELD = "cannot be the name of a field"

const noField = (kind: CheckedKind): string => {
  const known = fieldsOf(kind)
  return known === null ? NO_FIELD : `${kind} has no such field, it has ${known.join(", ")}`
}

const knownField = (reader: CheckReader, path: Path, field: unknown, kind: CheckedKind): string | undefined => {
  const known = fieldsOf(kind)
  if (known !== null) return reader.oneOf(path, field, known)
  return typeof field === "string" && isOwnName(field) ? field : reader.fault(path, NO_FIELD)
}

const readValues = (reader: CheckReader, path: Path, value: unknown, kind: CheckedKind): Values | undefined => {
  if (!isData(value) || Object.keys(value).length === 0) {
    return reader.fault(path, "must name fields and their values, such as {is_up: true}")
  }
  const values: Record<string, boolean | number | string> = {}
  for (const [field, one] of Object.entries(value)) {
    if (!isField(field, kind)) reader.fault([...path, field], noField(kind), true)
    else if (isValue(one)) values[field] = one
    else reader.fault([...path, field], "must be true, false, a number or a text")
  }
  return values
}

/** A number with `of` beside it: `{at_least: 2}` or `{at_least: 2, of: prefixes_received}`. */
const readCount = (reader: CheckReader, path: Path, value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0
    ? value
    : reader.fault(path, "must be a whole number of 0 or more")

const readPercent = (reader: CheckReader, path: Path, value: unknown): number | undefined => {
  const percent = typeof value === "string" ? Number(/^(\d+(?:\.\d+)?) ?%$/.exec(value)?.[1]) : Number.NaN
  return percent > 0 && percent <= 100 ? percent : reader.fault(path, "must be a share from 1% to 100%, such as 90%")
}

const readLimits = (reader: CheckReader, value: unknown, kind: CheckedKind): Condition | undefined => {
  const path = ["must", "within"]
  const wanted = "must name one field with its limits, such as {offset_ms: [-100, 100]}; null stands for no limit"
  if (!isData(value) || Object.keys(value).length !== 1) return reader.fault(path, wanted)
  const [[name = "", limits] = []] = Object.entries(value)
  const field = knownField(reader, path, name, kind)
  if (!Array.isArray(limits) || limits.length !== 2) return reader.fault([...path, name], wanted)
  const [least, most]: ReadonlyArray<unknown> = limits
  const isLimit = (limit: unknown): limit is number | null => limit === null || typeof limit === "number"
  if (!isLimit(least) || !isLimit(most) || (least === null && most === null))
    return reader.fault([...path, name], wanted)
  if (least !== null && most !== null && least > most) {
    return reader.fault([...path, name], `${least} is more than ${most}`)
  }
  return field === undefined ? undefined : { must: "within", field, least, most }
}

const readGrowth = (reader: CheckReader, value: unknown, kind: CheckedKind): Condition | undefined => {
  const path = ["must", "grows_at_most"]
  if (!isData(value) || Object.keys(value).length !== 1) {
    return reader.fault(path, "must name one field and a number, such as {total: 0}")
  }
  const [[name = "", by] = []] = Object.entries(value)
  const field = knownField(reader, path, name, kind)
  if (typeof by !== "number" || by < 0) return reader.fault([...path, name], "must be a number of 0 or more")
  return field === undefined ? undefined : { must: "grows_at_most", field, by }
}

const readEqual = (reader: CheckReader, value: unknown, kind: CheckedKind): Condition | undefined => {
  if (value === true) return { must: "equal", fields: [] }
  if (!isTexts(value)) return reader.fault(["must", "equal"], "must be true, or a list of fields, such as [root]")
  const unknown = value.filter((field) => !isField(field, kind))
  for (const field of unknown) reader.fault(["must", "equal"], `${shown(field)}: ${noField(kind)}`)
  return { must: "equal", fields: value }
}

const readSum = (reader: CheckReader, data: Data, kind: CheckedKind): string | null => {
  const { of } = data
  return of === undefined ? null : (knownField(reader, ["must", "of"], of, kind) ?? null)
}

const readMust = (reader: CheckReader, value: unknown, kind: CheckedKind): Condition | undefined => {
  const path = ["must"]
  if (value === "equal") return { must: "equal", fields: [] }
  if (value === "no_lost" || value === "no_new") return { must: value }
  if (!isData(value)) return reader.fault(path, `must be ${MUSTS}`)
  const [name, ...others] = Object.keys(value).filter((key) => key !== "of")
  if (name === undefined || others.length > 0) return reader.fault(path, `must be one of ${MUSTS}`)
  const given = value[name]
  switch (name) {
    case "equal":
      return readEqual(reader, given, kind)
    case "no_lost":
    case "no_new":
      return given === true ? { must: name } : reader.fault([...path, name], "must be true")
    case "at_least_share": {
      const percent = readPercent(reader, [...path, name], given)
      const of = readSum(reader, value, kind)
      return percent === undefined ? undefined : { must: name, percent, of }
    }
    case "at_least":
    case "at_most": {
      const count = readCount(reader, [...path, name], given)
      const of = readSum(reader, value, kind)
      return count === undefined ? undefined : { must: name, count, of }
    }
    case "within":
      return readLimits(reader, given, kind)
    case "grows_at_most":
      return readGrowth(reader, given, kind)
    case "every": {
      const values = readValues(reader, [...path, name], given, kind)
      return values === undefined ? undefined : { must: name, values }
    }
    default:
      return reader.fault([...path, name], `must be one of ${MUSTS}`, true)
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, min: 60 }

/** `30 s`, `2 min`, or a number of seconds. */
const readTime = (reader: CheckReader, key: string, value: unknown, otherwise: number): number | undefined => {
  if (value === undefined) return otherwise
  const [, digits = "", unit = ""] = typeof value === "string" ? (/^(\d{1,5}) ?(s|min)$/.exec(value) ?? []) : []
  const seconds = typeof value === "number" ? value : Number(digits) * (UNITS[unit] ?? Number.NaN)
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= LONGEST
    ? seconds
    : reader.fault([key], `must be a time of at most ${LONGEST / 60} min, such as 30 s or 2 min`)
}

const readText = (reader: CheckReader, key: string, value: unknown): string | null => {
  if (value === undefined) return null
  return typeof value === "string" && value.length <= 500
    ? value
    : (reader.fault([key], "must be a text of at most 500 characters"), null)
}

const readCheck = (reader: CheckReader, name: string, value: unknown, set: string | null): Check | undefined => {
  if (!NAME.test(name)) {
    reader.fault([], "a name must be lower-case letters, digits, - and _, beginning with a letter", true)
  }
  if (!isData(value)) return reader.fault([], "must say what is read and what must hold")
  reader.unknownKeys([], value, KEYS)
  for (const key of ["for", "reads", "must"]) if (!(key in value)) reader.fault([], `'${key}' is missing`)
  const scope = "for" in value ? readScope(reader, value["for"]) : undefined
  const question = "reads" in value ? readQuestion(reader, value["reads"]) : undefined
  const condition =
    question === undefined || !("must" in value) ? undefined : readMust(reader, value["must"], question.reads)
  const where =
    value["where"] === undefined || question === undefined
      ? {}
      : readValues(reader, ["where"], value["where"], question.reads)
  const when_diff = reader.pattern(["when_diff"], value["when_diff"])
  const only = reader.pattern(["only"], value["only"])
  const settle = readTime(reader, "settle", value["settle"], DEFAULT_SETTLE)
  const within = readTime(reader, "try_again", value["try_again"], DEFAULT_AGAIN)
  const before = value["before"] === undefined ? "warn" : reader.oneOf(["before"], value["before"], ["warn", "refuse"])
  const also = value["also"] === undefined ? null : reader.oneOf(["also"], value["also"], ["neighbours"])
  const description = readText(reader, "description", value["description"])
  const unfit = question === undefined || condition === undefined ? null : unfitFor(question, condition)
  if (unfit !== null) reader.fault(["must"], unfit)
  if (scope === undefined || question === undefined || condition === undefined || where === undefined) return undefined
  if (when_diff === undefined || only === undefined || settle === undefined || within === undefined) return undefined
  if (before === undefined || also === undefined) return undefined
  const also_neighbours = also === "neighbours"
  return {
    name,
    description,
    for: scope,
    when_diff,
    question,
    only,
    where,
    condition,
    settle,
    within,
    before,
    also_neighbours,
    set
  }
}

/** Conditions that compare items by their names. */
const BY_NAME: ReadonlyArray<Condition["must"]> = ["equal", "no_lost", "no_new", "grows_at_most"]

/** Why a condition cannot be judged by what is read; null if it can. */
const unfitFor = (question: CheckQuestion, { must }: Condition): string | null => {
  if (question.reads === "log" && ["at_least_share", "equal", "no_lost"].includes(must)) {
    return "the log is read from the commit on, so it has nothing to compare with: use no_new or at_most"
  }
  if (
    question.reads === "http" &&
    question.path.includes("[*]") &&
    question.name.length === 0 &&
    BY_NAME.includes(must)
  ) {
    return `${must} compares items by their names, and places in a list are none: http needs name`
  }
  return null
}

/** The checks of a mapping. `base`: the keys that lead to it. */
const readAll = (data: unknown, base: Path, set: string | null): ReadChecks => {
  if (data === undefined || data === null) return { checks: [], faults: [] }
  if (!isData(data)) return { checks: [], faults: [{ path: base, message: "must be checks by their names" }] }
  const checks: Array<Check> = []
  const faults: Array<CheckFault> = []
  for (const [name, value] of Object.entries(data)) {
    const reader = new CheckReader([...base, name])
    const check = readCheck(reader, name, value, set)
    faults.push(...reader.faults)
    if (check !== undefined && reader.faults.length === 0) checks.push(check)
  }
  return { checks, faults }
}

/** The checks of a ready set; dies with the first mistake in it, which is ours. */
const readySet = (sets: ReadySets, name: string): ReadonlyArray<Check> => {
  const { checks, faults } = readAll(sets[name], [], name)
  const [fault] = faults
  if (fault !== undefined) throw new Error(`The ready set ${name} is wrong: ${fault.path.join("->")}: ${fault.message}`)
  return checks
}

const readIncludes = (value: unknown, sets: ReadySets): ReadChecks => {
  if (value === undefined || value === null) return { checks: [], faults: [] }
  const path = ["include"]
  if (!isTexts(value)) return { checks: [], faults: [{ path, message: "must be a list of ready sets" }] }
  const known = Object.keys(sets)
  const unknown = value.flatMap((name, index) => (known.includes(name) ? [] : [{ name, index }]))
  const names = [...new Set(value.filter((name) => known.includes(name)))]
  return {
    checks: names.flatMap((name) => readySet(sets, name)),
    faults: unknown.map(({ index, name }) => ({
      path: [...path, String(index)],
      message: known.length === 0 ? `there is no ready set ${name}` : `${name} is not one of ${known.join(", ")}`
    }))
  }
}

/** Reads the data of a file. A check of the file replaces the one of the same name in a ready set. */
export const readCheckFile = (data: unknown, sets: ReadySets): ReadChecks => {
  if (data === null) return { checks: [], faults: [] }
  if (!isData(data)) return { checks: [], faults: [{ path: [], message: `must have ${FILE_KEYS.join(" or ")}` }] }
  const reader = new CheckReader([])
  reader.unknownKeys([], data, FILE_KEYS)
  const included = readIncludes(data["include"], sets)
  const own = readAll(data["checks"], ["checks"], null)
  const all = new Map([...included.checks, ...own.checks].map((check) => [check.name, check]))
  if (all.size > MOST_CHECKS) reader.fault(["checks"], `more than ${MOST_CHECKS} checks`)
  return { checks: [...all.values()], faults: [...reader.faults, ...included.faults, ...own.faults] }
}
