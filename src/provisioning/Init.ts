/**
 * The job that a device_init request starts, the work of step 1 for an MLAG pair, and the start of step 2 (docs/provisioning.md).
 */
import { Option, Result } from "effect"
import type { Device, DeviceType } from "../domain/Device.ts"
import { accessOnlyFault, type InitRequest } from "../domain/requests/InitRequests.ts"
import { DeviceStateError, InitArgumentError, problemsText } from "./ProvisioningErrors.ts"
import type { ReportedLink } from "./Links.ts"

export type InitJob = "init_access_device_step1" | "init_fabric_device_step1" | "init_device_step2"

/** The job of a device_init request: step 2 again for a device that is past step 1, else step 1 of its type. */
export const initJob = (
  device: Pick<Device, "state" | "management_ip" | "device_type">,
  args: InitArguments
): Result.Result<InitJob, InitArgumentError> => {
  const pastStep1 = device.state === "INIT" && device.management_ip !== null && device.device_type !== "UNKNOWN"
  if (pastStep1) return Result.succeed("init_device_step2")
  if (args.device_type === "ACCESS") return Result.succeed("init_access_device_step1")
  if (args.device_type === "UNKNOWN") {
    return Result.fail(new InitArgumentError({ message: "Unsupported 'device_type' provided" }))
  }
  return Option.match(accessOnlyFault(args), {
    onNone: () => Result.succeed("init_fabric_device_step1"),
    onSome: (message) => Result.fail(new InitArgumentError({ message }))
  })
}

const refuse = (message: string) => Result.fail(new DeviceStateError({ message }))

type WithState = Pick<Device, "state">

/**
 * The work of step 1 for a device and, with MLAG arguments, its peer: everything, or only start the peer if the first switch of the
 * pair has completed step 1. Fails with DeviceStateError.
 */
export const accessStart = (
  device: WithState,
  peer: WithState | null
): Result.Result<"wholeStep1" | "peerOnly", DeviceStateError> => {
  const discovered = "Device must be in state DISCOVERED to begin init"
  if (peer === null) return device.state === "DISCOVERED" ? Result.succeed("wholeStep1") : refuse(discovered)
  if (device.state !== "DISCOVERED" && device.state !== "MANAGED") {
    return refuse("First MLAG device must be in state MANAGED to restart MLAG peer init")
  }
  if (peer.state !== "DISCOVERED") return refuse(discovered)
  return Result.succeed(device.state === "MANAGED" ? "peerOnly" : "wholeStep1")
}

const MLAG_PEER_DELAY_SECONDS = 60

/** Seconds after which the second switch of an MLAG pair starts its own step 1; a site with a shorter step 2 delay waits no longer than that. */
export const mlagPeerDelay = (step2DelaySeconds: number): number => Math.min(MLAG_PEER_DELAY_SECONDS, step2DelaySeconds)

/**
 * Seconds between step 1 and step 2. The first switch of an MLAG pair waits until its peer has completed step 1, because the peer
 * starts late. `mgmtTimeout` is INIT_MGMT_TIMEOUT, `delay` INIT_STEP2_DELAY.
 */
export const step2Delay = (delay: number, mgmtTimeout: number, isFirstOfPair: boolean): number =>
  isFirstOfPair ? Math.max(delay, mlagPeerDelay(delay) + 2 * mgmtTimeout) : delay

// The arguments of an initialisation in its jobs and checks (docs/provisioning.md#arguments).

/** The keys and their order are those of `parsed_args`. */
export interface InitArguments {
  readonly device_id: number
  readonly new_hostname: string
  readonly device_type: DeviceType
  readonly mlag_peer_id?: number
  readonly mlag_peer_new_hostname?: string
  /** Null: find out; empty: do not check. */
  readonly neighbors: ReadonlyArray<string> | null
  readonly replace_hostname?: boolean
}

