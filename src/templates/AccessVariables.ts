/**
 * The variables that only access switches have: management VLAN, MLAG peer and ports
 * (docs/templates.md#variables-of-access-switches).
 */
import { Option, Result } from "effect"
import type { DeviceType } from "../domain/Device.ts"
import { type Interface, indexNumber } from "../domain/Interface.ts"
import { pythonText } from "../settings/PythonText.ts"
import type { Settings } from "../settings/SettingsModel.ts"
import { vlanIdOf, vlanIdsOf } from "../settings/VlanNames.ts"
import { type GatewayNetwork, gatewayFor, gatewaysOf } from "./GatewayNetwork.ts"
import { inNaturalOrder } from "./InterfaceOrder.ts"
import type { DeviceLink, Neighbour, SiteInputs, VariableInputs } from "./VariableInputs.ts"

/** Variables in their order, or the sentence that says why there are none. */
export type NamedVariables = ReadonlyArray<readonly [name: string, value: unknown]>
export type NamedOrFault = Result.Result<NamedVariables, string>

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

/**
 * Links by the port of this device. Should both ends of one port be taken, the older link counts.
 */
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
