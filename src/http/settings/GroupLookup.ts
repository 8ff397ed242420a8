/** The group that a request names to select devices. Settings that cannot be read are 503, because the group may well exist. */
import { Effect } from "effect"
import { BadRequest, ServiceUnavailable } from "../../api/Failures.ts"
import { SettingsView } from "../../settings/SettingsView.ts"

/** Finds a group by its name. Fails with 400 when there is none. */
export const makeGroupLookup = Effect.map(SettingsView, (settings) =>
  Effect.fn("GroupLookup.find")(function* (name: string) {
    const groups = yield* Effect.catchTag(settings.groups, "SettingsUnavailable", ({ message }) =>
      Effect.fail(new ServiceUnavailable({ message: `Error getting settings: ${message}` }))
    )
    const group = groups.find((one) => one.name === name)
    return group ?? (yield* new BadRequest({ message: `Could not find a group with name ${name}` }))
  })
)
