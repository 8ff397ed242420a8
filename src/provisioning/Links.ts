/**
 * Derives the cables of a switch from its LLDP neighbours (docs/provisioning.md#links-from-lldp). The result is a plan: links that
 * are stored already, links to delete because the cable was moved, links to add. A dry run shows the plan, a live run carries it
 * out; both come from the same computation.
 */
import { Result } from "effect"
import { type Device, type DeviceType, isFabricType } from "../domain/Device.ts"
import { type Linknet, type NewLinknet, touches } from "../domain/Linknet.ts"
import { formatAddress, formatNetwork, InvalidNetwork, type Network, parseNetwork } from "../domain/Network.ts"
import { freeSubnets } from "./Addresses.ts"
import { collect, InterfaceError, NoFreeAddress, orProblems } from "./ProvisioningErrors.ts"
import type { Interface } from "../domain/Interface.ts"

// The ports in the settings of a fabric device, and the rules for cables between ports (docs/provisioning.md#port-rules).
// "Configured" means: there is an entry for that interface name, ranges expanded.

/** One entry of `interfaces` in the settings; `name` may hold ranges such as `Ethernet[49-52]/1`. */
interface PortSetting {
  readonly name: string
  readonly ifclass: string
  readonly redundant_link?: boolean | null
}

export type ConfiguredPorts = ReadonlyMap<string, PortSetting>

/** One end of a cable: its device, the (future) type of that device, and its configured ports. */
interface PortOwner {
  readonly hostname: string
  readonly device_type: DeviceType
  readonly ports: ConfiguredPorts
}

export interface PeerPortOwner extends PortOwner {
  /** Rows of the interface database; used for access switches. */
  readonly interfaces: ReadonlyArray<Interface>
}

/** The most names that a range of the settings may expand to. */
const MAX_PORTS = 4_096

const RANGE = /\[(\d+)(?:-(\d+))?\]/

/**
 * The names behind a range, in order: `Ethernet[1-2]/[1-2]` → 1/1, 1/2, 2/1, 2/2. A name without brackets is its own range; a
 * descending range yields nothing; brackets around anything but digits stay in the name.
 */
export const expandInterfaceRange = (name: string): ReadonlyArray<string> => {
  const match = RANGE.exec(name)
  if (match === null) return [name]
  const [brackets, low, high] = match
  const before = name.slice(0, match.index)
  const rest = expandInterfaceRange(name.slice(match.index + brackets.length))
  const start = Number(low)
  const bound = rest.length === 0 ? 0 : Math.ceil(MAX_PORTS / rest.length)
  const length = Math.max(0, Math.min(Number(high ?? low) - start + 1, bound))
  return Array.from({ length }, (_, index) => `${before}${start + index}`)
    .flatMap((prefix) => rest.map((suffix) => `${prefix}${suffix}`))
    .slice(0, MAX_PORTS)
}

/** The settings of every port by its name. The last entry for a name wins. */
export const configuredPorts = (settings: ReadonlyArray<PortSetting>): ConfiguredPorts =>
  new Map(settings.flatMap((setting) => expandInterfaceRange(setting.name).map((name) => [name, setting] as const)))

const refuse = (message: string) => Result.fail(new InterfaceError({ message }))

const accessBelowAccess = (remote: PeerPortOwner, port: string): Result.Result<boolean, InterfaceError> => {
  const row = remote.interfaces.find(({ name }) => name === port)
  if (row === undefined) return refuse(`Peer device interface not found in database: ${remote.hostname} ${port}`)
  if (row.configtype !== "ACCESS_DOWNLINK" && row.configtype !== "MLAG_PEER") {
    return refuse(`Peer device interface not configured as ACCESS_DOWNLINK: ${remote.hostname} ${port}`)
  }
  return Result.succeed(row.data?.["redundant_link"] !== false)
}

/**
 * Whether a cable between these two ports may be a link, and whether it must be one of a redundant pair. The local device
 * counts as the type that it is about to become. Fails with InterfaceError.
 */
