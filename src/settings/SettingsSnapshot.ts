/**
 * All settings of one commit, parsed and ready to be layered. A snapshot never changes: a refresh builds another one from the
 * new commit's files, and the old one stays in force until the new one has passed its checks.
 */
import { Array as Arr, Result } from "effect"
import type { AlertRules } from "../domain/events/alerts/AlertFile.ts"
import { type FileRefusal, mayHideFiles } from "../git/GitTree.ts"
import { located, type SettingsProblem } from "./SettingsProblem.ts"
import { alertsOf, SettingsFile } from "./SettingsFile.ts"
import { type EffectiveSettings, Layering } from "./Layering.ts"
import {
  ALERTS_FILE,
  isSettingsPath,
  pathSet,
  type PathSet,
  structureProblem,
  structureProblems
} from "./RepositoryPaths.ts"
import { type GroupDefinitions, type GroupMember, readGroups } from "./SettingsGroups.ts"
import { SettingValidator } from "./SettingValidator.ts"
import type { Device } from "../domain/Device.ts"
import type { Linknet } from "../domain/Linknet.ts"
import { remark } from "../domain/Repository.ts"

/** The input of a snapshot. */
export interface SnapshotInput {
  /** Text of each file by its path in the repository. */
  readonly files: ReadonlyMap<string, string>
  /** Unreadable files, each with the reason. */
  readonly refused?: ReadonlyMap<string, FileRefusal>
  /** The prefix of paths in messages: the name of the repository, or the checked directory. */
  readonly root: string
  /** Server setting SETTINGS_KEYS_TO_MERGE. */
  readonly keysToMerge?: ReadonlyArray<string>
  /** The snapshot in force, whose unchanged files need not be parsed again. */
  readonly previous?: SettingsSnapshot
}

/** The settings of one commit. */
export interface SettingsSnapshot {
  readonly root: string
  readonly files: ReadonlyMap<string, SettingsFile>
  readonly paths: PathSet
  readonly definitions: GroupDefinitions
  readonly validator: SettingValidator
  readonly layering: Layering
  /** Files next to the settings that are not text; they are not read. */
  readonly ignored: ReadonlyArray<string>
  /** The rules in `alerts.yml` of the commit; null if it has none. */
  readonly alerts: AlertRules | null
}

const keepUnchanged = ({ files, previous }: SnapshotInput): ReadonlyMap<string, SettingsFile> => {
  const kept = new Map<string, SettingsFile>()
  for (const [path, text] of files) {
    if (path === ALERTS_FILE) continue
    const known = previous?.files.get(path)
    kept.set(path, known?.text === text ? known : new SettingsFile(path, text))
  }
  return kept
}

const groupsOf = (
  files: ReadonlyMap<string, SettingsFile>
): Result.Result<GroupDefinitions, ReadonlyArray<SettingsProblem>> => {
  const file = files.get("global/groups.yml")
  if (file === undefined) return Result.succeed({ groups: [], warnings: [] })
  if (file.shape !== undefined) return Result.fail([file.shape])
  return Result.flatMap(
    Result.mapError(file.content, (problem) => [problem]),
    ({ values }) => readGroups(values)
  )
}

/** Whether settings are missing because of an unreadable file: it is one of them, or it may hide one. */
const isMissed = (path: string, refusal: FileRefusal): boolean =>
  isSettingsPath(path) || path === ALERTS_FILE || mayHideFiles(path, refusal)

const refusals = ({ refused = new Map(), root }: SnapshotInput): ReadonlyArray<SettingsProblem> =>
  [...refused].flatMap(([path, refusal]) => {
    if (!isMissed(path, refusal)) return []
    const message = `File ${root}/${path} cannot be read: ${refusal.reason}`
    const { line } = refusal
    return [
      {
        ...structureProblem(path, message),
        ...(line === null ? {} : { findings: [located(remark(message, { file: path, line }))] })
      }
    ]
  })

