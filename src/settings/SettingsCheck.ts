/**
 * The checks of a whole settings repository against the existing devices (docs/settings-repository.md#checks-of-a-commit). All
 * problems are found, in the order of the table there, so a refresh reports the first one. The work is cut into steps, so that
 * a server can answer requests while ten thousand devices are checked.
 */
import { Effect, Predicate, Result } from "effect"
import type { Device } from "../domain/Device.ts"
import type { Linknet } from "../domain/Linknet.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { downstreamDevices, type SettingsSnapshot } from "./SettingsSnapshot.ts"
import { type Finding, finding, findingOnKey, type KeyPath, locate, type SettingsProblem } from "./SettingsProblem.ts"
import {
  interfaceFindings,
  managementVlanProblems,
  routeMapFindings,
  underlayFindings,
  VlanLedger
} from "./DeviceChecks.ts"
import { type EffectiveSettings, type LayeringResult, problemIn, type SettingsTarget } from "./Layering.ts"
import { ALERTS_FILE, deviceDirectories, isSettingsPath, modelOfPath, whyUnused } from "./RepositoryPaths.ts"
import { f_groups, groupConflicts } from "./SettingsGroups.ts"
import { isSettingKey, settingKeys } from "./SettingValidator.ts"
import { expandInterfaceRange, f_root } from "./SettingsModel.ts"
import { fieldOf, type Rule, type SettingField } from "./SettingRule.ts"
import type { SettingsFile } from "./SettingsFile.ts"
import { type Remark, remark } from "../domain/Repository.ts"

// Doubts about a settings repository that stop no refresh: unknown names, and files that are never read. Most of them are
// spelling mistakes, and without a remark their author believes that they work.

const MAX_PER_FILE = 50
const FILES_PER_STEP = 100

/** Files of which each device gets the parts that name its groups; there, and only there, any mapping may have these keys. */
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

/** Flat definitions have no key `group`, which the form of the file requires. */
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

/** Names that mean an interface twice; the templates see both entries. */
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

/** Doubts about one file, independent of the others. Found once per file: it is the same object in later snapshots. */
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

/** Undefined group names: an entry that names only these applies to no device. */
const unknownGroups = (file: SettingsFile, defined: ReadonlyMap<string, unknown>): ReadonlyArray<Finding> => {
  if (!FILTERED.test(file.path) || Result.isFailure(file.content)) return []
  return [...groupNames(file.content.success.values, [])]
    .filter(([name]) => !defined.has(name))
    .map(([name, path]) => finding(file.path, path, `group ${name} is not defined`))
}

/** Alert rules for undefined groups, which match no device. */
const alertGroups = ({ alerts, definitions }: SettingsSnapshot): ReadonlyArray<Finding> => {
  const defined = new Set(["DEFAULT", ...definitions.groups.map(({ name }) => name)])
  return (alerts?.rules ?? []).flatMap(({ groups, name }) =>
    (groups ?? [])
      .filter((group) => !defined.has(group))
      .map((group) => finding(ALERTS_FILE, [], `rule ${name}: group ${group} is not defined`))
  )
}

