/**
 * Checks that a switch is cabled as its type requires (docs/provisioning.md#neighbour-checks): access switches below one or two
 * uplinks, fabric devices between devices of the opposite type, and all neighbours in a reliable state.
 */
import { Result } from "effect"
import type { Device } from "../domain/Device.ts"
import type { ReportedLink } from "./Links.ts"
import {
  collect,
  DeviceError,
  DeviceStateError,
  DeviceSyncError,
  InitVerificationError,
  MgmtDomainNotFound,
  NeighborError,
  orProblems,
  quotedList
} from "./ProvisioningErrors.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { containsAddress, parseNetwork } from "../domain/Network.ts"

// Finding the management domain that an access switch belongs to, from the devices above it
// (docs/provisioning.md#choice-of-the-management-domain).

/** A device at the far end of an uplink. */
type UplinkDevice = Pick<Device, "id" | "hostname" | "device_type" | "management_ip">

/** The domains and devices to choose from. */
interface DomainChoice {
  readonly domains: ReadonlyArray<MgmtDomain>
  /** Ids of all devices of type CORE. */
  readonly coreDevices: ReadonlySet<number>
}

type Choice = Result.Result<MgmtDomain, MgmtDomainNotFound>

const refuse = (message: string): Choice => Result.fail(new MgmtDomainNotFound({ message }))

const lowestId = (domains: ReadonlyArray<MgmtDomain>): MgmtDomain | undefined =>
  domains.toSorted((a, b) => a.id - b.id)[0]

const hasMember = (domain: MgmtDomain, id: number): boolean => domain.device_a_id === id || domain.device_b_id === id

const hasMembers = (domain: MgmtDomain, a: number, b: number): boolean =>
  (domain.device_a_id === a && domain.device_b_id === b) || (domain.device_a_id === b && domain.device_b_id === a)

/** The management domain whose gateway network, of either family, holds this address; the lowest id when several do. */
export const domainOfAddress = (domains: ReadonlyArray<MgmtDomain>, address: string | null): MgmtDomain | undefined =>
  address === null
    ? undefined
    : lowestId(
        domains.filter(({ ipv4_gw, ipv6_gw }) =>
          [ipv4_gw, ipv6_gw].some((gateway) =>
            gateway === null
              ? false
              : Result.match(parseNetwork(gateway), {
                  onFailure: () => false,
                  onSuccess: (network) => containsAddress(network, address)
                })
          )
        )
      )

const nothingFits = (uplinks: ReadonlyArray<UplinkDevice>): Choice =>
  refuse(
    `Could not find appropriate management domain for uplink peer devices: ${quotedList(uplinks.map(({ hostname }) => hostname))}`
  )

const belowOne = (uplink: UplinkDevice, { domains }: DomainChoice): Choice => {
  if (uplink.device_type === "DIST") {
    const domain = lowestId(domains.filter((candidate) => hasMember(candidate, uplink.id)))
    return domain === undefined
      ? refuse(`No mgmtdomain found for uplink device: ${uplink.hostname}`)
      : Result.succeed(domain)
  }
  if (uplink.device_type !== "ACCESS") return refuse(`Unexpected uplink device type: ${uplink.device_type}`)
  const domain = domainOfAddress(domains, uplink.management_ip)
  return domain === undefined ? nothingFits([uplink]) : Result.succeed(domain)
}

const belowTwoDist = (a: UplinkDevice, b: UplinkDevice, { coreDevices, domains }: DomainChoice): Choice => {
  const pair = lowestId(domains.filter((domain) => hasMembers(domain, a.id, b.id)))
  if (pair !== undefined) return Result.succeed(pair)
  const ofCore = domains.filter(
    ({ device_a_id, device_b_id }) => coreDevices.has(device_a_id) || coreDevices.has(device_b_id)
  )
  const [only, another] = ofCore
  if (only === undefined) return nothingFits([a, b])
  return another === undefined
    ? Result.succeed(only)
    : refuse("Found multiple possible mgmtdomains, please remove any redundant mgmtdomains")
}

const belowTwoAccess = (a: UplinkDevice, b: UplinkDevice, { domains }: DomainChoice): Choice => {
  const [ofA, ofB] = [a, b].map(({ management_ip }) => domainOfAddress(domains, management_ip))
  const hostnames = `${a.hostname}, ${b.hostname}`
  if (ofA === undefined || ofB === undefined)
    return refuse(`Uplink access devices are missing mgmtdomains: ${hostnames}`)
  return ofA.id === ofB.id
    ? Result.succeed(ofA)
    : refuse(`Uplink access devices have different mgmtdomains: ${hostnames}`)
}

