/**
 * Which devices are no longer synchronized after the settings have changed
 * (docs/settings-repository.md#who-becomes-unsynchronized). Pure.
 */
import type { Device } from "../domain/Device.ts"
import { groupsOfDevice } from "./EffectiveSettings.ts"
import type { GroupMember } from "./SettingsGroups.ts"
import type { SettingsSnapshot } from "./SettingsSnapshot.ts"

/** Hostnames whose settings may have changed, in the order in which the devices were given, and remarks for the log. */
export interface AffectedDevices {
  readonly hostnames: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

/** Device types by the directory whose files they read; `global` is read by all of them. */
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
    const concerned = named || (groups.size > 0 && groups.has(groupsOfDevice(snapshot, device).primary.name))
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

/** The settings files that differ between two snapshots, for when there are no commits to compare. */
export const changedFiles = (before: SettingsSnapshot, after: SettingsSnapshot): ReadonlyArray<string> => {
  const paths = new Set([...before.files.keys(), ...after.files.keys()])
  return [...paths].filter((path) => before.files.get(path)?.text !== after.files.get(path)?.text)
}
