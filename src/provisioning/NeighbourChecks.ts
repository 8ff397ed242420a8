/**
 * Whether a switch is plugged in as its type demands (contract `engine.md` §5.8): access switches below one or two uplinks,
 * fabric devices between devices of the opposite type, and all neighbours in a state in which they may be relied upon.
 */
import { Result } from "effect"
import type { Device } from "../domain/Device.ts"
import type { ReportedLink } from "./Links.ts"
import {
  DeviceError,
  DeviceStateError,
  DeviceSyncError,
  InitVerificationError,
  NeighborError,
  quotedList
} from "./ProvisioningErrors.ts"

/** A neighbour as the database knows it. */
export type Neighbour = Pick<Device, "id" | "hostname" | "device_type" | "management_ip" | "state" | "synchronized">

/** The switch to be checked, under its present hostname. */
export interface CheckedDevice {
  readonly id: number
  readonly hostname: string
}

export interface NeighbourSurvey {
  readonly device: CheckedDevice
  readonly links: ReadonlyArray<ReportedLink>
  /** Devices at the far ends, by hostname. */
  readonly devices: ReadonlyMap<string, Neighbour>
  /** What the request says: a list of hostnames, an empty list for "do not check", null for "find out". */
  readonly neighbors: ReadonlyArray<string> | null
}

export interface AccessSurvey extends NeighbourSurvey {
  /** The other switch of an MLAG pair; links of both are then in `links`. */
  readonly mlagPeer: CheckedDevice | null
}

/** One hostname per link, so a neighbour with two links is listed twice. `uplinks` are those above an access switch. */
export interface VerifiedNeighbours {
  readonly neighbors: ReadonlyArray<string>
  readonly uplinks: ReadonlyArray<Neighbour>
}

export type NeighbourCheckError = InitVerificationError | NeighborError

const NOT_CHECKED: VerifiedNeighbours = { neighbors: [], uplinks: [] }

const refuse = (message: string) => Result.fail(new InitVerificationError({ message }))

interface FarEnd {
  readonly link: ReportedLink
  readonly device: Neighbour
}

/** The far ends of all links, as seen from the devices in `own`; links of a device to itself are no links. */
const farEnds = (
  { devices, links }: NeighbourSurvey,
  own: ReadonlyArray<string>
): Result.Result<ReadonlyArray<FarEnd>, NeighbourCheckError> =>
  Result.all(
    links
      .filter((link) => link.device_a_hostname !== link.device_b_hostname)
      .map((link) => {
        const near = own.find((name) => name === link.device_a_hostname || name === link.device_b_hostname)
        if (near === undefined) return refuse("Own hostname not found in linknet")
        const far = near === link.device_a_hostname ? link.device_b_hostname : link.device_a_hostname
        const device = devices.get(far)
        return device === undefined
          ? Result.fail(new NeighborError({ message: `Neighbor device ${far} not found in database` }))
          : Result.succeed({ link, device })
      })
  )

const noLinks = (survey: NeighbourSurvey): boolean => survey.links.length === 0

const withoutLinks = refuse("No linknets were specified to check_neighbors")

/**
 * Checks an access switch: exactly one uplink link whose far end is marked as not redundant, or exactly two that both are
 * part of a redundant pair; with an MLAG peer at least two links to it. The management domain is a matter of
 * `findMgmtDomain`, with the uplinks that are returned.
 */
