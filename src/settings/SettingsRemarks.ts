/**
 * What is doubtful in a settings repository and stops no refresh: names that nothing knows, and files that nobody reads. Most
 * of them are mistyped, and without a word their author believes that they work.
 */
import { Predicate, Result } from "effect"
import { type Finding, finding, findingOnKey, type KeyPath } from "./Finding.ts"
import { expandInterfaceRange } from "./InterfaceRange.ts"
import { ALERTS_FILE, whyUnused } from "./RepositoryPaths.ts"
import { fieldOf, type Rule, type SettingField } from "./SettingRule.ts"
import type { SettingsFile } from "./SettingsFile.ts"
import { f_groups } from "./SettingsGroups.ts"
import { f_root } from "./SettingsModel.ts"
import type { SettingsSnapshot } from "./SettingsSnapshot.ts"

const MAX_PER_FILE = 50
const FILES_PER_STEP = 100

/** Files of which each device gets what names its groups; there, and only there, any mapping may have these keys. */
const FILTERED = /^global\/(base_system|routing|vxlans|access_lists)\.yml$|^devices\/[^/]+\/routing\.yml$/
const AUDIENCE_KEYS = new Set<unknown>(["groups", "devices"])

type Report = (path: KeyPath, message: string) => void

const fieldsText = (fields: ReadonlyArray<{ readonly name: string }>): string =>
  fields.length > 8 ? "" : `; known are ${fields.map(({ name }) => name).join(", ")}`

const visitModel = (
  { fields }: Extract<Rule, { kind: "model" }>,
  value: ReadonlyMap<unknown, unknown>,
  path: KeyPath,
  report: Report,
  passed: ReadonlySet<unknown>
): void => {
  const known = new Map<unknown, SettingField>(fields.map((field) => [field.name, field]))
  for (const [key, item] of value) {
    const field = known.get(key)
    const at = [...path, String(key)]
    if (field !== undefined) visit(field, item, at, report, passed)
    else if (!passed.has(key)) report(at, `nothing here has this name${fieldsText(fields)}`)
  }
}

/** Reports the keys of a value that its rule drops. */
const visit = (
  { rule }: SettingField,
  value: unknown,
  path: KeyPath,
  report: Report,
  passed: ReadonlySet<unknown>
): void => {
  if (rule.kind === "list" && Array.isArray(value)) {
    for (const [position, item] of value.entries()) visit(rule.item, item, [...path, position], report, passed)
  } else if (rule.kind === "mapping" && value instanceof Map) {
    for (const [key, item] of value) visit(rule.value, item, [...path, String(key)], report, passed)
  } else if (rule.kind === "model" && value instanceof Map) {
    visitModel(rule, value, path, report, passed)
  }
}

const NOTHING_PASSED: ReadonlySet<unknown> = new Set()
const GROUP_FORM = fieldOf(f_groups)
const ROOT = fieldOf(f_root)

/** Flat definitions have no key `group`, which the form of the file asks for. */
const isNested = (value: unknown): boolean => value instanceof Map && value.has("group")

const unknownIn = (file: SettingsFile, values: ReadonlyMap<unknown, unknown>, report: Report): void => {
  if (file.path === "global/groups.yml") {
    const groups: unknown = values.get("groups")
    if (Array.isArray(groups) && groups.every(isNested)) visit(GROUP_FORM, values, [], report, NOTHING_PASSED)
    return
  }
  if (ROOT.rule.kind !== "model") return
  const passed = FILTERED.test(file.path) ? AUDIENCE_KEYS : NOTHING_PASSED
  for (const field of ROOT.rule.fields) {
    // an unknown key at the top is reported where the file is read
    if (values.has(field.name)) visit(field, values.get(field.name), [field.name], report, passed)
  }
}

