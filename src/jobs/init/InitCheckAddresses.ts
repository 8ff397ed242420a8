/**
 * What speaks against the addresses that a new switch would get (docs/provisioning.md#addresses and
 * docs/provisioning.md#check-before). Reserves nothing.
 */
import { Context, Effect, Layer } from "effect"
import type { Device } from "../../domain/Device.ts"
import type { AccessPlacement } from "../../provisioning/AccessPlacement.ts"
import type { InitArguments } from "../../provisioning/InitArguments.ts"
import { allocateFabric, allocateManagement } from "../../provisioning/ManagementAddress.ts"
import { collect } from "../../provisioning/Problems.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ReservationStore } from "../../store/NetworkStore.ts"
import { InitSurvey } from "./InitSurvey.ts"

/** What a fabric device is to become. */
export const targetOf = ({ device_type, new_hostname }: InitArguments) => ({
  hostname: new_hostname,
  device_type,
  mlagPeerId: null
})

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const reservations = yield* ReservationStore
  const survey = yield* InitSurvey

  const ofAccess = Effect.fn("InitCheckAddresses.ofAccess")(function* (
    { domain }: AccessPlacement,
    isReplacement: boolean
  ) {
    if (domain === null || isReplacement) return []
    const allocated = allocateManagement({
      domain,
      reservedCount: config.MGMTDOMAIN_RESERVED_COUNT,
      primaryVersion: config.MGMTDOMAIN_PRIMARY_IP_VERSION === 6 ? 6 : 4,
      taken: yield* reservations.takenAddresses
    })
    return collect([allocated]).problems
  })

  const ofFabric = Effect.fn("InitCheckAddresses.ofFabric")(function* (args: InitArguments, device: Device) {
    const underlay = yield* survey.underlay(device, targetOf(args))
    const allocated = allocateFabric({
      mgmtLoNet: underlay?.mgmt_lo_net ?? null,
      infraLoNet: underlay?.infra_lo_net ?? null,
      takenManagement: yield* reservations.takenAddresses,
      takenInfra: yield* reservations.takenAddresses
    })
    return collect([allocated]).problems
  })

  return {
    /** Addresses of a management domain; those of a replaced switch are used again. */
    ofAccess,
    /** Addresses of the loopback networks. */
    ofFabric
  }
})

/** Addresses of switches that could be initialised. */
export class InitCheckAddresses extends Context.Service<InitCheckAddresses>()("switchyard/jobs/InitCheckAddresses", {
  make
}) {
  static readonly layer = Layer.effect(this, this.make)
}
