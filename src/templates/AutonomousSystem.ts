/** AS numbers of fabric devices (docs/templates.md#variables-of-dist-and-core). */
import { Result } from "effect"
import { NetAddress } from "effect/net"
import type { Neighbour } from "./VariableInputs.ts"

/** First of the private 32-bit AS numbers. */
const FIRST_PRIVATE = 4_200_000_000

/** Infra address and AS number of a fabric device. */
export interface FabricIdentity {
  readonly infraIp: string
  readonly asn: number
}

/**
 * The AS number that belongs to an infra address: 4200000000 plus its third octet times 256 plus its fourth. Fails with a
 * sentence when the device has no such address.
 */
export const fabricIdentity = ({
  hostname,
  infra_ip
}: Pick<Neighbour, "hostname" | "infra_ip">): Result.Result<FabricIdentity, string> => {
  if (infra_ip === null) return Result.fail(`Could not find infra IP for device ${hostname}`)
  return Result.mapBoth(NetAddress.ipv4FromString(infra_ip), {
    onFailure: () => `Infra IP of device ${hostname} is not an IPv4 address: ${infra_ip}`,
    onSuccess: (address) => {
      const [, , third, fourth] = NetAddress.ipv4ToOctets(address)
      return { infraIp: infra_ip, asn: FIRST_PRIVATE + third * 256 + fourth }
    }
  })
}
