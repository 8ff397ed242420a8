/** Groups, one group, and the operating systems in a group (docs/settings-repository.md#groups). */
import { Effect } from "effect"
import { enveloped, NotFound, ServiceUnavailable } from "../../api/Answers.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type GroupView, SettingsView } from "../../settings/SettingsView.ts"

const shape = (groups: ReadonlyArray<GroupView>) =>
  enveloped({
    groups: Object.fromEntries(groups.map(({ hostnames, name }) => [name, hostnames])),
    group_settings: Object.fromEntries(
      groups.map(({ group_priority, name, regex, templates_branch }) => [
        name,
        { regex, group_priority, templates_branch }
      ])
    )
  })

const named = (name: string) => (groups: ReadonlyArray<GroupView>) => groups.find((group) => group.name === name)

/** Answers of the group routes. */
export const makeGroups = Effect.gen(function* () {
  const settings = yield* SettingsView
  const devices = yield* DeviceStore

  return {
    all: Effect.map(settings.groups, shape),
    one: Effect.fn("Groups.one")(function* (name: string) {
      const group = named(name)(yield* settings.groups)
      if (group === undefined) {
        return yield* new NotFound({ message: "No such group found, or group is not valid" })
      }
      return shape([group])
    }),
    osVersions: Effect.fn("Groups.osVersions")(function* (name: string) {
      const failure = (reason: string) => `Exception while getting group ${name}: ${reason}`
      const groups = yield* Effect.catchTag(settings.groups, "SettingsUnavailable", ({ message }) =>
        Effect.fail(new ServiceUnavailable({ message: failure(message) }))
      )
      const group = named(name)(groups)
      if (group === undefined) {
        return yield* new NotFound({ message: failure(`Could not find group ${name}`) })
      }
      const members = yield* devices.selectManaged({ hostnames: group.hostnames })
      const versions = new Map<string, Array<string>>()
      for (const { hostname, os_version } of members) {
        if (os_version !== null) versions.set(os_version, [...(versions.get(os_version) ?? []), hostname])
      }
      return enveloped({ groups: Object.fromEntries([[name, Object.fromEntries(versions)]]) })
    })
  }
})
