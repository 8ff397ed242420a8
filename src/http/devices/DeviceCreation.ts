/** POST /device (contract api-devices.md §3.3). */
import { Effect } from "effect"
import { BadRequest } from "../../api/Failures.ts"
import { platforms } from "../../domain/Device.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { UnknownDeviceStore } from "../../store/UnknownDeviceStore.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { transaction } from "../core/Unavailable.ts"
import { makeAutomaticAddresses } from "./AutomaticAddresses.ts"
import { parseFields } from "./DeviceFields.ts"
import { isUnknown, makeRoom } from "./Registration.ts"
import { withSite } from "./SiteRule.ts"

const refuse = (...message: ReadonlyArray<string>) => new BadRequest({ message })
const taken = () => refuse("Device already exists")
const PLATFORM = `Device platform not specified or not known (must be any of: ${platforms.join(", ")})`

/** Creates a device from a request body. Fails with 400 and the list of what is wrong. */
export const makeDeviceCreation = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const complete = yield* withSite
  const automatic = yield* makeAutomaticAddresses
  const inTransaction = yield* transaction
  const room = yield* makeRoom
  const unknown = yield* UnknownDeviceStore
  return Effect.fn("DeviceCreation.create")(function* (body: JsonObject) {
    const { errors, fields } = yield* complete(parseFields(body, "create"))
    const { device_type, hostname, state } = fields
    if (errors.length > 0 || hostname === undefined || state === undefined || device_type === undefined) {
      return yield* refuse(...errors)
    }
    if ((yield* devices.byHostnames([hostname])).length > 0) return yield* taken()
    if ((fields.platform ?? null) === null) return yield* refuse(PLATFORM)
    return yield* inTransaction(
      Effect.gen(function* () {
        const addresses = yield* automatic(fields)
        const device = { ...fields, ...addresses, hostname, state, device_type }
        if (!isUnknown(device)) return yield* devices.insert(device)
        yield* room
        return yield* Effect.tap(devices.insert(device), ({ id }) => unknown.register(id))
      })
    ).pipe(Effect.catchTag("HostnameTaken", taken))
  })
})
