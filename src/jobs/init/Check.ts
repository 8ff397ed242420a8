/**
 * Whether a discovered switch could be initialised where it is cabled (docs/provisioning.md#check-before): the survey and the
 * checks of step 1, without writing anything. Findings are collected, so that the answer lists all problems at
 * once.
 */
import { Effect, Result, Schema } from "effect"
import { SqlError } from "effect/sql"
import { type Device, type DeviceType, isFabricType } from "../../domain/Device.ts"
import { isSameHostname } from "../../domain/Network.ts"
import { type InitArguments, initCheck, type ReplacementLost } from "../../provisioning/Init.ts"
import { collect, problemsText } from "../../provisioning/ProvisioningErrors.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import {
  domainChoice,
  findAltered,
  findLinksOf,
  findMemberLinks,
  type LinkFindingsSurveyed,
  type Member,
  memberPorts,
  surveyNeighbours,
  surveyPorts,
  underlayOf
} from "./Survey.ts"
import {
  type AccessPlacement,
  fabricNeighbours,
  findAccessPlace,
  neighbourStates
} from "../../provisioning/Placement.ts"
import { allocateFabric, allocateManagement } from "../../provisioning/Addresses.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { findReplaced, replacementRows } from "./AccessPlan.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"
import { NetworkStore } from "../../store/NetworkStore.ts"

// Problems with the addresses that a new switch would get (docs/provisioning.md#addresses and
// docs/provisioning.md#check-before). Reserves nothing.

/** The future hostname and type of a fabric device. */
const targetOf = ({ device_type, new_hostname }: InitArguments) => ({
  hostname: new_hostname,
  device_type,
  mlagPeerId: null
})

/** Addresses of a management domain; those of a replaced switch are used again. */
const accessAddresses = Effect.fn("InitCheckAddresses.ofAccess")(function* (
  { domain }: AccessPlacement,
  isReplacement: boolean
) {
  const config = yield* ServerConfig
  const { reservations } = yield* NetworkStore

  if (domain === null || isReplacement) return []
  const allocated = allocateManagement({
    domain,
    reservedCount: config.MGMTDOMAIN_RESERVED_COUNT,
    primaryVersion: config.MGMTDOMAIN_PRIMARY_IP_VERSION === 6 ? 6 : 4,
    taken: yield* reservations.takenAddresses
  })
  return collect([allocated]).problems
})

/** Addresses of the loopback networks. */
const fabricAddresses = Effect.fn("InitCheckAddresses.ofFabric")(function* (args: InitArguments, device: Device) {
  const { reservations } = yield* NetworkStore

  const underlay = yield* underlayOf(device, targetOf(args))
  const allocated = allocateFabric({
    mgmtLoNet: underlay?.mgmt_lo_net ?? null,
    infraLoNet: underlay?.infra_lo_net ?? null,
    takenManagement: yield* reservations.takenAddresses,
    takenInfra: yield* reservations.takenAddresses
  })
  return collect([allocated]).problems
})

// The findings of device_initcheck about a switch (or both of a pair) that was read: links, ports, neighbours, management
// domain, addresses and names, each with all problems (docs/provisioning.md). Reads only; the rules are
// those of step 1.

/** The switch, and the other one of a pair. */
type Members = readonly [Member, ...ReadonlyArray<Member>]

interface Reason {
  readonly message: string
}

/** Links and ports. */
interface LinksFound extends Omit<LinkFindingsSurveyed, "problems"> {
  readonly problems: ReadonlyArray<Reason>
  /** Problems of ports with the other switch of a pair. */
  readonly pairProblems: ReadonlyArray<Reason>
  readonly lost: ReplacementLost | null
}

type FabricType = Extract<DeviceType, "CORE" | "DIST">

/** The ports of an access switch: what step 1 would write, without writing it. */
const portsOf = Effect.fnUntraced(function* (members: Members, found: LinkFindingsSurveyed, old: Device | null) {
  if (old !== null) {
    const { lost } = yield* replacementRows(old, members[0], found)
    return lost
  }
  for (const member of members) yield* memberPorts(members, member, found)
  return null
})

