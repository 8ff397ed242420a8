/**
 * Devices in the form that permissions judge, with their groups by the settings in force; and the devices that the caller of a request may
 * see.
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import {
  type AskedDevice,
  isForSomeDevices,
  type Permission,
  reaches,
  unknownDevice
} from "../domain/access/PermissionRule.ts"
import type { Device } from "../domain/Device.ts"
import { ActiveSettings, type SettingsError } from "../settings/ActiveSettings.ts"
import { selectionGroups } from "../settings/SettingsGroups.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { type NamedDevices, namedDevices } from "../store/Listing.ts"
import { type NotPermitted, Permit, permitted, type Subject } from "./Permit.ts"

/** How long a list of all devices is reused: a caller who is limited to some devices needs it with every list. */
const KEPT = "1 second"

const make = Effect.gen(function* () {
  const settings = yield* ActiveSettings
  const devices = yield* DeviceStore

  const of = Effect.fn("CallerDevices.of")(function* (
    rows: ReadonlyArray<Device>,
    permissions?: ReadonlyArray<Permission>
  ) {
    if (permissions?.some(isForSomeDevices) === false) {
      return rows.map(({ device_type, hostname, state }): AskedDevice => ({
        hostname,
        deviceType: device_type,
        groups: [],
        state
      }))
    }
    const snapshot = yield* settings.snapshot
    return rows.map((device): AskedDevice => ({
      hostname: device.hostname,
      deviceType: device.device_type,
      groups: selectionGroups(snapshot.layering.membership(device), device),
      state: device.state
    }))
  })
  const [all, forget] = yield* Effect.cachedInvalidateWithTTL(
    Effect.map(
      Effect.flatMap(devices.all, (rows) => of(rows)),
      (known) => ({
        known,
        names: new Set(known.map(({ hostname }) => hostname)),
        /** Unknown names, and the newest event for which each was looked up. */
        missing: new Map<string, number>(),
        reached: new Map<string, NamedDevices>()
      })
    ),
    KEPT
  )

  const learn = Effect.fnUntraced(function* (named: ReadonlyMap<string, number>) {
    const { missing, names } = yield* all
    const unknown = [...named].filter(([name, id]) => !names.has(name) && id > (missing.get(name) ?? -1))
    if (unknown.length === 0) return
    yield* forget
    const now = yield* all
    for (const [name, id] of unknown) if (!now.names.has(name)) now.missing.set(name, id)
  })

  /** Callers with the same permissions reach the same devices. */
  const reachOf = Effect.fnUntraced(function* (permissions: ReadonlyArray<Permission>) {
    const { known, reached } = yield* all
    const key = JSON.stringify(permissions)
    const found =
      reached.get(key) ??
      namedDevices(
        known
          .filter((device) => permissions.some((permission) => reaches(permission, device)))
          .map(({ hostname }) => hostname)
      )
    reached.set(key, found)
    return found
  })

  return CallerDevices.of({
    of,
    known: Effect.fn("CallerDevices.known")(function* (names) {
      const permit = yield* Permit
      if (permit === null) return []
      const permissions = permit.held.map(({ permission }) => permission)
      const rows = yield* of(yield* devices.byHostnames(names))
      const seen = rows.filter((device) => permissions.some((permission) => reaches(permission, device)))
      const byName = new Map(seen.map((device) => [device.hostname, device]))
      return names.map((name) => byName.get(name) ?? unknownDevice(name))
    }),
    learn,
    permit: Effect.fn("CallerDevices.permit")(function* (rows, subject) {
      const permit = yield* Permit
      if (permit === null) return
      const permissions = permit.held.map(({ permission }) => permission)
      yield* permitted({ ...subject, devices: yield* of(rows, permissions) })
    }),
    reach: Effect.gen(function* () {
      const permit = yield* Permit
      const permissions = permit?.held.map(({ permission }) => permission)
      if (permissions === undefined || !permissions.every(isForSomeDevices)) return null
      return yield* reachOf(permissions)
    })
  })
})

/** Devices in the form that permissions judge. */
export class CallerDevices extends Context.Service<
  CallerDevices,
  {
    /** Without groups, and so without the settings, if none of the permissions is limited to some devices. */
    readonly of: (
      devices: ReadonlyArray<Device>,
      permissions?: ReadonlyArray<Permission>
    ) => Effect.Effect<ReadonlyArray<AskedDevice>, SettingsError | SqlError.SqlError>
    /** The devices of these names; a device that the present permit does not reach looks like an unknown one. None without a permit. */
    readonly known: (
      names: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<AskedDevice>, SettingsError | SqlError.SqlError>
    /** Checks whether the present caller may do something with these devices. */
    readonly permit: (
      devices: ReadonlyArray<Device>,
      subject: Subject
    ) => Effect.Effect<void, NotPermitted | SettingsError | SqlError.SqlError>
    /** Receives hostnames of events, each with the number of the newest. Looks up unknown devices, so that `reach` has them afterwards. */
    readonly learn: (named: ReadonlyMap<string, number>) => Effect.Effect<void, SettingsError | SqlError.SqlError>
    /** Hostnames of the devices that the present caller may see, at most two seconds old; null for all. */
    readonly reach: Effect.Effect<NamedDevices | null, SettingsError | SqlError.SqlError>
  }
>()("switchyard/access/CallerDevices") {
  static readonly layer = Layer.effect(CallerDevices, make)
}