/**
 * The management domain below these uplinks, one entry per uplink link. When several domains fit equally the one with the
 * lowest id is taken. Fails with MgmtDomainNotFound.
 */
export const findMgmtDomain = (uplinks: ReadonlyArray<UplinkDevice>, choice: DomainChoice): Choice => {
  const [a, b] = uplinks
  if (a === undefined || uplinks.length > 2) {
    const list = quotedList(uplinks.map(({ hostname }) => hostname))
    return refuse(`One or two uplink devices are required to find a compatible mgmtdomain, got: ${list}`)
  }
  if (b === undefined) return belowOne(a, choice)
  if (a.device_type !== b.device_type) {
    return refuse(`Both uplink devices must be of same device type: ${a.hostname}, ${b.hostname}`)
  }
  if (a.device_type === "DIST") return belowTwoDist(a, b, choice)
  if (a.device_type === "ACCESS") return belowTwoAccess(a, b, choice)
  return refuse(`Unexpected uplink device type: ${a.device_type}`)
}

/** A neighbour in the database. */
type Neighbour = Pick<Device, "id" | "hostname" | "device_type" | "management_ip" | "state" | "synchronized">

/** The switch to be checked, under its present hostname. */
interface CheckedDevice {
  readonly id: number
  readonly hostname: string
}

interface NeighbourSurvey {
  readonly device: CheckedDevice
  readonly links: ReadonlyArray<ReportedLink>
  /** Devices at the far ends, by hostname. */
  readonly devices: ReadonlyMap<string, Neighbour>
  /** The neighbours in the request: a list of hostnames, an empty list for "do not check", null for "find out". */
  readonly neighbors: ReadonlyArray<string> | null
}

interface AccessSurvey extends NeighbourSurvey {
  /** The other switch of an MLAG pair; links of both are then in `links`. */
  readonly mlagPeer: CheckedDevice | null
}

/** Cables without configured ports, so that their required redundancy is unknown. Default none. */
interface WithRefused {
  readonly refused?: ReadonlyArray<ReportedLink>
}

/** One hostname per link, so a neighbour with two links is listed twice. `uplinks` are those above an access switch. */
export interface VerifiedNeighbours {
  readonly neighbors: ReadonlyArray<string>
  readonly uplinks: ReadonlyArray<Neighbour>
}

type NeighbourCheckError = InitVerificationError | NeighborError

/** The neighbours, with all problems. */
interface NeighbourFindings extends VerifiedNeighbours {
  readonly problems: ReadonlyArray<NeighbourCheckError>
}

const NOT_CHECKED: NeighbourFindings = { neighbors: [], uplinks: [], problems: [] }

const verification = (message: string) => new InitVerificationError({ message })

const found = (...problems: ReadonlyArray<NeighbourCheckError>): NeighbourFindings => ({ ...NOT_CHECKED, problems })

/** The neighbours without problems, or all problems as one error. */
const verified = ({ neighbors, problems, uplinks }: NeighbourFindings) =>
  orProblems<VerifiedNeighbours, NeighbourCheckError>({ neighbors, uplinks }, problems, verification)

interface FarEnd {
  readonly link: ReportedLink
  readonly device: Neighbour
}

/** The far ends of all links of the devices in `own`; links of a device to itself do not count. */
const farEnds = ({ devices, links, refused = [] }: NeighbourSurvey & WithRefused, own: ReadonlyArray<string>) =>
  collect<FarEnd, NeighbourCheckError>(
    [...links, ...refused]
      .filter((link) => link.device_a_hostname !== link.device_b_hostname)
      .map((link) => {
        const near = own.find((name) => name === link.device_a_hostname || name === link.device_b_hostname)
        if (near === undefined) return Result.fail(verification("Own hostname not found in linknet"))
        const far = near === link.device_a_hostname ? link.device_b_hostname : link.device_a_hostname
        const device = devices.get(far)
        return device === undefined
          ? Result.fail(new NeighborError({ message: `Neighbor device ${far} not found in database` }))
          : Result.succeed({ link, device })
      })
  )

