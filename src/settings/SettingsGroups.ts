/**
 * The groups of `global/groups.yml`: the parser for both forms of definitions, and the membership of devices
 * (docs/settings-repository.md#groups). Every device is a member of DEFAULT and has exactly one primary group.
 */
import { Predicate, Result } from "effect"
import type { Device } from "../domain/Device.ts"
import { compileGroupPattern, type GroupPattern, MAX_SIZE } from "./GroupPattern.ts"
import { type Finding, finding, findingOnKey, type SettingsProblem, validationProblem } from "./SettingsProblem.ts"
import { absent, Descriptions, integer, list, model, optional, Patterns, refine, text } from "./SettingRule.ts"
import { type Fault, SettingValidator } from "./SettingValidator.ts"
import { regexSize } from "../jinja/library/Regex.ts"

/** The fields of a device that can define a group. A full device record fits. */
export type GroupMember = Pick<Device, "hostname"> &
  Partial<Pick<Device, "device_type" | "model" | "os_version" | "platform">>

/** A group with its definition and its test. */
export interface SettingsGroup {
  readonly name: string
  readonly regex: string
  readonly group_priority: number
  readonly templates_branch: string | null
  readonly matches: (device: GroupMember) => boolean
}

/** The groups of one device: all names in the order of definition, and the one that selects settings and templates. */
export interface Membership {
  readonly groups: ReadonlyArray<string>
  readonly groupSet: ReadonlySet<string>
  readonly primary: SettingsGroup
}

export const DEFAULT_GROUP = "DEFAULT"
const ORIGIN = "global->groups.yml"

/** The file with the definitions. */
const GROUPS_FILE = "global/groups.yml"

const everybody: SettingsGroup = {
  name: DEFAULT_GROUP,
  regex: ".*",
  group_priority: 1,
  templates_branch: null,
  matches: () => true
}

const noPattern = absent(text())

const f_device_filter = model("f_device_filter", {
  hostname: noPattern,
  device_type: noPattern,
  model: noPattern,
  os_version: noPattern,
  platform: noPattern
})

const f_group = model("f_group", {
  name: text({ maxLength: 253, pattern: Patterns.groupName }),
  regex: optional(text(), ""),
  group_priority: refine(optional(integer({ ge: 0, le: 100, description: Descriptions.groupPriority }), 0), {
    check: (priority, { name }) =>
      priority === 1 && name !== DEFAULT_GROUP
        ? "Value error, group_priority 1 is reserved for built-in group DEFAULT"
        : undefined
  }),
  templates_branch: refine(absent(text()), {
    check: (branch, { group_priority: priority }) =>
      Predicate.isString(branch) && !(Predicate.isNumber(priority) && priority > 1)
        ? "Value error, templates_branch can only be specified on primary groups"
        : undefined
  }),
  device_filter: absent(f_device_filter),
  devices: refine(absent(list(text())), {
    check: (devices, { device_filter: filter }) =>
      devices !== null && Predicate.isNotNullish(filter)
        ? "Value error, devices cannot be specified together with device_filter"
        : undefined
  })
})
type GroupDefinition = typeof f_group.Type

const FILTER_FIELDS = ["hostname", "device_type", "model", "os_version", "platform"] as const

/** The parsed definitions: the groups with DEFAULT last, and remarks. */
export interface GroupDefinitions {
  readonly groups: ReadonlyArray<SettingsGroup>
  readonly warnings: ReadonlyArray<Finding>
}

type Path = Finding["path"]

const groupsProblem = (message: string, path: Path = []): SettingsProblem => ({
  kind: "groups",
  message,
  findings: [finding(GROUPS_FILE, path, message)]
})

/** Invalid values, as one problem of the group definitions. */
const faultsProblem = (faults: ReadonlyArray<Fault>, origin: string): SettingsProblem => ({
  ...validationProblem(
    faults,
    () => origin,
    (path) => ({ files: [GROUPS_FILE], path })
  ),
  kind: "groups"
})

const prefixed = (prefix: ReadonlyArray<string | number>, faults: ReadonlyArray<Fault>) =>
  faults.map((fault) => ({ ...fault, path: [...prefix, ...fault.path] }))

interface Reading {
  readonly faults: Array<Fault>
  readonly problems: Array<SettingsProblem>
  readonly warnings: Array<Finding>
  /** States of all expressions so far. */
  patternSize: number
}

/** The limit for the states of all groups' expressions together: many times the need of a large campus. */
const MAX_PATTERNS_SIZE = 100_000

/** A definition with the keys that lead to it. */
interface PlacedDefinition {
  readonly definition: GroupDefinition
  readonly path: Path
}

const compiled = (
  source: string,
  { definition: { name }, path }: PlacedDefinition,
  keys: ReadonlyArray<string>,
  reading: Reading
): GroupPattern => {
  const isFirstTooMany = reading.patternSize <= MAX_PATTERNS_SIZE
  reading.patternSize += Math.min(regexSize(source), MAX_SIZE)
  if (reading.patternSize > MAX_PATTERNS_SIZE) {
    const message = `Group ${name}: the groups' regular expressions are too large together`
    if (isFirstTooMany) reading.problems.push(groupsProblem(message, [...path, ...keys]))
    return () => false
  }
  const pattern = compileGroupPattern(source)
  if (Result.isSuccess(pattern)) return pattern.success
  const message = `Group ${name}: ${keys.join(" ")} is not a usable regular expression: ${pattern.failure}`
  reading.problems.push(groupsProblem(message, [...path, ...keys]))
  return () => false
}

