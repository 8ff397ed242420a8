/** What the settings in force know of VLANs and of ports of distribution and core switches, over all devices. */
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import type { Settings } from "../../settings/SettingsModel.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"

/** Going through the settings of ten thousand devices takes a while, and they seldom change. */
const KEPT = "20 seconds"

/** A port of the settings; `vlans` as they are written. */
export interface SettingsPort {
  readonly hostname: string
  readonly port: string
  readonly description: string
  readonly vlans: ReadonlyArray<string>
}

/** Names of VLANs by id, and the ports. */
export interface SettingsPorts {
  readonly names: ReadonlyMap<number, ReadonlySet<string>>
  readonly ports: ReadonlyArray<SettingsPort>
}

const nothing: SettingsPorts = { names: new Map(), ports: [] }

const portsOf = ({ hostname }: Device, { interfaces }: Settings): ReadonlyArray<SettingsPort> =>
  interfaces.map(({ description, name, tagged_vlan_list, untagged_vlan }) => ({
    hostname,
    port: name,
    description: description ?? "",
    vlans: [untagged_vlan, ...(tagged_vlan_list ?? [])].flatMap((vlan) =>
      vlan === null || vlan === undefined ? [] : [String(vlan)]
    )
  }))

/** Yields the ports and VLANs; none while no settings are in force. */
export const makeSettingsPorts = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const devices = yield* DeviceStore

  const gather = Effect.gen(function* () {
    const snapshot = yield* settings.snapshot
    const names = new Map<number, Set<string>>()
    const seen = new Set<Settings["vxlans"]>()
    const ports: Array<SettingsPort> = []
    for (const device of yield* devices.all) {
      const found = Result.getOrUndefined(snapshot.layering.forDevice(device))
      if (found === undefined) continue
      if (device.device_type !== "ACCESS") ports.push(...portsOf(device, found.settings))
      if (seen.has(found.settings.vxlans)) continue
      seen.add(found.settings.vxlans)
      for (const [key, { vlan_id: id, vlan_name: name }] of found.settings.vxlans) {
        names.set(id, (names.get(id) ?? new Set<string>()).add(key).add(name))
      }
    }
    return { names, ports } satisfies SettingsPorts
  })
  const orNothing: Effect.Effect<SettingsPorts, SqlError.SqlError> = Effect.catchTag(
    gather,
    ["NoSettings", "SettingsInvalid"],
    () => Effect.succeed(nothing)
  )
  return yield* Effect.cachedWithTTL(orNothing, KEPT)
})
