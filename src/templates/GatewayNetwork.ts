/** The gateway of a management domain whose network holds an address (docs/templates.md#variables-of-access-switches). */
import { Option, Result } from "effect"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"

/** One gateway of a management domain. */
export interface GatewayNetwork {
  readonly domain: MgmtDomain
  /** Address of the gateway, without length. */
  readonly gateway: string
  readonly prefixLength: number
  readonly network: IpNetwork.IpNetwork
}

const toGateway = (domain: MgmtDomain, text: string | null): ReadonlyArray<GatewayNetwork> =>
  text === null
    ? []
    : Result.match(IpInterface.fromString(text, { prefix: "required" }), {
        onFailure: () => [],
        onSuccess: (gateway) => [
          {
            domain,
            gateway: NetAddress.formatIp(gateway.address),
            prefixLength: gateway.prefixLength,
            network: IpNetwork.fromInterface(gateway)
          }
        ]
      })

// One list of domains serves all devices of a job, so its addresses are read once.
const known = new WeakMap<ReadonlyArray<MgmtDomain>, ReadonlyArray<GatewayNetwork>>()

/** The usable gateways of both families of these domains; a gateway that is no address is left out. */
export const gatewaysOf = (domains: ReadonlyArray<MgmtDomain>): ReadonlyArray<GatewayNetwork> => {
  const before = known.get(domains)
  if (before !== undefined) return before
  const gateways = domains.flatMap((domain) => [
    ...toGateway(domain, domain.ipv4_gw),
    ...toGateway(domain, domain.ipv6_gw)
  ])
  known.set(domains, gateways)
  return gateways
}

/** The first of these gateways whose network holds the address; none when the text is no address. */
export const gatewayFor = (gateways: ReadonlyArray<GatewayNetwork>, address: string): Option.Option<GatewayNetwork> =>
  Option.flatMap(Result.getSuccess(NetAddress.ipFromString(address)), (ip) =>
    Option.fromUndefinedOr(gateways.find(({ network }) => IpNetwork.contains(network, ip)))
  )

/** The length of an address's own network, 32 or 128: what a loopback address is configured with. */
export const hostPrefixLength = (address: string): number => (address.includes(":") ? 128 : 32)
