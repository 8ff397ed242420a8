/**
 * The variables that only distribution and core switches have: addresses, BGP and EVPN peers
 * (docs/templates.md#variables-of-dist-and-core).
 */
import { Result } from "effect"
import { isFabricType } from "../domain/Device.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { hostPrefixLength, linksByPort, type NamedVariables } from "./AccessVariables.ts"
import type { DeviceLink, MirrorSource, Neighbour, SiteInputs, VariableInputs } from "./VariableInputs.ts"
import { NetAddress } from "effect/net"
import { indexNumber } from "../domain/Interface.ts"
import { expandInterfaces, type SettingsInterface } from "../settings/SettingsModel.ts"
import { isHostname } from "../domain/Network.ts"

// The variable `interfaces` of distribution and core switches, one rule for each interface class
// (docs/templates.md#variables-of-dist-and-core).

/** A link to another fabric device, with the identity of that device. */
interface FabricLink {
  readonly link: DeviceLink
  readonly identity: FabricIdentity
}

/** The input for the interfaces of one device. */
interface FabricPorts {
  readonly interfaces: ReadonlyArray<SettingsInterface>
  /** All links by the port of this device, and those to other fabric devices. */
  readonly linkAt: ReadonlyMap<string, DeviceLink>
  readonly fabricLinkAt: ReadonlyMap<string, FabricLink>
  readonly mirrorSource: MirrorSource | null
}

type Port = Readonly<Record<string, unknown>>
type PortOrFault = Result.Result<Port, string>

const extraOf = ({ aggregate_id, cli_append_str, enabled, metric, mtu, tags }: SettingsInterface): Port => ({
  aggregate_id,
  enabled,
  cli_append_str,
  metric,
  mtu,
  tags
})

const downlink = (entry: SettingsInterface, { linkAt }: FabricPorts): Port => {
  const { ifclass, name, redundant_link } = entry
  const link = linkAt.get(name)
  const data = link === undefined ? {} : { description: link.peer.hostname }
  return { name, ifclass, redundant_link, indexnum: indexNumber(name), data, ...extraOf(entry) }
}

const prefixLengthOf = ({ linknet: { ipv4_network: network } }: DeviceLink): string =>
  network === null ? "31" : (network.split("/")[1] ?? "31")

const connected = (entry: SettingsInterface, { identity, link }: FabricLink): Port => ({
  name: entry.name,
  ifclass: entry.ifclass,
  ipv4if: link.ip === null ? null : `${link.ip}/${prefixLengthOf(link)}`,
  peer_hostname: link.peer.hostname,
  peer_infra_lo: identity.infraIp,
  peer_ip: link.peerIp,
  peer_asn: identity.asn,
  indexnum: indexNumber(entry.name),
  ...extraOf(entry)
})

/** The name of a fabric port without a neighbour, for which templates prepare it for a switch to provision. */
const NO_PEER = "ztp"

const waiting = ({ ifclass, name }: SettingsInterface): Port => ({
  name,
  ifclass,
  indexnum: indexNumber(name),
  ipv4if: null,
  peer_hostname: NO_PEER,
  peer_infra_lo: null,
  peer_ip: null,
  peer_asn: null
})

const complete = (entry: SettingsInterface): Port => ({ indexnum: indexNumber(entry.name), ...entry })

const custom = ({ config, ifclass, name }: SettingsInterface): Port => ({
  name,
  ifclass,
  config,
  indexnum: indexNumber(name)
})

const NOT_MIRRORED = new Set(["fabric", "downlink", "mirror"])

const mirror = (entry: SettingsInterface, source: MirrorSource | null): PortOrFault => {
  const { description, enabled, name } = entry
  if (source === null) return Result.fail(`Cannot mirror interface ${name}: no other device in the management domain`)
  const original = expandInterfaces(source.interfaces).findLast((other) => other.name === name)
  if (original === undefined) {
    return Result.fail(`Cannot mirror interface ${name}: not configured on device ${source.hostname}`)
  }
  if (NOT_MIRRORED.has(original.ifclass)) return Result.fail(`Cannot mirror ${original.ifclass} interface`)
  return Result.succeed({
    ...original,
    indexnum: indexNumber(name),
    ...(description === null ? {} : { description }),
    ...(enabled === null ? {} : { enabled })
  })
}

const portOf = (entry: SettingsInterface, ports: FabricPorts): PortOrFault => {
  switch (entry.ifclass) {
    case "downlink":
      return Result.succeed(downlink(entry, ports))
    case "fabric": {
      const link = ports.fabricLinkAt.get(entry.name)
      return Result.succeed(link === undefined ? waiting(entry) : connected(entry, link))
    }
    case "custom":
      return Result.succeed(custom(entry))
    case "mirror":
      return mirror(entry, ports.mirrorSource)
    default:
      return Result.succeed(complete(entry))
  }
}

/** Entries of the variable, ranges expanded, in the order of the settings. Fails with a sentence about a mirror. */
const fabricInterfaces = (ports: FabricPorts): Result.Result<ReadonlyArray<Port>, string> =>
  Result.all(expandInterfaces(ports.interfaces).map((entry) => portOf(entry, ports)))

/** Remarks about links to fabric devices on ports that the settings do not call fabric. */
const misplacedLinks = (hostname: string, ports: FabricPorts): ReadonlyArray<string> => {
  const ofFabric = new Set(
    expandInterfaces(ports.interfaces).flatMap(({ ifclass, name }) => (ifclass === "fabric" ? [name] : []))
  )
  return [...ports.fabricLinkAt.keys()]
    .filter((port) => !ofFabric.has(port))
    .map((port) => `Interface ${port} on device ${hostname} not configured as linknet because of wrong ifclass`)
}

// AS numbers of fabric devices (docs/templates.md#variables-of-dist-and-core).

/** First of the private 32-bit AS numbers. */
const FIRST_PRIVATE = 4_200_000_000

/** Infra address and AS number of a fabric device. */
interface FabricIdentity {
  readonly infraIp: string
  readonly asn: number
}

/**
 * The AS number for an infra address: 4200000000 plus its third octet times 256 plus its fourth. Fails with a sentence if the device has no
 * such address.
 */
const fabricIdentity = ({
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

/** The existing peers that the settings name, or else all core switches; never the device itself. */
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

/** `ipv4_ip` is a text even without an address, because templates compare it with the word. */
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
 * The variables of a DIST or CORE device beyond those of all types. Fails with a sentence if the device or a neighbour has no infra
 * address, or an interface cannot be mirrored.
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
