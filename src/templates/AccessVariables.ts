/**
 * The variables that only access switches have: management VLAN, MLAG peer and ports
 * (docs/templates.md#variables-of-access-switches).
 */
import { Option, Result } from "effect"
import type { DeviceType } from "../domain/Device.ts"
import { indexNumber, type Interface } from "../domain/Interface.ts"
import { pythonText } from "../settings/PythonText.ts"
import { type Settings, vlanIdOf, vlanIdsOf } from "../settings/SettingsModel.ts"
import type { DeviceLink, Neighbour, SiteInputs, VariableInputs } from "./VariableInputs.ts"
import { IpInterface, IpNetwork, NetAddress } from "effect/net"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"

// Interface names in natural order: Ethernet2 before Ethernet10 (docs/templates.md#composition).

const PARTS = /\d+|\D+/g

type Part = number | string

const partsOf = (name: string): ReadonlyArray<Part> =>
  (name.match(PARTS) ?? []).map((part) => (part >= "0" && part < ":" ? Number(part) : part))

const compareParts = (a: Part | undefined, b: Part | undefined): number => {
  if (a === b) return 0
  if (a === undefined) return -1
  if (b === undefined) return 1
  if (typeof a === "number") return typeof b === "number" ? a - b : -1
  if (typeof b === "number") return 1
  return a < b ? -1 : 1
}

const compare = (a: ReadonlyArray<Part>, b: ReadonlyArray<Part>): number => {
  const length = Math.max(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const order = compareParts(a[at], b[at])
    if (order !== 0) return order
  }
  return 0
}

/** The same elements, in natural order of their names. */
const inNaturalOrder = <A extends { readonly name: string }>(elements: ReadonlyArray<A>): ReadonlyArray<A> =>
  elements
    .map((element) => ({ element, parts: partsOf(element.name) }))
    .toSorted((a, b) => compare(a.parts, b.parts))
    .map(({ element }) => element)

// The gateway of the management domain whose network contains an address (docs/templates.md#variables-of-access-switches).

