/**
 * Where devices may be that get the fleet's logins (docs/security.md#management-networks): prefixes, and on demand those that
 * the settings repository has for its fabric. What is no address of theirs is outside.
 */
import { Result, Schema } from "effect"
import {
  containsAddress,
  formatAddress,
  isMapped,
  MAPPED_BITS,
  type Network,
  parseNetwork,
  plainAddress,
  WIDTH
} from "../Network.ts"

/** What `MANAGEMENT_NETWORKS` says. */
export interface ManagementNetworks {
  readonly networks: ReadonlyArray<Network>
  /** The prefixes of the settings' `underlay` count too. */
  readonly fromSettings: boolean
}

/**
 * The device may not get the login: its address is in none of the networks. Nothing was sent; `rule` is what forbids it, null where no
 * network was named yet.
 */
export class AddressOutside extends Schema.TaggedError<AddressOutside>()("AddressOutside", {
  hostname: Schema.String,
  address: Schema.String,
  rule: Schema.NullOr(Schema.String)
}) {
  override get message() {
    if (this.rule === null) {
      return `nobody has said yet in which networks devices are, so no login is sent to ${this.hostname} at ${this.address}; run \`switchyard setup\`, or set MANAGEMENT_NETWORKS (docs/security.md#management-networks)`
    }
    return `the address ${this.address} of ${this.hostname} is outside of the management networks (${this.rule}), so the fleet's login is not sent there; give the device an address inside, or add its network to MANAGEMENT_NETWORKS`
  }
  get httpStatus() {
    return 400 as const
  }
  get refusal() {
    return [this.message]
  }
}

/** Stands for the prefixes of the settings. */
const FROM_SETTINGS = "settings"

const prefix = (text: string): Result.Result<Network, string> => {
  const cidr = text.includes("/") ? text : `${text}/${text.includes(":") ? WIDTH[6] : WIDTH[4]}`
  const wrong = `"${text}" is neither a prefix such as 10.0.0.0/8 or 2001:db8::/32 nor the word ${FROM_SETTINGS}`
  return Result.flatMap(
    Result.mapError(parseNetwork(cidr), () => wrong),
    (network) => {
      if (network.address !== network.first)
        return Result.fail(`"${text}" has bits behind its prefix: ${formatAddress(network.version, network.first)}?`)
      return network.version === 6 && network.prefixLength >= MAPPED_BITS && isMapped(network.first)
        ? Result.fail(`"${text}" is IPv4 in the spelling of IPv6: write it as IPv4`)
        : Result.succeed(network)
    }
  )
}

/** Reads a comma separated list of prefixes and the word `settings`. Fails with a sentence. */
export const parse = (list: string): Result.Result<ManagementNetworks, string> =>
  Result.gen(function* () {
    const parts = list.split(",").map((part) => part.trim())
    const networks: Array<Network> = []
    for (const part of parts) if (part !== FROM_SETTINGS) networks.push(yield* prefix(part))
    return { networks, fromSettings: parts.includes(FROM_SETTINGS) }
  })

/** The list as it stands in the environment, or nothing; a wrong one ends the start with its sentence. */
export const ManagementNetworksText = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter(
      (list: string) => list === "" || Result.match(parse(list), { onSuccess: () => true, onFailure: (why) => why })
    )
  )
)

/** Whether the address is in one of the networks. Names, and whatever else is no address, are not. */
export const isInside = (networks: ReadonlyArray<Network>, address: string): boolean => {
  const text = plainAddress(address)
  return networks.some((network) => containsAddress(network, text))
}