/** Names that stand for an interface twice; the templates see both entries. */
const repeatedIn = (values: ReadonlyMap<unknown, unknown>, report: Report): void => {
  const interfaces: unknown = values.get("interfaces")
  const seen = new Set<string>()
  for (const [position, entry] of (Array.isArray(interfaces) ? interfaces : []).entries()) {
    const name: unknown = entry instanceof Map ? entry.get("name") : undefined
    const names = Predicate.isString(name) ? expandInterfaceRange(name) : []
    const again = names.filter((one) => seen.has(one))
    if (again.length > 0) report(["interfaces", position, "name"], `${again[0]} is described more than once`)
    if (Predicate.isString(name) && names.length === 0) {
      report(["interfaces", position, "name"], `${name} stands for no interface: its range runs backwards`)
    }
    for (const one of names) seen.add(one)
  }
}

const known = new WeakMap<SettingsFile, ReadonlyArray<Finding>>()

/** What is doubtful in one file, whatever the others say. Found once per file: it is the same object in later snapshots. */
const fileFindings = (file: SettingsFile): ReadonlyArray<Finding> => {
  const before = known.get(file)
  if (before !== undefined) return before
  const found: Array<Finding> = []
  const report: Report = (path, message) => {
    if (found.length < MAX_PER_FILE) found.push(findingOnKey(file.path, path, message))
  }
  const { content } = file
  if (Result.isSuccess(content)) {
    unknownIn(file, content.success.values, report)
    repeatedIn(content.success.values, report)
    found.unshift(...content.success.warnings)
  }
  known.set(file, found)
  return found
}

const groupNames = function* (value: unknown, path: KeyPath): Generator<readonly [name: string, path: KeyPath]> {
  if (Array.isArray(value)) {
    for (const [position, item] of value.entries()) yield* groupNames(item, [...path, position])
  } else if (value instanceof Map) {
    for (const [key, item] of value) {
      const at = [...path, String(key)]
      if (key !== "groups") yield* groupNames(item, at)
      else if (Array.isArray(item)) {
        for (const [position, name] of item.entries()) if (Predicate.isString(name)) yield [name, [...at, position]]
      }
    }
  }
}

/** Group names that nobody has defined: what names them alone is for no device. */
const unknownGroups = (file: SettingsFile, defined: ReadonlyMap<string, unknown>): ReadonlyArray<Finding> => {
  if (!FILTERED.test(file.path) || Result.isFailure(file.content)) return []
  return [...groupNames(file.content.success.values, [])]
    .filter(([name]) => !defined.has(name))
    .map(([name, path]) => finding(file.path, path, `group ${name} is not defined`))
}

/** Rules of alerts for groups that nobody has defined tell of no device. */
const alertGroups = ({ alerts, definitions }: SettingsSnapshot): ReadonlyArray<Finding> => {
  const defined = new Set(["DEFAULT", ...definitions.groups.map(({ name }) => name)])
  return (alerts?.rules ?? []).flatMap(({ groups, name }) =>
    (groups ?? [])
      .filter((group) => !defined.has(group))
      .map((group) => finding(ALERTS_FILE, [], `rule ${name}: group ${group} is not defined`))
  )
}

/** Everything doubtful in the files of a snapshot; gives way after every hundred files. */
export const snapshotFindings = function* (snapshot: SettingsSnapshot): Generator<void, ReadonlyArray<Finding>> {
  const { definitions, files } = snapshot
  const groups = new Map(definitions.groups.map((group) => [group.name, group]))
  const unused = new Set<string>()
  const found: Array<Finding> = [...definitions.warnings, ...alertGroups(snapshot)]
  let looked = 0
  for (const [path, file] of files) {
    looked += 1
    if (looked % FILES_PER_STEP === 0) yield
    const why = whyUnused(path, groups)
    if (why === undefined) {
      if (path.endsWith(".yml")) found.push(...fileFindings(file), ...unknownGroups(file, groups))
    } else if (!unused.has(why)) {
      // a directory is named once, by its first file
      unused.add(why)
      found.push(finding(path, [], why))
    }
  }
  return found
}