/** One gateway of a management domain. */
interface GatewayNetwork {
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

/** The usable gateways of both families of these domains, without gateways that are no addresses. */
const gatewaysOf = (domains: ReadonlyArray<MgmtDomain>): ReadonlyArray<GatewayNetwork> => {
  const before = known.get(domains)
  if (before !== undefined) return before
  const gateways = domains.flatMap((domain) => [
    ...toGateway(domain, domain.ipv4_gw),
    ...toGateway(domain, domain.ipv6_gw)
  ])
  known.set(domains, gateways)
  return gateways
}

/** The first of these gateways whose network contains the address; none if the text is no address. */
const gatewayFor = (gateways: ReadonlyArray<GatewayNetwork>, address: string): Option.Option<GatewayNetwork> =>
  Option.flatMap(Result.getSuccess(NetAddress.ipFromString(address)), (ip) =>
    Option.fromUndefinedOr(gateways.find(({ network }) => IpNetwork.contains(network, ip)))
  )

/** The length of an address's own network, 32 or 128, with which a loopback address is configured. */
export const hostPrefixLength = (address: string): number => (address.includes(":") ? 128 : 32)

/** Variables in their order, or a sentence that says why there are none. */
export type NamedVariables = ReadonlyArray<readonly [name: string, value: unknown]>
type NamedOrFault = Result.Result<NamedVariables, string>

const managementVariables = (prefix: string, ip: string, { gateway, prefixLength }: GatewayNetwork): NamedVariables => [
  [`${prefix}mgmt_gw`, gateway],
  [`${prefix}mgmt_ipif`, `${ip}/${prefixLength}`],
  [`${prefix}mgmt_prefixlen`, prefixLength]
]

const secondaryVariables = (
  ip: string | null,
  gateways: ReadonlyArray<GatewayNetwork>,
  { domain }: GatewayNetwork
): NamedOrFault => {
  if (ip === null) return Result.succeed([])
  const own = gateways.filter((gateway) => gateway.domain === domain)
  return Option.match(gatewayFor(own, ip), {
    onNone: () => Result.fail(`Could not find appropriate management domain for management_ip: ${ip}`),
    onSome: (gateway) => Result.succeed([["secondary_mgmt_ip", ip], ...managementVariables("secondary_", ip, gateway)])
  })
}

/** The management variables of a switch that has its address. */
const derivedManagement = (ip: string, secondaryIp: string | null, site: SiteInputs): NamedOrFault => {
  const gateways = gatewaysOf(site.mgmtDomains)
  return Option.match(gatewayFor(gateways, ip), {
    onNone: () => Result.fail(`Could not find appropriate management domain for management_ip: ${ip}`),
    onSome: (gateway) =>
      Result.map(secondaryVariables(secondaryIp, gateways, gateway), (secondary) => [
        ["mgmt_ip", ip],
        ["mgmt_vlan_id", gateway.domain.vlan],
        ...managementVariables("", ip, gateway),
        ...secondary
      ])
  })
}

const mlagPeer = (
  rows: ReadonlyArray<Interface>,
  linkAt: ReadonlyMap<string, DeviceLink>,
  ownType: DeviceType
): Result.Result<Neighbour | null, string> => {
  const links = rows.flatMap(({ configtype, name }) => (configtype === "MLAG_PEER" ? (linkAt.get(name) ?? []) : []))
  const peers = [...new Map(links.map(({ peer }) => [peer.id, peer])).values()]
  const [peer, another] = peers
  if (peer === undefined) return Result.succeed(null)
  if (another !== undefined) {
    return Result.fail(`More than one MLAG peer found: ${pythonText(peers.map(({ hostname }) => hostname))}`)
  }
  const types = new Set([ownType, peer.device_type])
  return types.size > 1 && !types.has("UNKNOWN")
    ? Result.fail("MLAG peers are not the same device type")
    : Result.succeed(peer)
}

const mlagVariables = (ownId: number, peer: Neighbour | null): NamedVariables => [
  ["mlag_peer", peer !== null],
  ["mlag_peer_hostname", peer?.hostname ?? null],
  ["mlag_peer_low", peer === null ? null : ownId < peer.id]
]

const portVariables = (
  { configtype, data, name }: Interface,
  link: DeviceLink | undefined,
  vxlans: Settings["vxlans"]
) => ({
  name,
  ifclass: configtype,
  untagged_vlan: vlanIdOf(vxlans, data?.["untagged_vlan"]),
  tagged_vlan_list: vlanIdsOf(vxlans, data?.["tagged_vlan_list"]),
  data: link === undefined ? data : { ...data, description: link.peer.hostname },
  indexnum: indexNumber(name)
})

/** Links by the port of this device. If two links use the same port, the older one counts. */
export const linksByPort = (links: ReadonlyArray<DeviceLink>): ReadonlyMap<string, DeviceLink> =>
  new Map(links.toReversed().map((link) => [link.port, link]))

/** The variables of an access switch beyond those of all types; `mgmt_ip` is its management address, unless in init. */
export const accessVariables = (inputs: VariableInputs, site: SiteInputs, mgmtIp: string): NamedOrFault => {
  const { device, init, interfaces, links, settings } = inputs
  const linkAt = linksByPort(links)
  return Result.gen(function* () {
    const management =
      init === undefined
        ? yield* derivedManagement(mgmtIp, device.secondary_management_ip, site)
        : Object.entries(init.addresses)
    const peer = yield* mlagPeer(interfaces, linkAt, init?.device_type ?? device.device_type)
    const ports = inNaturalOrder(interfaces).map((row) => portVariables(row, linkAt.get(row.name), settings.vxlans))
    return [...management, ...mlagVariables(device.id, peer), ["interfaces", ports]]
  })
}
