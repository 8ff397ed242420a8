/**
 * The checks of a whole settings repository against the devices that are there (contract, settings §6.2). All problems
 * are found, in the order of the contract's table, so the first one is what a refresh reports. The work is cut into
 * steps, so that a server can go on answering while ten thousand devices are checked.
 */
import { Effect, Result } from "effect"
import type { Device } from "../domain/Device.ts"
import type { Linknet } from "../domain/Linknet.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { downstreamDevices } from "./DownstreamDevices.ts"
import { effectiveSettings, settingsOfType } from "./EffectiveSettings.ts"
import type { Layered, SettingsTarget } from "./Layering.ts"
import { deviceDirectories, modelOfPath } from "./RepositoryPaths.ts"
import { mentionsIn } from "./SettingsFilter.ts"
import { groupConflicts } from "./SettingsGroups.ts"
import type { Settings } from "./SettingsModel.ts"
import type { SettingsProblem } from "./SettingsProblem.ts"
import { type SettingsSnapshot, snapshotWarnings } from "./SettingsSnapshot.ts"
import { managementVlanProblems, VlanLedger } from "./VlanChecks.ts"
import { underlayWarnings } from "./UnderlayCheck.ts"

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
  readonly warnings: ReadonlyArray<string>
}

const MAX_PROBLEMS = 500
const MAX_WARNINGS = 200
const DEVICES_PER_STEP = 100
const NO_SUCH_DEVICE = "no-such-device"

/** Problems in the order of their discovery, each message once. */
class Findings {
  readonly problems = new Map<string, SettingsProblem>()
  readonly warnings = new Set<string>()

  add(problems: Iterable<SettingsProblem>): void {
    for (const problem of problems) {
      if (this.problems.size < MAX_PROBLEMS && !this.problems.has(problem.message))
        this.problems.set(problem.message, problem)
    }
  }

  settings(layered: Layered): Settings | undefined {
    if (Result.isSuccess(layered)) return layered.success.settings
    this.add(layered.failure)
    return undefined
  }

  warn(warnings: Iterable<string>): void {
    for (const warning of warnings) if (this.warnings.size < MAX_WARNINGS) this.warnings.add(warning)
  }

  get result(): CheckResult {
    return { problems: [...this.problems.values()], warnings: [...this.warnings] }
  }
}

const checkTypes = (snapshot: SettingsSnapshot, findings: Findings): void => {
  findings.settings(settingsOfType(snapshot))
  for (const type of ["ACCESS", "DIST", "CORE"] as const) {
    const settings = findings.settings(settingsOfType(snapshot, type))
    if (type === "CORE" && settings !== undefined) findings.warn(underlayWarnings(settings))
  }
}

const checkModelFiles = (snapshot: SettingsSnapshot, findings: Findings): void => {
  for (const path of snapshot.files.keys()) {
    const found = modelOfPath(path)
    if (found === undefined) continue
    const device: SettingsTarget = { hostname: NO_SUCH_DEVICE, device_type: found.type, model: found.model }
    findings.settings(effectiveSettings(snapshot, device))
  }
}

/** Route maps of BGP neighbours that are defined neither here nor in the templates (row 8). */
const routeMapProblems = (hostname: string, settings: Settings): ReadonlyArray<SettingsProblem> => {
  const external = new Set(settings.external_routing_policies)
  const used = (settings.extroute_bgp?.vrfs ?? []).flatMap(({ neighbor_v4, neighbor_v6 }) =>
    [...neighbor_v4, ...neighbor_v6].flatMap(({ route_map_in, route_map_out }) => [route_map_in, route_map_out])
  )
  return [...new Set(used)]
    .filter((name) => !settings.routing_policies.has(name) && !external.has(name))
    .map((name) => ({ kind: "policy", message: `${hostname}: BGP neighbor route map ${name} is not defined` }))
}

/** Remarks about group names in `groups` lists that nobody defined: they match nothing, silently. */
const groupNameWarnings = ({ definitions, files }: SettingsSnapshot): ReadonlyArray<string> => {
  const defined = new Set(definitions.groups.map((group) => group.name))
  return ["global/base_system.yml", "global/routing.yml", "global/vxlans.yml"].flatMap((path) => {
    const content = files.get(path)?.content
    if (content === undefined || Result.isFailure(content)) return []
    return mentionsIn(content.success.values)
      .groups.filter((name) => !defined.has(name))
      .map((name) => `${path}: group ${name} is not defined`)
  })
}

const inSteps = function* (snapshot: SettingsSnapshot, inventory: Inventory): Generator<void, CheckResult> {
  const findings = new Findings()
  const { devices, globalUniqueVlans: unique, linknets, managementDomains: domains } = inventory
  const below = downstreamDevices(devices, linknets)
  const layered = (device: CheckedDevice) =>
    findings.settings(effectiveSettings(snapshot, device, below.get(device.id)))
  checkTypes(snapshot, findings)
  const byName = new Map(devices.map((device) => [device.hostname, device]))
  for (const [index, name] of deviceDirectories(snapshot.paths).entries()) {
    const device = byName.get(name)
    if (device === undefined) {
      findings.warn([`Device ${name} specified in settings/devices but it was not found in database`])
    } else if (device.device_type !== "UNKNOWN") layered(device)
    if (index % DEVICES_PER_STEP === 0) yield
  }
  checkModelFiles(snapshot, findings)
  if (unique) findings.add(managementVlanProblems(domains))
  const ledger = new VlanLedger(unique, domains)
  const routeMaps: Array<SettingsProblem> = []
  for (const [index, device] of devices.entries()) {
    if (index % DEVICES_PER_STEP === 0) yield
    const settings = device.state === "MANAGED" ? layered(device) : undefined
    if (settings === undefined) continue
    findings.add(ledger.add(device, settings))
    if (routeMaps.length < MAX_PROBLEMS) routeMaps.push(...routeMapProblems(device.hostname, settings))
  }
  findings.add(groupConflicts(snapshot.definitions.groups))
  findings.add(routeMaps)
  findings.warn([...groupNameWarnings(snapshot), ...snapshotWarnings(snapshot)])
  return findings.result
}

/** Checks a snapshot against the inventory at one go. */
export const checkSettings = (snapshot: SettingsSnapshot, inventory: Inventory): CheckResult => {
  const steps = inSteps(snapshot, inventory)
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
