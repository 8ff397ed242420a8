/**
 * One file of a settings repository: its text, and its value, which is parsed on first use. An unchanged file is the same
 * object in the snapshots of both commits, so it is parsed and validated once.
 */
import { Predicate, Result } from "effect"
import { isText } from "../domain/Text.ts"
import { fileModelOf, fileModels } from "./FileModels.ts"
import { type Finding, finding, findingOnKey, located, placesIn, type SettingsProblem } from "./SettingsProblem.ts"
import { pythonText, pythonTypeName, YamlFloat } from "./PythonText.ts"
import { readYaml, unreadableText } from "./YamlFile.ts"
import { type AlertRules, readAlerts } from "../domain/events/alerts/AlertFile.ts"
import { ALERTS_FILE } from "./RepositoryPaths.ts"
import { pathText, remark, type Remark, remarkText } from "../domain/Repository.ts"

/** The top-level mapping of a file, and remarks about it. */
interface SettingsFileContent {
  readonly values: ReadonlyMap<unknown, unknown>
  readonly warnings: ReadonlyArray<Finding>
}

const NO_VALUES: ReadonlyMap<unknown, unknown> = new Map()
const IGNORED_KEYS = new Set<unknown>(["network_definitions", "service_definitions", "access_lists"])

const ACCESS_LISTS = /(^|\/)access_lists\.yml$/
const PLACED = new Set<unknown>(fileModels.flatMap(({ keys }) => keys))

const keyWarning = (path: string, key: unknown): ReadonlyArray<Finding> => {
  const say = (message: string) => [findingOnKey(path, [String(key)], message)]
  if (IGNORED_KEYS.has(key)) return say("accepted but not used")
  if (!PLACED.has(key)) return say("no setting has this name")
  const keys: ReadonlyArray<unknown> = ACCESS_LISTS.test(path) ? [] : (fileModelOf(path)?.keys ?? [key])
  return keys.includes(key) ? [] : say("belongs into another file")
}

const MAX_WARNINGS = 20

