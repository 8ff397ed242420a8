/**
 * The questions that the rest of the server asks a snapshot: which settings hold for a device, a device type or
 * everybody, where each comes from, and which groups a device is in. Pure; see `SettingsSnapshot` for how one is made.
 */
import type { Device } from "../domain/Device.ts"
import type { EffectiveSettings, LayeringResult, SettingsTarget } from "./Layering.ts"
import type { GroupMember, Membership } from "./SettingsGroups.ts"
import type { SettingsSnapshot } from "./SettingsSnapshot.ts"

/**
 * The settings of a device (docs/settings-repository.md#layers). `downstream` are the access switches that are linked to a
 * distribution switch, in the order of the linknets; leave it out for other devices.
 */
export const effectiveSettings = (
  snapshot: SettingsSnapshot,
  device: SettingsTarget,
  downstream?: ReadonlyArray<SettingsTarget>
): LayeringResult => snapshot.layering.forDevice(device, downstream)

/** The settings of a device type; those that hold for everybody when the type is left out. */
export const settingsOfType = (snapshot: SettingsSnapshot, type?: Device["device_type"]): LayeringResult =>
  snapshot.layering.forType(type)

/** The groups of a device, in the order of their definition, and its primary group. */
export const groupsOfDevice = (snapshot: SettingsSnapshot, device: GroupMember): Membership =>
  snapshot.layering.membership(device)

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