export const redundantLink = (
  local: PortOwner,
  localPort: string,
  remote: PeerPortOwner,
  remotePort: string
): Result.Result<boolean, InterfaceError> => {
  const here = local.ports.get(localPort)
  const there = remote.ports.get(remotePort)
  const fabricHere = isFabricType(local.device_type)
  const fabricThere = isFabricType(remote.device_type)
  if (fabricThere && there === undefined) {
    return refuse(`Peer device interface is not configured: ${remote.hostname} ${remotePort}`)
  }
  if (fabricHere && here === undefined) {
    return refuse(`Local device interface is not configured: ${local.hostname} ${localPort}`)
  }
  if (fabricHere && fabricThere) {
    const wrong = here?.ifclass !== "fabric" ? "Local" : there?.ifclass !== "fabric" ? "Peer" : null
    if (wrong === null) return Result.succeed(true)
    const end = wrong === "Local" ? `${local.hostname} ${localPort}` : `${remote.hostname} ${remotePort}`
    const ifclass = (wrong === "Local" ? here : there)?.ifclass
    return refuse(`${wrong} device interface is not configured as fabric: ${end} ifclass: ${ifclass}`)
  }
  if (local.device_type !== "ACCESS") return Result.succeed(true)
  if (remote.device_type === "ACCESS") return accessBelowAccess(remote, remotePort)
  if (remote.device_type !== "DIST") return Result.succeed(true)
  if (there?.ifclass !== "downlink") {
    const end = `${remote.hostname} ${remotePort}`
    return refuse(`Peer device interface is not configured as downlink: ${end} ifclass: ${there?.ifclass}`)
  }
  return Result.succeed(there.redundant_link !== false)
}

/**
 * The LLDP neighbours of one port, nearest first. Announced names, short or fully qualified; empty if the switch announces none.
 */
interface LldpNeighbour {
  readonly hostname: string
  readonly port: string
}
export type LldpTable = Readonly<Record<string, ReadonlyArray<LldpNeighbour>>>

/** The columns of a device from which links are derived. */
type LinkDevice = Pick<Device, "id" | "hostname" | "platform" | "state" | "device_type">

/** A neighbour in the database, and the end of the cable. Port names are in their long form. */
interface SeenPeer {
  readonly localPort: string
  readonly peer: LinkDevice
  readonly peerPort: string
}

/** A link as device_initcheck reports it. */
export interface ReportedLink extends NewLinknet {
  /** Only of links that are stored. */
  readonly id?: number
  readonly device_a_hostname: string
  readonly device_b_hostname: string
  /** Whether the link must be one of two. True for stored links whose ports were not checked. */
  readonly redundant_link: boolean
}

export interface LinkPlan {
  /** Every link of the device that is plugged in now, in the order of the LLDP table. */
  readonly links: ReadonlyArray<ReportedLink>
  readonly add: ReadonlyArray<NewLinknet>
  readonly remove: ReadonlyArray<Linknet>
}

/** The problems of links. */
type LinkProblem = InterfaceError | NoFreeAddress | InvalidNetwork

/** The plan of all possible links, and the problems of the other cables. */
export interface LinkFindings {
  readonly plan: LinkPlan
  /** Cables that cannot be links with the present configuration of their ports; their required redundancy is unknown. */
  readonly refused: ReadonlyArray<ReportedLink>
  readonly problems: ReadonlyArray<LinkProblem>
}

/**
 * Hostnames under which an announced name may be stored: as announced, then without its domain. Ask the database for these.
 */
export const storedNames = (announced: string): ReadonlyArray<string> => {
  const name = announced.endsWith(".") ? announced.slice(0, -1) : announced
  const short = name.split(".", 1)[0] ?? name
  return short === name ? [name] : [name, short]
}

/**
 * The neighbours that are in the database: one per local port, MANAGED or UNMANAGED, or the MLAG peer in any state.
 * `longName` expands a port name for a platform; `devices` are by hostname.
 */
export const seenPeers = (
  lldp: LldpTable,
  devices: ReadonlyMap<string, LinkDevice>,
  mlagPeerId: number | null,
  longName: (platform: string, port: string) => string
): ReadonlyArray<SeenPeer> =>
  heardPeers(lldp, devices, mlagPeerId).flatMap(({ localPort, peer, port }) =>
    port === "" ? [] : [{ localPort, peer, peerPort: longName(peer.platform ?? "", port) }]
  )

/** Neighbours that could be peers, if LLDP named their port. */
export const portlessPeers = (
  lldp: LldpTable,
  devices: ReadonlyMap<string, LinkDevice>,
  mlagPeerId: number | null
): ReadonlyArray<InterfaceError> =>
  heardPeers(lldp, devices, mlagPeerId).flatMap(({ localPort, peer, port }) => {
    const message = `Interface ${localPort} hears ${peer.hostname}, but not on which port of it: LLDP gives no neighborPort`
    return port === "" ? [new InterfaceError({ message })] : []
  })

/** The width of the columns; a longer text is no port name. */
const PORT_WIDTH = 64

