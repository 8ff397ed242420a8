/**
 * The variable `interfaces` of distribution and core switches, one rule for each interface class
 * (docs/templates.md#variables-of-dist-and-core).
 */
import { Result } from "effect"
import { indexNumber } from "../domain/Interface.ts"
import { expandInterfaces } from "../settings/InterfaceRange.ts"
import type { SettingsInterface } from "../settings/SettingsModel.ts"
import type { FabricIdentity } from "./AutonomousSystem.ts"
import type { DeviceLink, MirrorSource } from "./VariableInputs.ts"

/** A link to another fabric device, with the identity of that device. */
export interface FabricLink {
  readonly link: DeviceLink
  readonly identity: FabricIdentity
}

/** What the interfaces of one device depend on. */
export interface FabricPorts {
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

/** What a fabric port without a neighbour is called, so that templates prepare it for one that will be provisioned. */
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
export const fabricInterfaces = (ports: FabricPorts): Result.Result<ReadonlyArray<Port>, string> =>
  Result.all(expandInterfaces(ports.interfaces).map((entry) => portOf(entry, ports)))

/** Remarks about links to fabric devices on ports that the settings do not call fabric. */
export const misplacedLinks = (hostname: string, ports: FabricPorts): ReadonlyArray<string> => {
  const ofFabric = new Set(
    expandInterfaces(ports.interfaces).flatMap(({ ifclass, name }) => (ifclass === "fabric" ? [name] : []))
  )
  return [...ports.fabricLinkAt.keys()]
    .filter((port) => !ofFabric.has(port))
    .map((port) => `Interface ${port} on device ${hostname} not configured as linknet because of wrong ifclass`)
}
