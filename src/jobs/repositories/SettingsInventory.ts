/** What the checks of settings look at beside the files: devices, cables and management domains of the database. */
import { Effect } from "effect"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { LinknetStore, MgmtDomainStore } from "../../store/NetworkStore.ts"

/** Reads it; full device records, so that others can use them as well. */
export const readInventory = Effect.gen(function* () {
  const { GLOBAL_UNIQUE_VLANS: globalUniqueVlans } = yield* ServerConfig
  const devices = yield* (yield* DeviceStore).all
  const linknets = yield* (yield* LinknetStore).all
  const managementDomains = yield* (yield* MgmtDomainStore).all
  return { devices, linknets, managementDomains, globalUniqueVlans }
})
