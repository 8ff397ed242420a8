/**
 * The registration of unknown devices, as the DHCP hook does it: bounded by the hour and in all, because anybody who can plug in
 * a cable causes it. What has been silent for long makes room.
 */
import { Effect } from "effect"
import { TooManyRequests } from "../../api/Answers.ts"
import type { Device } from "../../domain/Device.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { UnknownDeviceStore } from "../../store/UnknownDeviceStore.ts"

/** True for a device of which nothing is known but that it asked for a lease. */
export const isUnknown = ({ device_type, state }: Pick<Device, "device_type" | "state">): boolean =>
  state === "DHCP_BOOT" && device_type === "UNKNOWN"

/** Makes room for one more unknown device, inside the transaction that inserts it. Fails with 429 when there is none. */
export const makeRoom = Effect.gen(function* () {
  const unknown = yield* UnknownDeviceStore
  const { UNKNOWN_DEVICES_MAX, UNKNOWN_DEVICES_PER_HOUR } = yield* ServerConfig
  return Effect.gen(function* () {
    const { count, secondsLeft } = yield* unknown.lastHour
    if (count >= UNKNOWN_DEVICES_PER_HOUR) {
      return yield* new TooManyRequests({
        message: `${count} unknown devices have registered within the last hour (UNKNOWN_DEVICES_PER_HOUR); the next one is taken in ${secondsLeft} seconds`
      })
    }
    const tooMany = (yield* unknown.waiting) + 1 - UNKNOWN_DEVICES_MAX
    if (tooMany <= 0) return
    const dropped = yield* unknown.dropSilent(tooMany)
    if (dropped.length < tooMany) {
      return yield* new TooManyRequests({
        message: `${UNKNOWN_DEVICES_MAX} unknown devices wait in state DHCP_BOOT (UNKNOWN_DEVICES_MAX), and too few have been silent for an hour`
      })
    }
    yield* Effect.logWarning("Unknown devices that were silent for an hour made room for a new one", { dropped })
  })
})

/** Refuses more discoveries when as many wait as there may be unknown devices. */
export const makeDiscoveryBound = Effect.gen(function* () {
  const unknown = yield* UnknownDeviceStore
  const { UNKNOWN_DEVICES_MAX } = yield* ServerConfig
  return Effect.gen(function* () {
    const count = yield* unknown.discoveries
    if (count < UNKNOWN_DEVICES_MAX) return
    return yield* new TooManyRequests({ message: `${count} discoveries wait or run, try again later` })
  })
})