const noLinks = ({ links, refused = [] }: NeighbourSurvey & WithRefused): boolean => links.length + refused.length === 0

const withoutLinks = found(verification("No linknets were specified to check_neighbors"))

/** One uplink without a twin, or two twins; `clear` are the uplinks whose redundancy is known. */
const uplinksFit = (count: number, clear: number, redundant: number): boolean =>
  count === 1 ? redundant === 0 : count === 2 && redundant === clear

/** As `checkAccessNeighbours`, but yields all problems in addition to the neighbours. */
const accessNeighbours = (survey: AccessSurvey & WithRefused): NeighbourFindings => {
  const { device, mlagPeer, neighbors, refused = [] } = survey
  if (neighbors?.length === 0) return NOT_CHECKED
  if (noLinks(survey)) return withoutLinks
  const own = mlagPeer === null ? [device.hostname] : [device.hostname, mlagPeer.hostname]
  const ends = farEnds(survey, own)
  if (ends.problems.length > 0) return found(...ends.problems)
  const uplinks = ends.values.filter(
    ({ device: far }) => (far.device_type === "ACCESS" || far.device_type === "DIST") && !own.includes(far.hostname)
  )
  const clear = uplinks.filter(({ link }) => !refused.includes(link))
  const redundant = clear.filter(({ link }) => link.redundant_link).length
  const who = `${device.id} (${device.hostname})`
  const problems: Array<NeighbourCheckError> = []
  if (uplinks.length === 0) problems.push(verification(`No uplink neighbors found for device id: ${who}`))
  else if (!uplinksFit(uplinks.length, clear.length, redundant)) {
    const list = quotedList(uplinks.map(({ device: far }) => far.hostname))
    problems.push(
      verification(
        `Incompatible uplink neighbors found for device id ${who}: ${list} - ${redundant} has redundancy required ("redundant_link" setting)`
      )
    )
  }
  const peerLinks = ends.values.filter(({ device: far }) => own.includes(far.hostname)).length
  if (mlagPeer !== null && peerLinks < 2) {
    problems.push(verification(`MLAG requires at least two MLAG peer links, ${peerLinks} found for device id ${who}`))
  }
  return {
    neighbors: ends.values.map(({ device: far }) => far.hostname),
    uplinks: uplinks.map(({ device: far }) => far),
    problems
  }
}

/**
 * Checks an access switch: exactly one uplink link whose far end is marked as not redundant, or exactly two that both are part of a
 * redundant pair; with an MLAG peer at least two links to it. `findMgmtDomain` finds the management domain from the returned
 * uplinks.
 */
export const checkAccessNeighbours = (survey: AccessSurvey): Result.Result<VerifiedNeighbours, NeighbourCheckError> =>
  verified(accessNeighbours(survey))

const OPPOSITE = { CORE: "DIST", DIST: "CORE" } as const

/** The number of links to devices of the opposite type that a fabric device needs if the request names no neighbours. */
const FABRIC_NEIGHBOURS = 2

/** As `checkFabricNeighbours`, but yields the neighbours in addition to the problems. */
export const fabricNeighbours = (survey: NeighbourSurvey & WithRefused, type: "CORE" | "DIST"): NeighbourFindings => {
  const { device, neighbors } = survey
  if (neighbors?.length === 0) return NOT_CHECKED
  if (noLinks(survey)) return withoutLinks
  const ends = farEnds(survey, [device.hostname])
  if (ends.problems.length > 0) return found(...ends.problems)
  const far = ends.values.map(({ device: neighbour }) => neighbour)
  const fitting = far.filter(({ device_type, hostname }) =>
    neighbors === null ? device_type === OPPOSITE[type] : neighbors.includes(hostname)
  )
  const isSeen = (name: string) => fitting.some(({ hostname }) => hostname === name)
  const problem =
    neighbors !== null && !neighbors.every(isSeen)
      ? "Not all expected neighbors were detected"
      : neighbors === null && fitting.length < FABRIC_NEIGHBOURS
        ? `Not enough compatible neighbors (${fitting.length} of ${FABRIC_NEIGHBOURS}) were detected`
        : null
  return {
    neighbors: fitting.map(({ hostname }) => hostname),
    uplinks: [],
    problems: problem === null ? [] : [verification(problem)]
  }
}

/**
 * Checks a fabric device: every neighbour that the request names is seen, or, when it names none, at least two links lead
 * to devices of the opposite type.
 */
