/** GET /settings: whose settings are asked for, and the answer (docs/settings-repository.md#answers). */
import { Effect } from "effect"
import { BadRequest, enveloped } from "../../api/Answers.ts"
import type { DeviceType } from "../../domain/Device.ts"
import { type SettingsTarget, SettingsView } from "../../settings/SettingsView.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"

const refuse = (message: string) => new BadRequest({ message })

/** Whose settings a request asks for. */
export interface EffectiveQuery {
  readonly hostname?: string
  /** Beside a hostname it overrides the device's own type. */
  readonly device_type?: DeviceType
}

/** Answers with the settings of the query's target. */
export const makeEffective = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const settings = yield* SettingsView

  const targetOf = Effect.fnUntraced(function* ({ device_type, hostname }: EffectiveQuery) {
    if (hostname !== undefined) {
      const device = yield* devices
        .getByHostname(hostname)
        .pipe(Effect.catchTag("DeviceNotFound", () => Effect.fail(refuse("Hostname not found in database"))))
      const type = device_type ?? device.device_type
      return { _tag: "Device", device: { ...device, device_type: type } } satisfies SettingsTarget
    }
    if (device_type === undefined) return { _tag: "Everybody" } satisfies SettingsTarget
    return device_type === "UNKNOWN"
      ? yield* refuse("Error getting settings: It's not possible to get settings for devices with type UNKNOWN")
      : ({ _tag: "DeviceType", device_type } satisfies SettingsTarget)
  })

  return Effect.fn("EffectiveSettings")(function* (query: EffectiveQuery) {
    const found = yield* settings
      .effective(yield* targetOf(query))
      .pipe(
        Effect.catchTag("SettingsUnavailable", ({ message }) =>
          Effect.fail(refuse(`Error getting settings: ${message}`))
        )
      )
    return enveloped(found)
  })
})
