/** POST /device (docs/api.md#creating-a-device). */
import { Effect } from "effect"
import { HostnameTaken, platforms } from "../../domain/Device.ts"
import { ManagementAccess } from "../../devices/ManagementAccess.ts"
import { type NewDevice, withoutImpossible } from "../../domain/DeviceFields.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { UniqueFieldStore, UnknownDeviceStore } from "../../store/DeviceIdentifiers.ts"
import { refuse } from "../core/Refused.ts"
import { transaction } from "../core/Unavailable.ts"
import { makeAutomaticAddresses } from "./AutomaticAddresses.ts"
import { mayLogIn, mayTake } from "./FleetLogin.ts"
import { isUnknown, makeRoom } from "./Registration.ts"
import { makeSiteRule } from "./SiteRule.ts"

const PLATFORM = `Device platform not specified or not known (must be any of: ${platforms.join(", ")})`

/**
 * Creates a device from a request body, and yields it with the addresses that it took from other records. Fails with 400 and the list of
 * what is wrong, with HostnameTaken, or with IdentityTaken.
 */
export const makeDeviceCreation = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const withSite = yield* makeSiteRule
  const automatic = yield* makeAutomaticAddresses
  const inTransaction = yield* transaction
  const room = yield* makeRoom
  const unknown = yield* UnknownDeviceStore
  const access = yield* ManagementAccess
  const identities = yield* UniqueFieldStore
  return Effect.fn("DeviceCreation.create")(function* (sent: typeof NewDevice.checked.Type) {
    yield* mayLogIn(null, sent.fields)
    const fields = yield* withSite(withoutImpossible(sent, null))
    const { hostname } = fields
    if ((yield* devices.byHostnames([hostname])).length > 0) return yield* new HostnameTaken({ hostname })
    if (fields.platform === null) return yield* refuse(PLATFORM)
    return yield* inTransaction(
      Effect.gen(function* () {
        const device = { ...fields, ...(yield* automatic(fields)) }
        yield* access.allow({ management_ip: null, dhcp_ip: null, ...device })
        const taken = yield* identities.takeOver({ id: null, state: device.state, fields: device })
        yield* mayTake(taken)
        if (!isUnknown(device)) return { device: yield* devices.insert(device), taken }
        yield* room
        return { device: yield* Effect.tap(devices.insert(device), ({ id }) => unknown.register(id)), taken }
      })
    )
  })
})
