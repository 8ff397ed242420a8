/** Finding the device that a path names. Every lookup fails with DeviceNotFound, which clients are told with 404. */
import { Effect } from "effect"
import { DeviceNotFound } from "../../domain/Device.ts"
import { toId } from "../../domain/fields/Values.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"

/** The id that digits in a path stand for; fails when no row can have it. */
export const deviceId = (digits: string) =>
  Effect.mapError(Effect.fromOption(toId(digits)), () => new DeviceNotFound({ device: digits }))

/** Lookups by what stands in a path. */
export const makeDeviceLookup = Effect.map(Effect.service(DeviceStore), (devices) => {
  const byId = (digits: string) => Effect.flatMap(deviceId(digits), devices.get)
  return {
    byHostname: devices.getByHostname,
    byId,
    /** Digits are an id, everything else a hostname. */
    byIdOrHostname: (text: string) => (/^\d+$/.test(text) ? byId(text) : devices.getByHostname(text))
  }
})
