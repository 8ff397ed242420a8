/** GET /settings: whose settings are asked for, and the answer (contract api-rest.md §7.1). */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { enveloped } from "../../api/Envelope.ts"
import { BadRequest } from "../../api/Failures.ts"
import { deviceTypeOf } from "../../domain/Device.ts"
import { isHostname } from "../../domain/Hostname.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { first } from "../listing/ListRequest.ts"
import { type SettingsTarget, SettingsView } from "../../settings/SettingsView.ts"

const refuse = (message: string) => new BadRequest({ message })

const typeOf = (sent: string) => {
  const found = deviceTypeOf(sent)
  return found === undefined ? Effect.fail(refuse("Invalid device type specified")) : Effect.succeed(found)
}

/** Answers with the settings of the query's target; a device type beside a hostname overrides the device's own. */
export const makeEffective = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const settings = yield* SettingsView

  const target = Effect.fnUntraced(function* () {
    const parameters = yield* HttpServerRequest.ParsedSearchParams
    const hostname = first(parameters, "hostname")
    const sent = first(parameters, "device_type")
    if (hostname !== undefined && !isHostname(hostname)) return yield* refuse("Invalid hostname specified")
    if (hostname !== undefined) {
      const device = yield* devices
        .getByHostname(hostname)
        .pipe(Effect.catchTag("DeviceNotFound", () => Effect.fail(refuse("Hostname not found in database"))))
      const device_type = sent === undefined ? device.device_type : yield* typeOf(sent)
      return { _tag: "Device", device: { ...device, device_type } } satisfies SettingsTarget
    }
    if (sent === undefined) return { _tag: "Everybody" } satisfies SettingsTarget
    const device_type = yield* typeOf(sent)
    return device_type === "UNKNOWN"
      ? yield* refuse("Error getting settings: It's not possible to get settings for devices with type UNKNOWN")
      : ({ _tag: "DeviceType", device_type } satisfies SettingsTarget)
  })

  return Effect.gen(function* () {
    const found = yield* settings
      .effective(yield* target())
      .pipe(
        Effect.catchTag("SettingsUnavailable", ({ message }) =>
          Effect.fail(refuse(`Error getting settings: ${message}`))
        )
      )
    return enveloped(found)
  })
})