/**
 * Reads the files of a commit. Fails with all problems of structure and of the group definitions; values in other files
 * are validated when they are layered (see `checkSettings`).
 */
export const buildSnapshot = (
  input: SnapshotInput
): Result.Result<SettingsSnapshot, Arr.NonEmptyReadonlyArray<SettingsProblem>> => {
  const files = keepUnchanged(input)
  const refused = input.refused ?? new Map<string, FileRefusal>()
  const missed = [...refused].flatMap(([path, refusal]) => (isMissed(path, refusal) ? [path] : []))
  const paths = pathSet([...files.keys(), ...missed])
  const groups = groupsOf(files)
  const names = Result.isSuccess(groups) ? groups.success.groups.map((group) => group.name) : []
  const alerts = alertsOf(input.files.get(ALERTS_FILE))
  const problems = [
    ...structureProblems(paths, names, input.root),
    ...refusals(input),
    ...(Result.isFailure(groups) ? groups.failure : []),
    ...(Result.isFailure(alerts) ? [alerts.failure] : [])
  ]
  if (Arr.isReadonlyArrayNonEmpty(problems)) return Result.fail(problems)
  const definitions = Result.isSuccess(groups) ? groups.success : { groups: [], warnings: [] }
  const validator = input.previous?.validator ?? new SettingValidator()
  const keysToMerge = new Set(input.keysToMerge ?? [])
  const layering = new Layering({ files, paths, groups: definitions.groups, validator, keysToMerge })
  const rules = Result.isSuccess(alerts) ? alerts.success : null
  const ignored = [...refused.keys()].filter((path) => !missed.includes(path))
  return Result.succeed({ root: input.root, files, ignored, paths, definitions, validator, layering, alerts: rules })
}

// The origin of a value in the words of the API.

const LEVELS: Readonly<Record<string, string>> = {
  dist: "devicetype",
  core: "devicetype"
}

/**
 * The level of an origin as GET /settings names it: `global->routing.yml` → `global`, `dist->…` → `devicetype`. A group is
 * named, because a device may be in many: `groups->EAST_WING->routing.yml` → `group->EAST_WING`.
 */
export const originLevel = (origin: string): string =>
  origin
    .split(", ")
    .map((part) => {
      const [level = part, name] = part.split("->")
      return level === "groups" ? `group->${name ?? ""}` : (LEVELS[level] ?? level)
    })
    .join(", ")

/** `settings_origin` of GET /settings. */
export const originLevels = ({ origins }: EffectiveSettings): Readonly<Record<string, string>> =>
  Object.fromEntries([...origins].map(([key, origin]) => [key, originLevel(origin)]))

// The groups of a snapshot as the groups API and the templates need them (docs/settings-repository.md#groups).

/** Every group with the hostnames of its members in the order of the devices; including groups without members. */
export const groupMembers = (
  snapshot: SettingsSnapshot,
  devices: Iterable<GroupMember>
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const members = new Map<string, Array<string>>(snapshot.definitions.groups.map(({ name }) => [name, []]))
  for (const device of devices) {
    for (const name of snapshot.layering.membership(device).groupSet) members.get(name)?.push(device.hostname)
  }
  return members
}

/** The branches of the templates repository that groups name, each once, in the order of the groups. */
export const templatesBranches = (snapshot: SettingsSnapshot): ReadonlyArray<string> => [
  ...new Set(snapshot.definitions.groups.flatMap(({ templates_branch: branch }) => (branch === null ? [] : [branch])))
]

/** The problem of a group whose branch the templates repository does not have. */
export const missingBranchProblem = (branch: string): SettingsProblem => ({
  kind: "other",
  message: `stderr: 'fatal: invalid reference: ${branch}'`
})

// The access switches directly below each distribution switch, according to the linknets
// (docs/settings-repository.md#vxlans-from-below).

type DeviceIdentity = Pick<Device, "id" | "device_type">

