/**
 * Groups in the list of devices: `filter[group]` takes the name of one, and whoever searches for a word finds the devices of a group that has it
 * in its name as well. Which device is in which group is in the settings, not in the database.
 */
import { Effect } from "effect"
import { DEFAULT_GROUP } from "../../settings/SettingsGroups.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { type ListFilter, namedDevices } from "../../store/Listing.ts"

const asksForGroup = ({ field, value }: ListFilter): boolean =>
  field === "group" || (field === "search" && value !== "")

const fits = (name: string, { contains, value }: ListFilter): boolean =>
  contains ? name.toLowerCase().includes(value.toLowerCase()) : name === value

/** Without settings in force there are no groups to be found. */
export const makeGroupSearch = Effect.gen(function* () {
  const settings = yield* SettingsView
  const widen = Effect.fnUntraced(function* (filter: ListFilter) {
    if (!asksForGroup(filter)) return filter
    // everybody is in DEFAULT: a word that is in it would find every device
    const isMeant = (name: string) => fits(name, filter) && (filter.field === "group" || name !== DEFAULT_GROUP)
    const hostnames = yield* Effect.catchTag(settings.hostnamesIn(isMeant), "SettingsUnavailable", () =>
      Effect.succeed([])
    )
    return { ...filter, orThese: namedDevices(hostnames) }
  })
  return (filters: ReadonlyArray<ListFilter>) => Effect.forEach(filters, widen)
})
