/** What the rename of a device means for itself and for those beside it (docs/api.md#changing-a-device). */
import { Effect } from "effect"
import { BadRequest, InternalError } from "../../api/Answers.ts"
import type { Device } from "../../domain/Device.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { makeNeighbours } from "./Neighbours.ts"

/** The check before a rename, and its consequences after it. */
export const makeDeviceRename = Effect.gen(function* () {
  const settings = yield* SettingsView
  const interfaces = yield* InterfaceStore
  const events = yield* SyncEventStore
  const { linkedTo, unsynchronize } = yield* makeNeighbours

  /** Fails with 400 when a managed device would have other settings under its new name. */
  const allow = Effect.fn("DeviceRename.allow")(function* (device: Device, hostname: string) {
    if (device.state !== "MANAGED") return
    const same = yield* settings
      .sameUnderName(device, hostname)
      .pipe(
        Effect.catchTag("SettingsUnavailable", ({ message }) =>
          Effect.fail(new InternalError({ message: `Error in settings repo configuration: ${message}` }))
        )
      )
    if (same) return
    const text = `Configuration after name change for ${device.hostname} would not be the same. Please check device specific configuration for ${device.hostname} and ${hostname}`
    return yield* new BadRequest({ message: [text] })
  })

  /** Marks the device and its neighbours unsynchronized, after the row has its new name. */
  const follow = Effect.fn("DeviceRename.follow")(function* (before: Device, hostname: string, by: string) {
    const linked = yield* linkedTo(before)
    yield* unsynchronize(linked, "linknet_neighbor_name_change", by)
    const naming = yield* interfaces.renameNeighbor(before.hostname, hostname)
    yield* unsynchronize(
      naming.filter((id) => !linked.includes(id) && id !== before.id),
      "neighbor_name_change",
      by
    )
    yield* events.clear([before.hostname])
    yield* unsynchronize([before.id], "device_name_change", by)
  })

  return { allow, follow }
})
