/**
 * The checks of a whole settings repository against the devices that are there
 * (docs/settings-repository.md#checks-of-a-commit). All problems are found, in the order of the table there, so the first one
 * is what a refresh reports. The work is cut into steps, so that a server can go on answering while ten thousand devices are
 * checked.
 */
import { Effect, Result } from "effect"
import type { Device } from "../domain/Device.ts"
import type { Linknet } from "../domain/Linknet.ts"
import { type Remark, remark } from "../domain/Repository.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { downstreamDevices } from "./DownstreamDevices.ts"
import { effectiveSettings, settingsOfType } from "./EffectiveSettings.ts"
import { type Finding, finding, locate } from "./Finding.ts"
import { interfaceFindings } from "./InterfaceChecks.ts"
import { problemIn } from "./LayerSource.ts"
import type { EffectiveSettings, LayeringResult, SettingsTarget } from "./Layering.ts"
import { deviceDirectories, isSettingsPath, modelOfPath, whyUnused } from "./RepositoryPaths.ts"
import { routeMapFindings } from "./RouteMapChecks.ts"
import { groupConflicts } from "./SettingsGroups.ts"
import type { SettingsProblem } from "./SettingsProblem.ts"
import { snapshotFindings } from "./SettingsRemarks.ts"
import type { SettingsSnapshot } from "./SettingsSnapshot.ts"
import { isSettingKey, settingKeys } from "./SettingValidator.ts"
import { managementVlanProblems, VlanLedger } from "./VlanChecks.ts"
import { underlayFindings } from "./UnderlayCheck.ts"

/** A device as the checks see it. A full device record fits. */
export type CheckedDevice = SettingsTarget & Pick<Device, "id" | "hostname" | "device_type" | "state">

/** What is in the database. */
export interface Inventory {
  readonly devices: ReadonlyArray<CheckedDevice>
  readonly linknets: ReadonlyArray<Pick<Linknet, "id" | "device_a_id" | "device_b_id">>
  readonly managementDomains: ReadonlyArray<Pick<MgmtDomain, "vlan">>
  /** Server setting GLOBAL_UNIQUE_VLANS. */
  readonly globalUniqueVlans: boolean
}

/** What the checks found. Without problems the settings may come into force. */
export interface CheckResult {
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

  /** Only what is shown is looked up in the texts. */
  result({ files }: SettingsSnapshot): CheckResult {
    const warnings = locate(this.#warnings.values(), files)
    const rest = this.#more === 0 ? [] : [remark(`and ${this.#more} more warnings`)]
    return { problems: [...this.problems.values()], warnings: [...warnings, ...rest] }
  }
}

/** Files that must not come into force, whoever they are for. */
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
  findings.effective(settingsOfType(snapshot))
  for (const type of ["ACCESS", "DIST", "CORE"] as const) {
    const effective = findings.effective(settingsOfType(snapshot, type))
    if (type === "CORE" && effective !== undefined) findings.warn(underlayFindings(effective))
  }
}

const checkModelFiles = (snapshot: SettingsSnapshot, findings: Findings): void => {
  for (const path of snapshot.files.keys()) {
    const found = modelOfPath(path)
    if (found === undefined) continue
    const device: SettingsTarget = { hostname: NO_SUCH_DEVICE, device_type: found.type, model: found.model }
    findings.effective(effectiveSettings(snapshot, device))
  }
}

/** The files of devices, of which nothing is known, each by itself. */
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

/** What is doubtful about the settings of devices. Thousands share them: each set is looked at once. */
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
    findings.effective(effectiveSettings(snapshot, device, below.get(device.id)))
  checkFiles(snapshot, findings)
  checkTypes(snapshot, findings)
  // first of all: what is said of each device must not take their place in the list
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

/** Checks a snapshot against the inventory at one go; without one, all that can be said of the files alone. */
export const checkSettings = (snapshot: SettingsSnapshot, inventory?: Inventory): CheckResult => {
  const steps = inventory === undefined ? withoutDevices(snapshot) : inSteps(snapshot, inventory)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The same, giving way to other work after every hundred devices. */
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