const heardPeers = (lldp: LldpTable, devices: ReadonlyMap<string, LinkDevice>, mlagPeerId: number | null) =>
  Object.entries(lldp).flatMap(([localPort, [heard]]) => {
    if (heard === undefined) return []
    const name = storedNames(heard.hostname).find((candidate) => devices.has(candidate))
    const peer = name === undefined ? undefined : devices.get(name)
    if (peer === undefined) return []
    const accepted = peer.state === "MANAGED" || peer.state === "UNMANAGED" || peer.id === mlagPeerId
    return accepted ? [{ localPort, peer, port: heard.port.length > PORT_WIDTH ? "" : heard.port }] : []
  })

/** The input of a plan. */
interface LinkSurvey {
  /** The device with its present hostname, and its future `ports` and `device_type`. */
  readonly device: PortOwner & { readonly id: number }
  readonly seen: ReadonlyArray<SeenPeer>
  /** Ports of every peer that is seen, by its id. */
  readonly peers: ReadonlyMap<number, PeerPortOwner>
  /** All links of the database that end at the device or a peer, or that have a network. */
  readonly stored: ReadonlyArray<Linknet>
  /** Networks that are used for other purposes than links. */
  readonly occupied: ReadonlyArray<Pick<NewLinknet, "ipv4_network">>
  /** Settings `underlay.infra_link_net`; null when there is none. */
  readonly infraLinkNet: string | null
}

type End = readonly [device: number, port: string]

/** The networks that links use, in a form for comparing subnets; other texts are omitted. */
const linkNetworks = (links: Iterable<Pick<NewLinknet, "ipv4_network">>): ReadonlyArray<Network> =>
  [...links].flatMap(({ ipv4_network }) =>
    ipv4_network === null
      ? []
      : Result.match(parseNetwork(ipv4_network), { onFailure: () => [], onSuccess: (network) => [network] })
  )

/**
 * The lowest `count` free /31 networks of `infraLinkNet`, none of which overlaps a network in use. Fails with
 * NoFreeAddress when there are fewer, with InvalidNetwork when the setting is missing or no network.
 */
export const freeLinkNetworks = (
  infraLinkNet: string | null,
  used: Iterable<Pick<NewLinknet, "ipv4_network">>,
  count: number
): Result.Result<ReadonlyArray<Network>, NoFreeAddress | InvalidNetwork> => {
  if (count === 0) return Result.succeed([])
  const exhausted = "Device types requires IP linknets, but no prefix could be found"
  if (infraLinkNet === null) return Result.fail(new InvalidNetwork({ message: exhausted }))
  return Result.flatMap(parseNetwork(infraLinkNet), (network) => {
    const free = freeSubnets(network, 31, linkNetworks(used), count)
    return free.length < count ? Result.fail(new NoFreeAddress({ message: exhausted })) : Result.succeed(free)
  })
}

/** The addressing of a link in this /31: the lower address is that of end a. */
export const addressing = (network: Network): Pick<NewLinknet, "ipv4_network" | "device_a_ip" | "device_b_ip"> => ({
  ipv4_network: formatNetwork(network),
  device_a_ip: formatAddress(network.version, network.first),
  device_b_ip: formatAddress(network.version, network.last)
})

interface Cable {
  readonly localPort: string
  readonly peer: PeerPortOwner & { readonly id: number }
  readonly peerPort: string
  readonly redundant: boolean
  readonly stored: Linknet | undefined
}

/** Each port has one cable; a neighbour that several ports see through a hub counts for the first of them. */
const onePerPeerPort = (seen: ReadonlyArray<SeenPeer>): ReadonlyArray<SeenPeer> => {
  const taken = new Set<string>()
  return seen.filter(({ peer, peerPort }) => {
    const end = `${peer.id} ${peerPort}`
    if (taken.has(end)) return false
    taken.add(end)
    return true
  })
}

interface RefusedCable {
  readonly cable: Cable
  readonly error: InterfaceError
}

const checkedCables = ({
  device,
  peers,
  seen,
  stored
}: LinkSurvey): ReadonlyArray<Result.Result<Cable, RefusedCable>> =>
  onePerPeerPort(seen).map(({ localPort, peer, peerPort }) => {
    const owner = peers.get(peer.id) ?? { ...peer, ports: new Map(), interfaces: [] }
    const same = stored.find((link) => touches(link, device.id, localPort) && touches(link, peer.id, peerPort))
    const cable = { localPort, peer: { ...owner, id: peer.id }, peerPort, stored: same }
    return Result.mapBoth(redundantLink(device, localPort, owner, peerPort), {
      onSuccess: (redundant) => ({ ...cable, redundant }),
      onFailure: (error) => ({ cable: { ...cable, redundant: true }, error })
    })
  })