const linkFindings = Effect.fnUntraced(function* (args: InitArguments, members: Members, old: Device | null) {
  const [{ device, heard }] = members
  if (isFabricType(args.device_type)) {
    const found = yield* findLinksOf(device, targetOf(args), heard)
    const result: LinksFound = { ...found, pairProblems: [], lost: null }
    return result
  }
  const found = yield* findMemberLinks(members)
  const ports = yield* Effect.result(portsOf(members, found, old))
  const error = Result.isFailure(ports) ? ports.failure : null
  if (error !== null && SqlError.isSqlError(error)) return yield* error
  const isOfPair = error?._tag === "InconsistentMlagPeer"
  const result: LinksFound = {
    ...found,
    problems: [...found.problems, ...(error === null || isOfPair ? [] : [error])],
    pairProblems: isOfPair ? [error] : [],
    lost: Result.getOrElse(ports, () => null)
  }
  return result
})

/** The neighbours that step 1 relies on: their rows and running configurations. */
const statesOf = Effect.fnUntraced(function* (
  hostnames: ReadonlyArray<string>,
  { neighbours }: LinksFound,
  type: "ACCESS" | FabricType
) {
  const { problems, toHashCheck } = neighbourStates(hostnames, neighbours, type)
  return [...problems, ...(yield* findAltered(toHashCheck))]
})

const neighbourFindings = Effect.fnUntraced(function* (args: InitArguments, members: Members, found: LinksFound) {
  const [{ device }, other] = members
  const { links: all, neighbours: known, pairProblems, refused } = found
  if (args.neighbors?.length === 0 || all.length + refused.length === 0) return { neighbors: [], problems: [] }
  const asked = { device, links: all, refused, devices: known, neighbors: args.neighbors }
  if (isFabricType(args.device_type)) {
    const { neighbors, problems } = fabricNeighbours(asked, args.device_type)
    const states = yield* statesOf(neighbors, found, args.device_type)
    return { neighbors, problems: [...problems, ...states, ...(yield* fabricAddresses(args, device))] }
  }
  const placed = findAccessPlace({ ...asked, mlagPeer: other?.device ?? null }, yield* domainChoice)
  const above = placed.uplinks.map(({ hostname }) => hostname)
  const states = yield* statesOf(above, found, "ACCESS")
  const refusals = yield* accessAddresses(placed, args.replace_hostname === true)
  return { neighbors: placed.neighbors, problems: [...placed.problems, ...pairProblems, ...states, ...refusals] }
})

/** New hostnames that other devices already have; each with the id of the device that may use it. */
const takenHostnames = Effect.fnUntraced(function* (wanted: ReadonlyArray<readonly [hostname: string, id: number]>) {
  const devices = yield* DeviceStore

  const taken = yield* devices.bearing(wanted.map(([hostname]) => hostname))
  return wanted.flatMap(([hostname, id]) =>
    taken
      .filter((row) => isSameHostname(row.hostname, hostname) && row.id !== id)
      .map((row) => ({ message: `There is already a device with hostname ${row.hostname}` }))
  )
})

/** The check cannot be made. `status` is that of the answer, `message` the whole text. */
class InitCheckImpossible extends Schema.TaggedError<InitCheckImpossible>()("InitCheckImpossible", {
  status: Schema.Literals([400, 500]),
  message: Schema.String
}) {}

const impossible = (status: 400 | 500, message: string) => new InitCheckImpossible({ status, message })

/** The stages of the check, as its errors name them. */
const STAGES = { checks: "pre_init_checks", links: "update_linknets" } as const

interface NamedError {
  readonly _tag: string
  readonly message: string
}

/** An error of a stage that stops the check, as the answer's text. */
const stopped = (stage: keyof typeof STAGES) => (error: NamedError | SqlError.SqlError) =>
  SqlError.isSqlError(error) ? error : impossible(500, `Exception in ${STAGES[stage]}: ${error.message}`)

type StopReason = InitCheckImpossible | SqlError.SqlError

/** Fails with everything that stops the check, in one text; the status is 400 if the request can be corrected. */
const unlessStopped = Effect.fnUntraced(function* (asked: ReadonlyArray<Result.Result<unknown, StopReason>>) {
  const stops: Array<InitCheckImpossible> = []
  for (const stop of collect(asked).problems) {
    if (SqlError.isSqlError(stop)) return yield* stop
    stops.push(stop)
  }
  const [first] = stops
  if (first === undefined) return
  const status = stops.some((stop) => stop.status === 400) ? 400 : 500
  return yield* stops.length === 1 ? first : impossible(status, problemsText(stops))
})