/** All doubts about the files of a snapshot; yields to other work after every hundred files. */
const snapshotFindings = function* (snapshot: SettingsSnapshot): Generator<void, ReadonlyArray<Finding>> {
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

/** The fields of a device that the checks need. A full device record fits. */
export type CheckedDevice = SettingsTarget & Pick<Device, "id" | "hostname" | "device_type" | "state">

/** The devices, links and domains of the database. */
export interface Inventory {
  readonly devices: ReadonlyArray<CheckedDevice>
  readonly linknets: ReadonlyArray<Pick<Linknet, "id" | "device_a_id" | "device_b_id">>
  readonly managementDomains: ReadonlyArray<Pick<MgmtDomain, "vlan">>
  /** Server setting GLOBAL_UNIQUE_VLANS. */
  readonly globalUniqueVlans: boolean
}

/** The result of the checks. Without problems the settings may come into force. */
interface CheckResult {
  readonly problems: ReadonlyArray<SettingsProblem>
  readonly warnings: ReadonlyArray<Remark>
}

const MAX_PROBLEMS = 500
const MAX_WARNINGS = 200
const DEVICES_PER_STEP = 100
const NO_SUCH_DEVICE = "no-such-device"

/** Problems in the order of their discovery, each message once. */
class Findings {
  readonly problems = new Map<string, SettingsProblem>()
  readonly #warnings = new Map<string, Finding>()
  #more = 0

  add(problems: Iterable<SettingsProblem>): void {
    for (const problem of problems) {
      if (this.problems.size < MAX_PROBLEMS && !this.problems.has(problem.message))
        this.problems.set(problem.message, problem)
    }
  }

  effective(layered: LayeringResult): EffectiveSettings | undefined {
    if (Result.isSuccess(layered)) return layered.success
    this.add(layered.failure)
    return undefined
  }

  warn(warnings: Iterable<Finding>): void {
    for (const warning of warnings) {
      const key = JSON.stringify(warning)
      if (this.#warnings.has(key)) continue
      if (this.#warnings.size < MAX_WARNINGS) this.#warnings.set(key, warning)
      else this.#more += 1
    }
  }

  /** Only shown findings are looked up in the texts. */
  result({ files }: SettingsSnapshot): CheckResult {
    const warnings = locate(this.#warnings.values(), files)
    const rest = this.#more === 0 ? [] : [remark(`and ${this.#more} more warnings`)]
    return { problems: [...this.problems.values()], warnings: [...warnings, ...rest] }
  }
}

/** Files that must not come into force for any device. */
const checkFiles = ({ definitions, files }: SettingsSnapshot, findings: Findings): void => {
  const groups = new Map(definitions.groups.map((group) => [group.name, group]))
  for (const [path, file] of files) {
    if (!isSettingsPath(path) || whyUnused(path, groups) !== undefined) continue
    const { content, shape } = file
    if (shape !== undefined) findings.add([shape])
    if (Result.isFailure(content) && content.failure.kind === "content") findings.add([content.failure])
  }
}

const checkTypes = (snapshot: SettingsSnapshot, findings: Findings): void => {
  findings.effective(snapshot.layering.forType())
  for (const type of ["ACCESS", "DIST", "CORE"] as const) {
    const effective = findings.effective(snapshot.layering.forType(type))
    if (type === "CORE" && effective !== undefined) findings.warn(underlayFindings(effective))
  }
}

const checkModelFiles = (snapshot: SettingsSnapshot, findings: Findings): void => {
  for (const path of snapshot.files.keys()) {
    const found = modelOfPath(path)
    if (found === undefined) continue
    const device: SettingsTarget = { hostname: NO_SUCH_DEVICE, device_type: found.type, model: found.model }
    findings.effective(snapshot.layering.forDevice(device))
  }
}

/** The files of unknown devices, each separately. */
const checkDeviceFiles = (snapshot: SettingsSnapshot, findings: Findings): void => {
  for (const file of snapshot.files.values()) {
    const [, name = "", last = ""] = /^(?:devices|groups)\/([^/]+)\/([^/]+\.yml)$/.exec(file.path) ?? []
    if (last === "") continue
    if (Result.isFailure(file.content)) findings.add([file.content.failure])
    else {
      const { values } = file.content.success
      const faults = settingKeys.flatMap((key) => {
        const outcome =
          values.has(key) && isSettingKey(key) ? snapshot.validator.setting(key, values.get(key)) : undefined
        return outcome !== undefined && Result.isFailure(outcome) ? outcome.failure : []
      })
      if (faults.length > 0) findings.add([problemIn(file.path, `${name}->${last}`, faults)])
    }
  }
}

/** Doubts about the settings of devices. Thousands share them: each set is checked once. */
const deviceFindings = () => {
  const seen = new WeakSet<object>()
  return (device: CheckedDevice, effective: EffectiveSettings): ReadonlyArray<Finding> => {
    if (seen.has(effective.settings)) return []
    seen.add(effective.settings)
    return [...interfaceFindings(device, effective), ...routeMapFindings(device.hostname, effective)]
  }
}

const withoutDevices = function* (snapshot: SettingsSnapshot): Generator<void, CheckResult> {
  const findings = new Findings()
  checkFiles(snapshot, findings)
  checkTypes(snapshot, findings)
  findings.warn(yield* snapshotFindings(snapshot))
  checkModelFiles(snapshot, findings)
  checkDeviceFiles(snapshot, findings)
  findings.add(groupConflicts(snapshot.definitions.groups))
  return findings.result(snapshot)
}

const inSteps = function* (snapshot: SettingsSnapshot, inventory: Inventory): Generator<void, CheckResult> {
  const findings = new Findings()
  const { devices, globalUniqueVlans: unique, linknets, managementDomains: domains } = inventory
  const below = downstreamDevices(devices, linknets)
  const layered = (device: CheckedDevice) =>
    findings.effective(snapshot.layering.forDevice(device, below.get(device.id)))
  checkFiles(snapshot, findings)
  checkTypes(snapshot, findings)
  // first of all: remarks about single devices must not take their places in the list
  findings.warn(yield* snapshotFindings(snapshot))
  const byName = new Map(devices.map((device) => [device.hostname, device]))
  for (const [index, name] of deviceDirectories(snapshot.paths).entries()) {
    const device = byName.get(name)
    if (device === undefined) {
      const message = `Device ${name} specified in settings/devices but it was not found in database`
      findings.warn([finding(`devices/${name}`, [], message)])
    } else if (device.device_type !== "UNKNOWN") layered(device)
    if (index % DEVICES_PER_STEP === 0) yield
  }
  checkModelFiles(snapshot, findings)
  if (unique) findings.add(managementVlanProblems(domains))
  const ledger = new VlanLedger(unique, domains)
  const doubts = deviceFindings()
  for (const [index, device] of devices.entries()) {
    if (index % DEVICES_PER_STEP === 0) yield
    const effective = device.state === "MANAGED" ? layered(device) : undefined
    if (effective === undefined) continue
    findings.add(ledger.add(device, effective.settings, effective.sources.get("vxlans")))
    findings.warn(doubts(device, effective))
  }
  findings.add(groupConflicts(snapshot.definitions.groups))
  return findings.result(snapshot)
}

/** Checks a snapshot against the inventory in one go; without one, only the files. */
export const checkSettings = (snapshot: SettingsSnapshot, inventory?: Inventory): CheckResult => {
  const steps = inventory === undefined ? withoutDevices(snapshot) : inSteps(snapshot, inventory)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The same, but yields to other work after every hundred devices. */
export const checkSettingsGently = Effect.fn("settings.check")(function* (
  snapshot: SettingsSnapshot,
  inventory: Inventory
): Effect.fn.Return<CheckResult> {
  const steps = inSteps(snapshot, inventory)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})