/** The first line of a file with content, from 1. */
const firstLine = (text: string): number => {
  const place = text.split("\n").findIndex((line) => !/^\s*(#|---\s*$|%|$)/.test(line))
  return place < 0 ? 1 : place + 1
}

/** Any other file than a mapping is refused: otherwise all its settings would disappear silently. */
const noMapping = (file: string, text: string, value: unknown): SettingsProblem => {
  const message = `expected a mapping of settings at the top of the file, not ${pythonTypeName(value)}`
  const found = remark(message, { file, line: firstLine(text), column: 1 })
  return { kind: "content", message: remarkText(found), findings: [located(found)] }
}

/** A file of one commit. */
export class SettingsFile {
  readonly path: string
  readonly text: string
  #content: Result.Result<SettingsFileContent, SettingsProblem> | undefined
  #shape: SettingsProblem | undefined

  constructor(path: string, text: string) {
    this.path = path
    this.text = text
  }

  /** The value of the file, parsed at the first call. Any other value than a mapping counts as none. */
  get content(): Result.Result<SettingsFileContent, SettingsProblem> {
    this.#content ??= this.#read()
    return this.#content
  }

  /** Why the file must not come into force although it is readable; undefined when it may. */
  get shape(): SettingsProblem | undefined {
    return Result.isSuccess(this.content) ? this.#shape : undefined
  }

  #read(): Result.Result<SettingsFileContent, SettingsProblem> {
    const file = readYaml(this.path, this.text)
    if (Result.isFailure(file)) {
      const { failure } = file
      // of the faults of a file only an unsafe text has keys that lead to it
      const isUnfit = failure.path !== null || !isText(this.text, "lines")
      const kind = isUnfit ? "content" : "yaml"
      return Result.fail({ kind, message: unreadableText(failure), findings: [located(failure)] })
    }
    const { value } = file.success
    const warnings = file.success.warnings.map(located)
    if (!(value instanceof Map)) {
      if (value !== null) this.#shape = noMapping(this.path, this.text, value)
      return Result.succeed({ values: NO_VALUES, warnings })
    }
    const remarks = [...value.keys()].flatMap((key) => keyWarning(this.path, key))
    return Result.succeed({ values: value, warnings: [...warnings, ...remarks].slice(0, MAX_WARNINGS) })
  }
}

// Removes the parts of a settings file that do not apply to a device: mappings that name `groups` or `devices`
// (docs/settings-repository.md#groups-and-devices-in-files). Unchanged parts keep their identity, so that their validation is
// shared.

/** The device for which a file is read. Without a hostname the key `devices` has no meaning and is skipped. */
export interface Audience {
  readonly groups: ReadonlySet<string>
  readonly hostname: string | undefined
}

const isEmpty = (value: unknown): boolean => {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return value instanceof Map && value.size === 0
}

class NotAList extends Error {}

const KEYS = { groups: "Groups", devices: "Devices" } as const

/** The names below `groups` or `devices`; undefined if there are none, which means all devices. */
const namesIn = (data: ReadonlyMap<unknown, unknown>, key: keyof typeof KEYS): ReadonlyArray<unknown> | undefined => {
  const names = data.get(key)
  if (isEmpty(names)) return undefined
  if (Array.isArray(names)) return names
  const type = pythonTypeName(names)
  throw new NotAList(`${KEYS[key]} field must be a list or empty (currently ${type}) in: ${pythonText(data)}`)
}

const isMeantFor = (data: ReadonlyMap<unknown, unknown>, { groups, hostname }: Audience): boolean => {
  const named = namesIn(data, "groups")
  const devices = hostname === undefined ? undefined : namesIn(data, "devices")
  if (named === undefined && devices === undefined) return true
  const member = named?.some((name) => Predicate.isString(name) && groups.has(name)) ?? false
  return member || (devices?.includes(hostname) ?? false)
}

const filterList = (items: ReadonlyArray<unknown>, audience: Audience): ReadonlyArray<unknown> => {
  const kept = items.map((item) => filterValue(item, audience))
  const unchanged = kept.every((item, position) => item === items[position] && !isEmpty(item))
  return unchanged ? items : kept.filter((item) => !isEmpty(item))
}

const filterMap = (data: ReadonlyMap<unknown, unknown>, audience: Audience): unknown => {
  if (!isMeantFor(data, audience)) return undefined
  const kept = new Map<unknown, unknown>()
  let changed = false
  for (const [key, value] of data) {
    const next =
      key === "groups" || (key === "devices" && audience.hostname !== undefined) ? value : filterValue(value, audience)
    const drop = isEmpty(next) && !isEmpty(value)
    if (!drop) kept.set(key, next)
    changed = changed || drop || next !== value
  }
  return changed ? kept : data
}

const filterValue = (value: unknown, audience: Audience): unknown => {
  if (Array.isArray(value)) return filterList(value, audience)
  return value instanceof Map ? filterMap(value, audience) : value
}

const NOTHING: ReadonlyMap<unknown, unknown> = new Map()

/** The part of the file for its audience; fails with a message where `groups` or `devices` is not a list. */
export const filterFile = (
  data: ReadonlyMap<unknown, unknown>,
  audience: Audience
): Result.Result<ReadonlyMap<unknown, unknown>, string> => {
  try {
    const kept = filterMap(data, audience)
    return Result.succeed(kept instanceof Map ? kept : NOTHING)
  } catch (error) {
    if (error instanceof NotAList) return Result.fail(error.message)
    throw error
  }
}

/** The group names and hostnames in a file: its filtering depends on nothing else. */
export interface Mentions {
  readonly groups: ReadonlyArray<string>
  readonly devices: ReadonlySet<string>
}

/** Collects the names below every `groups` and `devices` key. */
export const mentionsIn = (data: ReadonlyMap<unknown, unknown>): Mentions => {
  const groups = new Set<string>()
  const devices = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item)
    } else if (value instanceof Map) {
      for (const [key, item] of value) {
        if (key === "groups" || key === "devices") collect(item, key === "groups" ? groups : devices)
        else visit(item)
      }
    }
  }
  visit(data)
  return { groups: [...groups], devices }
}

const collect = (names: unknown, into: Set<string>): void => {
  if (!Array.isArray(names)) return
  for (const name of names) if (Predicate.isString(name)) into.add(name)
}

// The rules in the text of `alerts.yml`, or the mistake with its line (docs/alerts.md#the-file).

/** Plain data from parsed YAML. */
export const plainYaml = (value: unknown): unknown => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), plainYaml(item)]))
  if (Array.isArray(value)) return value.map(plainYaml)
  if (value instanceof YamlFloat) return value.value
  return value instanceof Date ? value.toISOString() : value
}

/** The rules, or the first mistake with its place. `file` is its name in messages. */
export const readAlertsText = (file: string, text: string): Result.Result<AlertRules, Remark> =>
  Result.gen(function* () {
    const { value } = yield* readYaml(file, text)
    return yield* Result.mapError(readAlerts(plainYaml(value)), ({ message, path }) => {
      const found = placesIn(text)(path)
      const place = found === undefined ? {} : { line: found.line, column: found.column }
      return remark(message, { file, ...place, ...(path.length === 0 ? {} : { path: pathText(path) }) })
    })
  })

/** The rules of a commit; null if it has none. */
export const alertsOf = (text: string | undefined): Result.Result<AlertRules | null, SettingsProblem> =>
  text === undefined
    ? Result.succeed(null)
    : Result.mapError(readAlertsText(ALERTS_FILE, text), (found) => ({
        kind: "validation" as const,
        message: remarkText(found),
        findings: [found.line === null ? finding(ALERTS_FILE, [], found.message) : located(found)]
      }))
