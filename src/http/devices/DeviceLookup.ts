/** Finding the device that a path names, or 404 `Device not found`. */
import { Effect, Option } from "effect"
import { NotFound } from "../../api/Failures.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { toId } from "../../domain/fields/Values.ts"

/** The answer for a device that does not exist. */
export const deviceNotFound = () => Effect.fail(new NotFound({ message: "Device not found" }))

/** Lookups by what stands in a path. */
export const makeDeviceLookup = Effect.map(Effect.service(DeviceStore), (devices) => {
  const byHostname = (hostname: string) =>
    Effect.catchTag(devices.getByHostname(hostname), "DeviceNotFound", deviceNotFound)
  const byId = Effect.fnUntraced(function* (digits: string) {
    const id = toId(digits)
    if (Option.isNone(id)) return yield* deviceNotFound()
    return yield* Effect.catchTag(devices.get(id.value), "DeviceNotFound", deviceNotFound)
  })
  return {
    byHostname,
    byId,
    /** Digits are an id, everything else a hostname. */
    byIdOrHostname: Effect.fnUntraced(function* (text: string) {
      return yield* /^\d+$/.test(text) ? byId(text) : byHostname(text)
    })
  }
})
