/** Which managed devices a job is about (docs/changes.md#which-devices): hostnames, else a type, else a group, else all. */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { Device, DeviceType } from "../../domain/Device.ts"
import type { SkippedDevices } from "../../domain/jobs/ChangeJobs.ts"
import { isManageable, UnmanageableDevice } from "../../domain/platforms/Platforms.ts"
import { ActiveSettings, type SettingsError } from "../../settings/ActiveSettings.ts"
import { selectionGroups } from "../../settings/SettingsGroups.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"

/** The selector of a job; the first key that is present counts. */
export interface Selector {
  readonly hostnames?: ReadonlyArray<string>
  readonly device_type?: DeviceType
  readonly group?: string
  /** Also devices that are synchronized. Devices that are named are always taken. */
  readonly resync: boolean
}

/** The devices that a driver can log in to, and the others. Devices that are named are all kept: each of them has to answer. */
export const manageableOf = ({ hostnames }: Pick<Selector, "hostnames">, selected: ReadonlyArray<Device>) => {
  const devices = hostnames === undefined ? selected.filter(isManageable) : selected
  const others = hostnames === undefined ? selected.filter((device) => !isManageable(device)) : []
  const skipped: SkippedDevices = Object.fromEntries(
    others.map((device) => [device.hostname, new UnmanageableDevice(device).message])
  )
  return { devices, skipped }
}

/** The part of a job's result that names skipped devices; nothing when there are none. */
export const skippedPart = (skipped: SkippedDevices | undefined): { readonly skipped_devices?: SkippedDevices } =>
  skipped === undefined || Object.keys(skipped).length === 0 ? {} : { skipped_devices: skipped }

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const settings = yield* ActiveSettings

  const inGroup = Effect.fnUntraced(function* (group: string, candidates: ReadonlyArray<Device>) {
    const snapshot = yield* settings.snapshot
    return candidates.filter((device) => selectionGroups(snapshot.layering.membership(device), device).includes(group))
  })

  const select = Effect.fn("DeviceSelection.select")(function* (selector: Selector) {
    const { device_type, group, hostnames, resync } = selector
    if (hostnames !== undefined) return yield* devices.selectManaged({ hostnames })
    const narrowed = device_type === undefined ? {} : { device_type }
    const candidates = yield* devices.selectManaged({ ...narrowed, unsynchronizedOnly: !resync })
    return device_type === undefined && group !== undefined ? yield* inGroup(group, candidates) : candidates
  })

  return DeviceSelection.of({ select })
})

/** Selects devices in state MANAGED. */
export class DeviceSelection extends Context.Service<
  DeviceSelection,
  {
    /** The selected devices by hostname; none is no error. */
    readonly select: (selector: Selector) => Effect.Effect<ReadonlyArray<Device>, SettingsError | SqlError.SqlError>
  }
>()("switchyard/jobs/DeviceSelection") {
  static readonly layer = Layer.effect(DeviceSelection, make)
}
