/**
 * The variables that only distribution and core switches have: addresses, BGP and EVPN peers
 * (docs/templates.md#variables-of-dist-and-core).
 */
import { Result } from "effect"
import { isFabricType } from "../domain/Device.ts"
import { isHostname } from "../domain/Network.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { linksByPort, type NamedVariables } from "./AccessVariables.ts"
import { fabricIdentity, type FabricIdentity } from "./AutonomousSystem.ts"
import { fabricInterfaces, type FabricLink, type FabricPorts, misplacedLinks } from "./FabricInterfaces.ts"
import { hostPrefixLength } from "./GatewayNetwork.ts"
import type { DeviceLink, Neighbour, SiteInputs, VariableInputs } from "./VariableInputs.ts"

const withIdentity = (link: DeviceLink): Result.Result<FabricLink, string> =>
  Result.map(fabricIdentity(link.peer), (identity) => ({ link, identity }))

const bgpPeer = ({ identity, link }: FabricLink) => ({
  peer_hostname: link.peer.hostname,
  peer_infra_lo: identity.infraIp,
  peer_ip: link.peerIp,
  peer_asn: identity.asn
})

const evpnPeer = (peer: Neighbour) =>
  Result.map(fabricIdentity(peer), ({ asn, infraIp }) => ({
    peer_hostname: peer.hostname,
    peer_infra_lo: infraIp,
    peer_asn: asn
  }))

/** The peers that the settings name and that exist, else all core switches; never the device itself. */
const evpnPeersOf = ({ device, settings }: VariableInputs, { coreDevices, evpnPeers }: SiteInputs) => {
  const known = settings.evpn_peers.flatMap(({ hostname }) => evpnPeers.get(hostname) ?? [])
  return (known.length > 0 ? known : coreDevices).filter(({ id }) => id !== device.id)
}

const nameWarnings = ({ settings }: VariableInputs): ReadonlyArray<string> =>
  settings.evpn_peers
    .filter(({ hostname }) => !isHostname(hostname))
    .map(({ hostname }) => `EVPN peer ${JSON.stringify(hostname.slice(0, 100))} is not a valid hostname`)

const ownAddress = ({ device_a_id, device_a_ip, device_b_ip }: MgmtDomain, id: number): string | null =>
  device_a_id === id ? device_a_ip : device_b_ip

/** `ipv4_ip` is a text even when there is no address, as templates compare it with the word. */
const NO_ADDRESS = "None"

const domainVariable = (domain: MgmtDomain, deviceId: number) => {
  const { description, esi_mac, id, ipv4_gw, ipv6_gw, vlan } = domain
  return { id, ipv4_gw, ipv6_gw, vlan, description, esi_mac, ipv4_ip: ownAddress(domain, deviceId) ?? NO_ADDRESS }
}

const domainsOf = ({ device, init }: VariableInputs, { mgmtDomains }: SiteInputs) =>
  init === undefined
    ? mgmtDomains
        .filter(({ device_a_id, device_b_id }) => device_a_id === device.id || device_b_id === device.id)
        .map((domain) => domainVariable(domain, device.id))
    : []

const ownIdentity = ({ device, init }: VariableInputs): Result.Result<FabricIdentity, string> => {
  if (init === undefined) return fabricIdentity(device)
  const infraIp = init.addresses["infra_ip"]
  return fabricIdentity({ hostname: init.hostname, infra_ip: typeof infraIp === "string" ? infraIp : null })
}

const addressVariables = (
  mgmtIp: string,
  { asn, infraIp }: FabricIdentity,
  init: VariableInputs["init"]
): NamedVariables => [
  ["asn", asn],
  ["mgmt_ipif", `${mgmtIp}/${hostPrefixLength(mgmtIp)}`],
  ["mgmt_prefixlen", hostPrefixLength(mgmtIp)],
  ["infra_ipif", `${infraIp}/${hostPrefixLength(infraIp)}`],
  ["infra_ip", infraIp],
  ...Object.entries(init?.addresses ?? {})
]

/**
 * The variables of a DIST or CORE device beyond those of all types. Fails with a sentence when the device or a neighbour has
 * no infra address, or an interface cannot be mirrored.
 */
export const fabricVariables = (
  inputs: VariableInputs,
  site: SiteInputs,
  mgmtIp: string
): Result.Result<{ readonly named: NamedVariables; readonly warnings: ReadonlyArray<string> }, string> =>
  Result.gen(function* () {
    const { device, init, links, mirrorSource = null, settings } = inputs
    const own = yield* ownIdentity(inputs)
    const fabricLinks = yield* Result.all(links.filter(({ peer }) => isFabricType(peer.device_type)).map(withIdentity))
    const evpnPeers = yield* Result.all(evpnPeersOf(inputs, site).map(evpnPeer))
    const ports: FabricPorts = {
      interfaces: settings.interfaces,
      linkAt: linksByPort(links),
      fabricLinkAt: new Map(fabricLinks.toReversed().map((one) => [one.link.port, one])),
      mirrorSource
    }
    const named: NamedVariables = [
      ["mgmt_ip", mgmtIp],
      ["bgp_ipv4_peers", fabricLinks.map(bgpPeer)],
      ["bgp_evpn_peers", evpnPeers],
      ["mgmtdomains", domainsOf(inputs, site)],
      ...addressVariables(mgmtIp, own, init),
      ["interfaces", yield* fabricInterfaces(ports)]
    ]
    const warnings = [...nameWarnings(inputs), ...misplacedLinks(init?.hostname ?? device.hostname, ports)]
    return { named, warnings }
  })