const unaddressed = (device: LinkSurvey["device"], { localPort, peer, peerPort }: Cable): NewLinknet => ({
  description: null,
  device_a_id: device.id,
  device_a_ip: null,
  device_a_port: localPort,
  device_b_id: peer.id,
  device_b_ip: null,
  device_b_port: peerPort,
  ipv4_network: null,
  site_id: null
})

const report = (device: LinkSurvey["device"], cable: Cable, link: Linknet | NewLinknet): ReportedLink => {
  const reversed = link.device_a_id !== device.id
  return {
    ...link,
    device_a_hostname: reversed ? cable.peer.hostname : device.hostname,
    device_b_hostname: reversed ? device.hostname : cable.peer.hostname,
    redundant_link: cable.redundant
  }
}

/** As `planLinks`, but yields all problems in addition to the plan of the possible links. */
export const findLinks = (survey: LinkSurvey): LinkFindings => {
  const { device, infraLinkNet, stored } = survey
  const { problems: refused, values: cables } = collect(checkedCables(survey))
  const ends: ReadonlyArray<End> = cables.flatMap(({ localPort, peer, peerPort }) => [
    [device.id, localPort] as const,
    [peer.id, peerPort] as const
  ])
  const kept = new Set(cables.flatMap((cable) => (cable.stored === undefined ? [] : [cable.stored])))
  const remove = stored.filter((link) => !kept.has(link) && ends.some((end) => touches(link, ...end)))
  const isRouted = (cable: Cable) => isFabricType(device.device_type) && isFabricType(cable.peer.device_type)
  const routed = cables.filter((cable) => cable.stored === undefined && isRouted(cable))
  const staying = stored.filter((link) => !remove.includes(link))
  const free = freeLinkNetworks(infraLinkNet, [...staying, ...survey.occupied], routed.length)
  const networks = Result.getOrElse(free, () => [])
  const fresh = new Map(
    cables
      .filter((cable) => cable.stored === undefined)
      .map((cable) => {
        const network = networks[routed.indexOf(cable)]
        const link = unaddressed(device, cable)
        return [cable, network === undefined ? link : { ...link, ...addressing(network) }] as const
      })
  )
  const links = cables.map((cable) => {
    const link = cable.stored ?? fresh.get(cable) ?? unaddressed(device, cable)
    return report(device, cable, link)
  })
  return {
    plan: { links, add: [...fresh.values()], remove },
    refused: refused.map(({ cable }) => report(device, cable, cable.stored ?? unaddressed(device, cable))),
    problems: [...refused.map(({ error }) => error), ...collect([free]).problems]
  }
}

/** All problems of links as the one error that ends an initialisation. */
export const linkError = <A>(value: A, problems: ReadonlyArray<LinkProblem>): Result.Result<A, LinkProblem> =>
  orProblems(value, problems, (message) => new InterfaceError({ message }))

/**
 * The links that follow from the LLDP neighbours. A cable that is stored, in either direction, is kept unchanged; one that now ends
 * elsewhere replaces the old link. Links between fabric devices get the lowest free /31 networks. Fails with InterfaceError, which
 * names every port without a configuration for its cable.
 */
export const planLinks = (survey: LinkSurvey): Result.Result<LinkPlan, LinkProblem> => {
  const { plan, problems } = findLinks(survey)
  return linkError(plan, problems)
}

const endsKey = (link: ReportedLink): string =>
  [`${link.device_a_hostname}:${link.device_a_port}`, `${link.device_b_hostname}:${link.device_b_port}`]
    .toSorted()
    .join(" ")

/** Links of several sources without repeats: the same two ports in either direction are one link, the first one counts. */
export const joinLinks = (...sources: ReadonlyArray<ReadonlyArray<ReportedLink>>): ReadonlyArray<ReportedLink> => {
  const byEnds = new Map<string, ReportedLink>()
  for (const link of sources.flat()) {
    const key = endsKey(link)
    if (!byEnds.has(key)) byEnds.set(key, link)
  }
  return [...byEnds.values()]
}

/** Stored links for the answer; without links to a device that `hostnames` (by id) does not have. */
export const storedLinks = (
  links: ReadonlyArray<Linknet>,
  hostnames: ReadonlyMap<number, string>
): ReadonlyArray<ReportedLink> =>
  links.flatMap((link) => {
    const device_a_hostname = hostnames.get(link.device_a_id)
    const device_b_hostname = hostnames.get(link.device_b_id)
    if (device_a_hostname === undefined || device_b_hostname === undefined) return []
    return [{ ...link, device_a_hostname, device_b_hostname, redundant_link: true }]
  })
