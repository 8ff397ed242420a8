/** The groups of a snapshot as the groups API and the templates need them (docs/settings-repository.md#groups). */
import { groupsOfDevice } from "./EffectiveSettings.ts"
import type { GroupMember } from "./SettingsGroups.ts"
import type { SettingsProblem } from "./SettingsProblem.ts"
import type { SettingsSnapshot } from "./SettingsSnapshot.ts"

/** Every group with the hostnames of its members in the order of the devices; groups without members are there too. */
export const groupMembers = (
  snapshot: SettingsSnapshot,
  devices: Iterable<GroupMember>
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const members = new Map<string, Array<string>>(snapshot.definitions.groups.map(({ name }) => [name, []]))
  for (const device of devices) {
    for (const name of groupsOfDevice(snapshot, device).groupSet) members.get(name)?.push(device.hostname)
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
