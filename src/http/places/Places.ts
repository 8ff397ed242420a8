/** What is known of where switches are: read from the database alone, so that it is quick. */
import { Effect } from "effect"
import { enveloped } from "../../api/Answers.ts"
import { isManageable, platforms } from "../../domain/platforms/Platforms.ts"
import { edgesOf, placesOf, replacedBy } from "../../domain/Topology.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { HeardStore } from "../../store/HeardStore.ts"
import { LinknetStore } from "../../store/LinknetStore.ts"
import { PlaceStore, type WaitingRow } from "../../store/PlaceStore.ts"
import { makeVisible } from "../core/Visible.ts"

const managed = platforms.filter(({ capabilities }) => capabilities !== null).map(({ name }) => name)

const problemsOf = (device: WaitingRow): ReadonlyArray<string> => [
  ...(device.state === "DHCP_BOOT" ? ["It has not been discovered yet: nobody has logged in to it"] : []),
  ...(isManageable(device)
    ? []
    : [`There is no driver for platform ${device.platform ?? "None"} (only for ${managed.join(", ")})`])
]

/** The two readings. */
export const makePlaces = Effect.gen(function* () {
  const places = yield* PlaceStore
  const heard = yield* HeardStore
  const links = yield* LinknetStore
  const devices = yield* DeviceStore
  const settings = yield* SettingsView
  const visible = yield* makeVisible

  const newDevices = Effect.gen(function* () {
    const { within } = yield* visible
    const rows = yield* places.waiting(within)
    if (rows.length === 0) return enveloped({ devices: [] })
    const seen = within === undefined ? undefined : new Set(within.hostnames)
    const all = (yield* devices.all).filter(({ hostname }) => seen?.has(hostname) ?? true)
    const said = yield* heard.ofKnown
    const stored = yield* links.all
    return enveloped({
      devices: rows.map((row) => {
        const found = placesOf(row, all, stored, said)
        return { ...row, places: found, replaces: replacedBy(found), problems: problemsOf(row) }
      })
    })
  })

  const topology = Effect.gen(function* () {
    const { within } = yield* visible
    const rows = yield* places.nodes(within)
    const seen = new Set(rows.map(({ hostname }) => hostname))
    const found = (yield* devices.all).filter(({ hostname }) => seen.has(hostname))
    const names = yield* settings.primaryGroups(found)
    const groups = new Map(found.map(({ id }, index) => [id, names[index] ?? "DEFAULT"]))
    const edges = edgesOf(rows, yield* links.all, yield* heard.ofKnown)
    const nodes = rows.map(({ platform: _platform, ...row }) => ({
      ...row,
      primary_group: groups.get(row.id) ?? "DEFAULT"
    }))
    return enveloped({ nodes, edges })
  })

  return { newDevices, topology }
})