export const checkFabricNeighbours = (
  survey: NeighbourSurvey,
  type: "CORE" | "DIST"
): Result.Result<VerifiedNeighbours, NeighbourCheckError> => verified(fabricNeighbours(survey, type))

/** Neighbours whose running configuration must then be compared with its stored hash, and warnings. */
interface NeighbourStates {
  readonly toHashCheck: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<DeviceSyncError>
}

type StateProblem = DeviceError | DeviceStateError | DeviceSyncError

const stateProblem = (
  hostname: string,
  device: Pick<Device, "state" | "synchronized"> | undefined
): StateProblem | null => {
  if (device === undefined) return new DeviceError({ message: `Neighbor device ${hostname} not found` })
  if (device.state !== "MANAGED") {
    return new DeviceStateError({ message: `Neighbor device ${hostname} not in state MANAGED` })
  }
  return device.synchronized ? null : new DeviceSyncError({ message: `Neighbor device ${hostname} not synchronized` })
}

/** As `checkNeighbourStates`, but yields all problems. */
export const neighbourStates = (
  hostnames: ReadonlyArray<string>,
  devices: ReadonlyMap<string, Pick<Device, "state" | "synchronized">>,
  forType: "ACCESS" | "CORE" | "DIST"
): NeighbourStates & { readonly problems: ReadonlyArray<StateProblem> } => {
  const distinct = [...new Set(hostnames)]
  const all = distinct.flatMap((hostname) => stateProblem(hostname, devices.get(hostname)) ?? [])
  const late = all.filter((problem) => problem._tag === "DeviceSyncError")
  return {
    toHashCheck: distinct.filter((hostname) => devices.get(hostname)?.state === "MANAGED"),
    warnings: forType === "ACCESS" ? late : [],
    problems: forType === "ACCESS" ? all.filter((problem) => problem._tag !== "DeviceSyncError") : all
  }
}

/**
 * Checks that the neighbours are reliable: each exists and is MANAGED and synchronized. For an access switch, a neighbour that
 * waits for a sync is only a warning. `hostnames` may repeat a name.
 */
export const checkNeighbourStates = (
  hostnames: ReadonlyArray<string>,
  devices: ReadonlyMap<string, Pick<Device, "state" | "synchronized">>,
  forType: "ACCESS" | "CORE" | "DIST"
): Result.Result<NeighbourStates, StateProblem> => {
  const { problems, ...states } = neighbourStates(hostnames, devices, forType)
  return orProblems<NeighbourStates, StateProblem>(states, problems, (message) => new DeviceStateError({ message }))
}

// The place of an access switch in the network: its neighbours are valid and a management domain belongs to its uplinks
// (docs/provisioning.md#neighbour-checks and docs/provisioning.md#choice-of-the-management-domain). The same rule serves
// device_initcheck and step 1 of the initialisation.

export interface AccessPlacement extends VerifiedNeighbours {
  /** Null when the request switched the checks off with an empty list of neighbours. */
  readonly domain: MgmtDomain | null
}

/** A place, with all its problems. */
interface PlacementFindings extends AccessPlacement {
  readonly problems: ReadonlyArray<NeighbourCheckError>
}

const MOST_UPLINKS = 2

/** As `placeAccessSwitch`, but yields all problems of the place. */
export const findAccessPlace = (survey: AccessSurvey & WithRefused, choice: DomainChoice): PlacementFindings => {
  const found = accessNeighbours(survey)
  const { length } = found.uplinks
  // with none or too many uplinks a missing domain would only repeat the problem
  if (length === 0 || length > MOST_UPLINKS) return { ...found, domain: null }
  return Result.match(findMgmtDomain(found.uplinks, choice), {
    onSuccess: (domain) => ({ ...found, domain }),
    onFailure: ({ message }) => ({
      ...found,
      domain: null,
      problems: [...found.problems, new InitVerificationError({ message })]
    })
  })
}

/** Checks the neighbours and finds the management domain. A missing domain is an InitVerificationError with its own text. */
export const placeAccessSwitch = (
  survey: AccessSurvey,
  choice: DomainChoice
): Result.Result<AccessPlacement, NeighbourCheckError> => {
  const { problems, ...place } = findAccessPlace(survey, choice)
  return orProblems<AccessPlacement, NeighbourCheckError>(
    place,
    problems,
    (message) => new InitVerificationError({ message })
  )
}