const filterTest = (placed: PlacedDefinition, reading: Reading): SettingsGroup["matches"] => {
  const filter = placed.definition.device_filter
  const tests = FILTER_FIELDS.flatMap((field) => {
    const source = filter?.[field] ?? null
    if (source === null) return []
    const pattern = compiled(source, placed, ["device_filter", field], reading)
    return [(device: GroupMember) => Predicate.isString(device[field]) && pattern(device[field])]
  })
  return (device) => tests.length > 0 && tests.every((test) => test(device))
}

const toGroup = (placed: PlacedDefinition, reading: Reading): SettingsGroup => {
  const { definition, path } = placed
  const { devices, group_priority, name, regex, templates_branch } = definition
  const named = new Set(devices ?? [])
  const byRegex = regex === "" ? () => false : compiled(regex, placed, ["regex"], reading)
  const byFilter = filterTest(placed, reading)
  if (regex === "" && definition.device_filter === null && devices === null) {
    const message = `Group ${name} has no regex, device_filter or devices: no device is a member`
    reading.warnings.push(finding(GROUPS_FILE, path, message))
  }
  return {
    name,
    regex,
    group_priority,
    templates_branch,
    matches: (device) => byRegex(device.hostname) || named.has(device.hostname) || byFilter(device)
  }
}

/** The definition in one element of the list: below the key `group`, or the element itself. */
const definitionIn = (element: unknown): { readonly prefix: ReadonlyArray<string>; readonly value: unknown } => {
  if (!(element instanceof Map)) return { prefix: [], value: element }
  if (element.has("group")) return { prefix: ["group"], value: element.get("group") }
  // The flat form has device_filter instead; a regex there is an unknown key like any other.
  return { prefix: [], value: new Map([...element].filter(([key]) => key !== "regex")) }
}

const readDefinitions = (elements: ReadonlyArray<unknown>, reading: Reading): ReadonlyArray<SettingsGroup> => {
  const validator = new SettingValidator()
  return elements.flatMap((element, position) => {
    const { prefix, value } = definitionIn(element)
    if (prefix.length === 0 && element instanceof Map && element.has("regex")) {
      const message = "regex is read below the key 'group' only; use device_filter"
      reading.warnings.push(findingOnKey(GROUPS_FILE, ["groups", position, "regex"], message))
    }
    const outcome = validator.value(f_group, value)
    const path = ["groups", position, ...prefix]
    if (Result.isSuccess(outcome)) return [toGroup({ definition: outcome.success, path }, reading)]
    reading.faults.push(...prefixed(path, outcome.failure))
    return []
  })
}

/** The content of `groups.yml`, for documentation. The flat form of an element is not described. */
export const f_groups = model("f_groups", { groups: list(model("f_group_item", { group: f_group })) })

/**
 * Group definitions from the value of `groups.yml`; fails with every problem of fields and expressions. `origin` is the source
 * of the values in messages.
 */
export const readGroups = (
  file: unknown,
  origin = ORIGIN
): Result.Result<GroupDefinitions, ReadonlyArray<SettingsProblem>> => {
  if (!(file instanceof Map) || !file.has("groups")) {
    return Result.fail([groupsProblem("groups.yml must contain the key 'groups'")])
  }
  const elements: unknown = file.get("groups")
  if (!Array.isArray(elements)) {
    const fault: Fault = { path: ["groups"], bad: elements, message: "Input should be a valid list" }
    return Result.fail([faultsProblem([fault], origin)])
  }
  const reading: Reading = { faults: [], problems: [], warnings: [], patternSize: 0 }
  const groups = readDefinitions(elements, reading)
  if (reading.faults.length > 0) {
    reading.problems.unshift(faultsProblem(reading.faults, origin))
  }
  if (reading.problems.length > 0) return Result.fail(reading.problems)
  return Result.succeed({ groups: [...groups, everybody], warnings: reading.warnings })
}

/** Contradictions between groups: a duplicate priority or name (docs/settings-repository.md#groups). */
export const groupConflicts = (groups: ReadonlyArray<SettingsGroup>): ReadonlyArray<SettingsProblem> => {
  const byPriority = new Map<number, string>()
  const names = new Set<string>()
  const priorities: Array<SettingsProblem> = []
  const duplicates: Array<SettingsProblem> = []
  for (const { group_priority: priority, name } of groups) {
    const other = byPriority.get(priority)
    if (priority > 0 && other !== undefined) {
      const both = `group ${other} and ${name} both have priority ${priority}`
      priorities.push(groupsProblem(`Groups must have unique group_priority values, but ${both}`))
    }
    if (names.has(name)) {
      const twice = `group ${name} is defined more than once`
      duplicates.push(groupsProblem(`Groups must have unique name values, but ${twice}`))
    }
    if (priority > 0) byPriority.set(priority, name)
    names.add(name)
  }
  return [...priorities, ...duplicates]
}

/** The groups of a device. Of those with a priority, the highest is the primary one. */
export const membershipOf = (groups: ReadonlyArray<SettingsGroup>, device: GroupMember): Membership => {
  const members = groups.filter((group) => group.matches(device))
  const primary = members.reduce(
    (best, group) => (group.group_priority > best.group_priority ? group : best),
    everybody
  )
  const names = members.map((group) => group.name)
  return { groups: names, groupSet: new Set(names), primary }
}

/** The groups by which jobs select devices: those of the settings, and `T_<type>` and `S_<state>` (docs/changes.md#which-devices). */
export const selectionGroups = (
  membership: Membership,
  device: Pick<Device, "device_type" | "state">
): ReadonlyArray<string> => [`T_${device.device_type}`, `S_${device.state}`, ...membership.groups]