export const checkAccessNeighbours = (survey: AccessSurvey): Result.Result<VerifiedNeighbours, NeighbourCheckError> =>
  Result.gen(function* () {
    const { device, mlagPeer, neighbors } = survey
    if (neighbors?.length === 0) return NOT_CHECKED
    if (noLinks(survey)) return yield* withoutLinks
    const own = mlagPeer === null ? [device.hostname] : [device.hostname, mlagPeer.hostname]
    const ends = yield* farEnds(survey, own)
    const uplinks = ends.filter(
      ({ device: far }) => (far.device_type === "ACCESS" || far.device_type === "DIST") && !own.includes(far.hostname)
    )
    const redundant = uplinks.filter(({ link }) => link.redundant_link).length
    const who = `${device.id} (${device.hostname})`
    if (uplinks.length === 0) return yield* refuse(`No uplink neighbors found for device id: ${who}`)
    if (!(uplinks.length === 1 && redundant === 0) && !(uplinks.length === 2 && redundant === 2)) {
      const list = quotedList(uplinks.map(({ device: far }) => far.hostname))
      return yield* refuse(
        `Incompatible uplink neighbors found for device id ${who}: ${list} - ${redundant} has redundancy required ("redundant_link" setting)`
      )
    }
    const peerLinks = ends.filter(({ device: far }) => own.includes(far.hostname)).length
    if (mlagPeer !== null && peerLinks < 2) {
      return yield* refuse(`MLAG requires at least two MLAG peer links, ${peerLinks} found for device id ${who}`)
    }
    return {
      neighbors: ends.map(({ device: far }) => far.hostname),
      uplinks: uplinks.map(({ device: far }) => far)
    }
  })

const OPPOSITE = { CORE: "DIST", DIST: "CORE" } as const

/** How many links to devices of the opposite type a fabric device needs when nobody says which. */
const FABRIC_NEIGHBOURS = 2

/**
 * Checks a fabric device: every neighbour that the request names is seen, or, when it names none, at least two links lead
 * to devices of the opposite type.
 */
export const checkFabricNeighbours = (
  survey: NeighbourSurvey,
  type: "CORE" | "DIST"
): Result.Result<VerifiedNeighbours, NeighbourCheckError> =>
  Result.gen(function* () {
    const { device, neighbors } = survey
    if (neighbors?.length === 0) return NOT_CHECKED
    if (noLinks(survey)) return yield* withoutLinks
    const ends = yield* farEnds(survey, [device.hostname])
    const far = ends.map(({ device: neighbour }) => neighbour)
    if (neighbors !== null) {
      const expected = far.filter(({ hostname }) => neighbors.includes(hostname))
      const all = neighbors.every((name) => expected.some(({ hostname }) => hostname === name))
      return all
        ? { neighbors: expected.map(({ hostname }) => hostname), uplinks: [] }
        : yield* refuse("Not all expected neighbors were detected")
    }
    const opposite = far.filter(({ device_type }) => device_type === OPPOSITE[type])
    return opposite.length >= FABRIC_NEIGHBOURS
      ? { neighbors: opposite.map(({ hostname }) => hostname), uplinks: [] }
      : yield* refuse(`Not enough compatible neighbors (${opposite.length} of ${FABRIC_NEIGHBOURS}) were detected`)
  })

/** Neighbours whose running configuration has to be compared with its stored hash next, and what is only worth a warning. */
export interface NeighbourStates {
  readonly toHashCheck: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<DeviceSyncError>
}

/**
 * Whether the neighbours may be relied upon: each exists and is MANAGED and synchronized. Below an access switch one that
 * waits for a sync is only a warning. `hostnames` may repeat a name.
 */
export const checkNeighbourStates = (
  hostnames: ReadonlyArray<string>,
  devices: ReadonlyMap<string, Pick<Device, "state" | "synchronized">>,
  forType: "ACCESS" | "CORE" | "DIST"
): Result.Result<NeighbourStates, DeviceError | DeviceStateError | DeviceSyncError> =>
  Result.gen(function* () {
    const warnings: Array<DeviceSyncError> = []
    const distinct = [...new Set(hostnames)]
    for (const hostname of distinct) {
      const device = devices.get(hostname)
      if (device === undefined) {
        return yield* Result.fail(new DeviceError({ message: `Neighbor device ${hostname} not found` }))
      }
      if (device.state !== "MANAGED") {
        return yield* Result.fail(new DeviceStateError({ message: `Neighbor device ${hostname} not in state MANAGED` }))
      }
      if (device.synchronized) continue
      const late = new DeviceSyncError({ message: `Neighbor device ${hostname} not synchronized` })
      if (forType !== "ACCESS") return yield* Result.fail(late)
      warnings.push(late)
    }
    return { toHashCheck: distinct, warnings }
  })