/**
 * For each DIST device by its id: its neighbours of type ACCESS, each once, in the order of the linknets' ids. Links to devices
 * outside the list are skipped.
 */
export const downstreamDevices = <D extends DeviceIdentity>(
  devices: Iterable<D>,
  linknets: Iterable<Pick<Linknet, "id" | "device_a_id" | "device_b_id">>
): ReadonlyMap<number, ReadonlyArray<D>> => {
  const byId = new Map([...devices].map((device) => [device.id, device]))
  const below = new Map<number, Set<D>>()
  const add = (upper: D | undefined, lower: D | undefined): void => {
    if (upper?.device_type !== "DIST" || lower?.device_type !== "ACCESS") return
    const neighbors = below.get(upper.id) ?? new Set<D>()
    below.set(upper.id, neighbors.add(lower))
  }
  for (const { device_a_id: a, device_b_id: b } of [...linknets].toSorted((one, other) => one.id - other.id)) {
    add(byId.get(a), byId.get(b))
    add(byId.get(b), byId.get(a))
  }
  return new Map([...below].map(([id, neighbors]) => [id, [...neighbors]]))
}

// Devices that are no longer synchronized after the settings have changed
// (docs/settings-repository.md#who-becomes-unsynchronized). Pure.

/** Hostnames whose settings may have changed, in the order in which the devices were given, and remarks for the log. */
interface AffectedDevices {
  readonly hostnames: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

/** Device types by the directory whose files they read; all of them read `global`. */
const TYPES: Readonly<Record<string, ReadonlyArray<Device["device_type"]>>> = {
  global: ["ACCESS", "DIST", "CORE"],
  fabric: ["DIST", "CORE"],
  access: ["ACCESS"],
  dist: ["DIST"],
  core: ["CORE"]
}

const MAX_WARNINGS = 100

const secondSegments = (changed: ReadonlyArray<ReadonlyArray<string>>, directory: string): ReadonlySet<string> =>
  new Set(
    changed.flatMap(([first, name, file]) =>
      first === directory && name !== undefined && file !== undefined ? [name] : []
    )
  )

/**
 * The devices that a set of changed paths concerns, under the groups of the new snapshot. State does not matter. A
 * directory of a device or group that does not exist yields a remark.
 */
export const affectedDevices = (
  changedPaths: Iterable<string>,
  snapshot: SettingsSnapshot,
  devices: ReadonlyArray<GroupMember & Pick<Device, "device_type">>
): AffectedDevices => {
  const changed = [...changedPaths].map((path) => path.split("/"))
  const types = new Set(changed.flatMap(([first = "", second]) => (second === undefined ? [] : (TYPES[first] ?? []))))
  const hosts = secondSegments(changed, "devices")
  const groups = secondSegments(changed, "groups")
  const hostnames = devices.flatMap((device) => {
    const named = types.has(device.device_type) || hosts.has(device.hostname)
    const concerned = named || (groups.size > 0 && groups.has(snapshot.layering.membership(device).primary.name))
    return concerned ? [device.hostname] : []
  })
  const known = new Set(devices.map((device) => device.hostname))
  const defined = new Set(snapshot.definitions.groups.map((group) => group.name))
  const warnings = [
    ...[...hosts].filter((host) => !known.has(host)).map((host) => `Settings updated for unknown device: ${host}`),
    ...[...groups]
      .filter((group) => !defined.has(group))
      .map((group) => `Group ${group} not found in database, syncstatus not updated`)
  ]
  return { hostnames, warnings: warnings.slice(0, MAX_WARNINGS) }
}

/** The settings files that differ between two snapshots, for a comparison without commits. */
export const changedFiles = (before: SettingsSnapshot, after: SettingsSnapshot): ReadonlyArray<string> => {
  const paths = new Set([...before.files.keys(), ...after.files.keys()])
  return [...paths].filter((path) => before.files.get(path)?.text !== after.files.get(path)?.text)
}