/** The arguments in a request for a device. */
export const initArguments = (
  device_id: number,
  { device_type, hostname, mlag_peer_hostname, mlag_peer_id, neighbors, replace_hostname }: InitRequest
): InitArguments => ({
  device_id,
  new_hostname: hostname,
  device_type,
  ...(mlag_peer_id === undefined ? {} : { mlag_peer_id }),
  ...(mlag_peer_hostname === undefined ? {} : { mlag_peer_new_hostname: mlag_peer_hostname }),
  neighbors,
  ...(replace_hostname === undefined ? {} : { replace_hostname })
})

// The answer of device_initcheck (docs/provisioning.md#check-before): the findings about the links and the neighbours of a switch,
// and whether it could be initialised. Checks that could not be done are errors of the request and are not part of it. Several
// problems of one kind are joined in one text, separated by semicolons.

/** The `data` of the answer. */
interface InitCheck {
  readonly linknets?: ReadonlyArray<ReportedLink>
  readonly linknets_compatible: boolean
  readonly linknets_error?: string
  readonly neighbors?: ReadonlyArray<string>
  readonly neighbors_compatible: boolean
  readonly neighbors_error?: string
  readonly mlag_compatible?: boolean
  /** Another device has the new hostname already. */
  readonly hostname_error?: string
  /** With replace_hostname: the losses of a replacement. */
  readonly replacement_lost?: ReplacementLost
  readonly parsed_args: InitArguments
  readonly compatible: boolean
}

/** Ports with rows of their own, and links, that a replacement would lose. */
export interface ReplacementLost {
  readonly interfaces: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
}

interface Reason {
  readonly message: string
}

export interface InitCheckSurvey {
  readonly args: InitArguments
  /** The present and possible links, and all problems of links. */
  readonly links: { readonly links: ReadonlyArray<ReportedLink>; readonly problems: ReadonlyArray<Reason> }
  /** Hostnames of the neighbours, and all problems of them, their management domain and its addresses. */
  readonly neighbours: { readonly neighbors: ReadonlyArray<string>; readonly problems: ReadonlyArray<Reason> }
  /** Present hostname of the MLAG peer; null without one. */
  readonly mlagPeerHostname: string | null
  /** Problems of the new hostnames. */
  readonly hostnames?: ReadonlyArray<Reason>
  readonly lost?: ReplacementLost | null
}

const NO_LINKS = "No linknets found"

/** The problems of the neighbours as one text; null if there are none. */
const neighboursError = ({ args, links, neighbours }: InitCheckSurvey): string | null => {
  if (args.neighbors?.length === 0) return null
  if (neighbours.problems.length > 0) return problemsText(neighbours.problems)
  return links.problems.length > 0 || links.links.length === 0 ? NO_LINKS : null
}

/** Puts the findings together. */
export const initCheck = (survey: InitCheckSurvey): InitCheck => {
  const { args, hostnames = [], links, lost = null, mlagPeerHostname } = survey
  const error = neighboursError(survey)
  const neighbors = args.neighbors?.length === 0 ? [] : survey.neighbours.neighbors
  const linksFit = links.problems.length === 0
  const mlag =
    mlagPeerHostname === null ? {} : { mlag_compatible: error === null && neighbors.includes(mlagPeerHostname) }
  return {
    ...(linksFit ? { linknets: links.links } : {}),
    linknets_compatible: linksFit,
    ...(linksFit ? {} : { linknets_error: problemsText(links.problems) }),
    ...(error === null ? { neighbors } : {}),
    neighbors_compatible: error === null,
    ...(error === null ? {} : { neighbors_error: error }),
    ...mlag,
    ...(hostnames.length === 0 ? {} : { hostname_error: problemsText(hostnames) }),
    ...(lost === null ? {} : { replacement_lost: lost }),
    parsed_args: args,
    compatible: linksFit && error === null && mlag.mlag_compatible !== false && hostnames.length === 0
  }
}