/** Two different switches with two names; one that is replaced has no peer. */
const pairRules = (args: InitArguments) => {
  if (args.mlag_peer_id === undefined) return Effect.void
  if (args.mlag_peer_id === args.device_id || isSameHostname(args.new_hostname, args.mlag_peer_new_hostname)) {
    const message = "The switches of an MLAG pair must be two devices with two hostnames"
    return impossible(400, `ValueError in ${STAGES.checks}: ${message}`)
  }
  return args.replace_hostname === true ? impossible(400, "Replacing a MLAG switch is not supported") : Effect.void
}

const find = Effect.fnUntraced(function* (id: number) {
  const devices = yield* DeviceStore

  const device = yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
    Effect.fail(impossible(400, `ValueError in ${STAGES.checks}: No device with id ${id} found`))
  )
  if (device.state !== "DISCOVERED") {
    const message = "Device must be in state DISCOVERED to begin init"
    return yield* impossible(500, `Exception in ${STAGES.checks}: ${message}`)
  }
  yield* Effect.mapError(requireManageable(device), ({ _tag, message }) =>
    impossible(400, `${_tag} in ${STAGES.checks}: ${message}`)
  )
  return device
})

const ask = Effect.fnUntraced(function* (device: Device, newHostname: string) {
  const ports = yield* Effect.mapError(surveyPorts(device), ({ message, reason }) =>
    impossible(500, `Exception in ${STAGES.checks}: ${message}: ${reason}`)
  )
  const heard = yield* Effect.mapError(surveyNeighbours(device), stopped("links"))
  const member: Member = { device, newHostname, ports, heard }
  return member
})

/** The switch that is to be replaced; refusals whose text clients know have no prefix. */
const replacedBy = Effect.fnUntraced(function* (hostname: string) {
  return yield* Effect.mapError(findReplaced(hostname), (error) =>
    error._tag === "DeviceStateError" && error.isUnsupported === true
      ? impossible(400, error.message)
      : stopped("checks")(error)
  )
})

/** The switch, and if given its peer and the switch that it replaces. */
const subjects = Effect.fnUntraced(function* (args: InitArguments) {
  const { device_id, mlag_peer_id, new_hostname, replace_hostname } = args
  const asked = {
    device: yield* Effect.result(find(device_id)),
    peer: yield* Effect.result(mlag_peer_id === undefined ? Effect.succeed(null) : find(mlag_peer_id)),
    old: yield* Effect.result(replace_hostname === true ? replacedBy(new_hostname) : Effect.succeed(null))
  }
  yield* unlessStopped(Object.values(asked))
  return yield* Effect.fromResult(Result.all(asked))
})

const askAll = Effect.fnUntraced(function* (args: InitArguments, device: Device, peer: Device | null) {
  const peerName = args.mlag_peer_new_hostname ?? ""
  const asked = {
    member: yield* Effect.result(ask(device, args.new_hostname)),
    other: yield* Effect.result(peer === null ? Effect.succeed(null) : ask(peer, peerName))
  }
  yield* unlessStopped(Object.values(asked))
  const { member, other } = yield* Effect.fromResult(Result.all(asked))
  const members: Members = other === null ? [member] : [member, other]
  return members
})

export const checkInit = Effect.fn("InitCheck.check")(function* (args: InitArguments) {
  yield* pairRules(args)
  const { device, old, peer } = yield* subjects(args)
  const members = yield* askAll(args, device, peer)
  const found = yield* Effect.mapError(linkFindings(args, members, old), stopped("links"))
  return initCheck({
    args,
    links: found,
    neighbours: yield* Effect.mapError(neighbourFindings(args, members, found), stopped("checks")),
    mlagPeerHostname: peer?.hostname ?? null,
    hostnames: yield* takenHostnames([
      [args.new_hostname, old?.id ?? device.id],
      ...(peer === null ? [] : [[args.mlag_peer_new_hostname ?? "", peer.id] as const])
    ]),
    lost: found.lost
  })
})
