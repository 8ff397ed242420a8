/** Addresses that CORE and DIST devices get when they are created without (docs/api.md#automatic-addresses). */
import { Effect, Result } from "effect"
import { BadRequest } from "../../api/Failures.ts"
import { type DeviceFields, isFabricType } from "../../domain/Device.ts"
import { allocateLoopback } from "../../provisioning/Addresses.ts"
import { allocationLock } from "../../store/AllocationLock.ts"
import { ReservationStore } from "../../store/ReservationStore.ts"
import { isObject } from "../../domain/fields/Values.ts"
import { SettingsView } from "../../settings/SettingsView.ts"

type Addresses = Pick<DeviceFields, "management_ip" | "infra_ip">

/** `underlay` of the CORE settings: the pools of addresses and link networks. Fails with 400 when there are no settings. */
export const underlayOf = Effect.map(Effect.service(SettingsView), (settings) =>
  settings.effective({ _tag: "DeviceType", device_type: "CORE" }).pipe(
    Effect.catchTag("SettingsUnavailable", ({ message }) =>
      Effect.fail(new BadRequest({ message: [`Error getting settings: ${message}`] }))
    ),
    Effect.map((effective) => {
      const { underlay } = effective.settings
      return (name: "mgmt_lo_net" | "infra_lo_net" | "infra_link_net"): string | null => {
        const value = isObject(underlay) ? underlay[name] : undefined
        return typeof value === "string" ? value : null
      }
    })
  )
)

const choose = (setting: "mgmt_lo_net" | "infra_lo_net", network: string | null, taken: Iterable<string>) =>
  Result.match(allocateLoopback(setting, network, taken), {
    onSuccess: ({ ip }) => Effect.succeed<string | null>(ip),
    onFailure: (error) =>
      error._tag === "NoFreeAddress"
        ? Effect.succeed<string | null>(null)
        : Effect.fail(new BadRequest({ message: [error.message] }))
  })

/**
 * Fills what is missing, inside the caller's transaction, which then holds the lock on allocation until it ends. A network
 * that is full leaves the field null; a missing setting is 400.
 */
export const makeAutomaticAddresses = Effect.gen(function* () {
  const waitForAllocation = yield* allocationLock
  const reservations = yield* ReservationStore
  const underlay = yield* underlayOf
  return Effect.fn("AutomaticAddresses.fill")(function* (given: Partial<DeviceFields>) {
    const management = given.management_ip ?? null
    const infra = given.infra_ip ?? null
    if (!isFabricType(given.device_type) || (management !== null && infra !== null)) return {}
    yield* waitForAllocation
    const network = yield* underlay
    return {
      management_ip:
        management ?? (yield* choose("mgmt_lo_net", network("mgmt_lo_net"), yield* reservations.takenAddresses)),
      infra_ip: infra ?? (yield* choose("infra_lo_net", network("infra_lo_net"), yield* reservations.takenAddresses))
    } satisfies Addresses
  })
})
