/**
 * The place of a discovered switch in the network, from the switch and the database: its neighbours by LLDP, the links that follow,
 * and the devices at their far ends. The same survey serves device_initcheck and step 1 of the initialisation
 * (docs/provisioning.md).
 */
import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import { portsIn } from "../../domain/DeviceReadings.ts"
import type { Device, DeviceType } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import {
  type ConfiguredPorts,
  configuredPorts,
  findLinks,
  joinLinks,
  linkError,
  type LinkFindings,
  type LinkPlan,
  type LldpTable,
  type PeerPortOwner,
  portlessPeers,
  type ReportedLink,
  seenPeers,
  storedLinks,
  storedNames
} from "../../provisioning/Links.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { type AccessPlacement, checkNeighbourStates, placeAccessSwitch } from "../../provisioning/Placement.ts"
import type { Interface } from "../../domain/Interface.ts"
import { cabledPorts, checkMlagRows, physicalInterfaces, planInterfaces } from "../../provisioning/InterfaceDatabase.ts"
import { longName } from "../../domain/platforms/Platforms.ts"
import { NetworkStore } from "../../store/NetworkStore.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"

/** The switch cannot be asked or its neighbours cannot be read; `reason` says what failed, for people. */
class SurveyImpossible extends Schema.TaggedError<SurveyImpossible>()("SurveyImpossible", {
  message: Schema.String,
  reason: Schema.String
}) {}

/** The failure of a job whose switch cannot be asked. */
export const surveyFailure = (error: SurveyImpossible): JobFailure =>
  new JobFailure({ type: "ConnectionCheckError", message: error.message })

/** The present and future links of a switch. */
export interface LinkSurveyed {
  readonly plan: LinkPlan
  /** The present and the stored links, without repeats. */
  readonly links: ReadonlyArray<ReportedLink>
  /** Devices at the far ends, by hostname. */
  readonly neighbours: ReadonlyMap<string, Device>
}

/** The same, with the problems of links; `plan` and `links` are then without the links that have problems. */
export interface LinkFindingsSurveyed extends LinkSurveyed, Pick<LinkFindings, "problems" | "refused"> {}

/** The future name, type and MLAG peer of the switch. */
interface Target {
  readonly hostname: string
  readonly device_type: DeviceType
  readonly mlagPeerId: number | null
}

const asDiscovered = { login: { state: "DISCOVERED" } } as const

/** Logs in with the credentials of DISCOVERED and reads the facts of the switch. */
export const surveyFacts = Effect.fn("InitSurvey.facts")(function* (device: Device) {
  const actorOf = yield* DeviceEntity.client
  return yield* patiently(actorOf(String(device.id)).ReadFacts(asDiscovered)).pipe(
    Effect.mapError(
      (error) =>
        new SurveyImpossible({ message: `Failed to connect to device_id ${device.id}`, reason: reasonOf(error) })
    )
  )
})

/** The same for its interfaces: without them the switch cannot be placed. */
export const surveyPorts = Effect.fn("InitSurvey.ports")(function* (device: Device) {
  const message = `Could not get the interfaces of device_id ${device.id}`
  return yield* Result.match(portsIn(yield* surveyFacts(device)), {
    onFailure: (missing) =>
      Effect.fail(new SurveyImpossible({ message: `${message}: ${missing}`, reason: "its facts are incomplete" })),
    onSuccess: Effect.succeed
  })
})

/** The LLDP neighbours of the switch. */
export const surveyNeighbours = Effect.fnUntraced(function* (device: Device) {
  const { neighbours } = yield* DeviceStore
  const actorOf = yield* DeviceEntity.client

  const ports = yield* patiently(actorOf(String(device.id)).ReadNeighbours(asDiscovered)).pipe(
    Effect.mapError(
      (error) =>
        new SurveyImpossible({
          message: `Could not get LLDP neighbors for ${device.hostname}`,
          reason: reasonOf(error)
        })
    )
  )
  yield* neighbours.keep(device.id, ports)
  return ports
})

const portsOf = Effect.fnUntraced(function* (device: Device) {
  const settings = yield* ActiveSettings

  const { settings: effective } = yield* settings.ofDevice(device)
  const ports: ConfiguredPorts = configuredPorts(effective.interfaces)
  return { ports, underlay: effective.underlay ?? null }
})

const peersOf = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore

  const rows = yield* devices.byIds(ids)
  const stored = yield* interfaces.ofDevices(ids)
  const peers = new Map<number, PeerPortOwner>()
  for (const peer of rows) {
    const { ports } = peer.device_type === "UNKNOWN" ? { ports: new Map() } : yield* portsOf(peer)
    const { device_type, hostname, id } = peer
    peers.set(id, { hostname, device_type, ports, interfaces: stored.filter((row) => row.device_id === id) })
  }
  return peers
})

/** Settings `underlay` of the switch as the target; null when there are none. */
export const underlayOf = Effect.fn("InitSurvey.underlay")(function* (device: Device, target: Target) {
  return (yield* portsOf({ ...device, hostname: target.hostname, device_type: target.device_type })).underlay
})

/** The links that follow from the LLDP neighbours, with their problems; reads the database only. */
export const findLinksOf = Effect.fn("InitSurvey.find")(function* (device: Device, target: Target, lldp: LldpTable) {
  const devices = yield* DeviceStore
  const { links: linknets } = yield* NetworkStore

  const names = Object.values(lldp).flatMap(([first]) => (first === undefined ? [] : storedNames(first.hostname)))
  const known = yield* devices.byHostnames(names)
  const byName = new Map(known.map((row) => [row.hostname, row]))
  const every = seenPeers(lldp, byName, target.mlagPeerId, longName)
  const peers = yield* peersOf(every.map(({ peer }) => peer.id))
  const seen = every.filter(({ peer, peerPort }) => !isBelow(peers.get(peer.id), peerPort, target.hostname))
  const own = yield* portsOf({ ...device, hostname: target.hostname, device_type: target.device_type })
  const stored = yield* linknets.all
  const { device_type } = target
  const {
    plan: planned,
    problems,
    refused
  } = findLinks({
    device: { id: device.id, hostname: device.hostname, device_type, ports: own.ports },
    seen,
    peers,
    stored,
    occupied: yield* linknets.occupied,
    infraLinkNet: own.underlay?.infra_link_net ?? null
  })
  const mine = stored.filter(
    (link) =>
      [link.device_a_id, link.device_b_id].includes(device.id) &&
      !planned.remove.includes(link) &&
      !refused.some(({ id }) => id === link.id)
  )
  const far = yield* devices.byIds([...mine, ...planned.add].flatMap((link) => [link.device_a_id, link.device_b_id]))
  const hostnames = new Map(far.map((row) => [row.id, row.hostname]))
  const found: LinkFindingsSurveyed = {
    plan: planned,
    problems: [...portlessPeers(lldp, byName, target.mlagPeerId), ...problems],
    refused,
    links: joinLinks(planned.links, storedLinks(mine, hostnames)),
    neighbours: new Map([...known, ...far].map((row) => [row.hostname, row]))
  }
  return found
})

/** The same, but problems are an error. */
export const planLinksOf = Effect.fn("InitSurvey.plan")(function* (device: Device, target: Target, lldp: LldpTable) {
  const { problems, refused: _refused, ...found } = yield* findLinksOf(device, target, lldp)
  const surveyed: LinkSurveyed = found
  return yield* Effect.fromResult(linkError(surveyed, problems))
})

/** A port that leads down to a switch which was initialised below the one that is to be replaced. */
const isBelow = (peer: PeerPortOwner | undefined, port: string, hostname: string): boolean =>
  peer?.device_type === "ACCESS" &&
  peer.interfaces.some(
    ({ configtype, data, name }) => name === port && configtype === "ACCESS_UPLINK" && data?.["neighbor"] === hostname
  )

const reasonOf = (error: { readonly _tag: string; readonly message: string }): string =>
  `${error._tag}: ${error.message}`

// Checks that the neighbours of a new switch are reliable: managed, synchronized and not changed by hand
// (docs/provisioning.md#neighbour-checks and docs/changes.md#hash-check). A neighbour whose running configuration is not the stored
// one is marked unsynchronized.

const altered = (hostnames: ReadonlyArray<string>) =>
  new JobFailure({
    type: "Exception",
    message: `Configuration hash check failed for ${hostnames.join(" ")}`
  })

/** A neighbour that cannot be asked stops the job, but its configuration is not disputed. */
const isAltered = Effect.fnUntraced(function* (device: Device) {
  const { proved } = yield* ConfigStore
  const actorOf = yield* DeviceEntity.client

  if (device.confhash === null) return false
  const running = yield* patiently(actorOf(String(device.id)).ReadRunningConfig({ login: {} })).pipe(
    Effect.tapError((error) => Effect.logWarning(`${device.hostname} cannot be checked: ${error.message}`)),
    Effect.mapError(() => altered([device.hostname]))
  )
  return !(yield* proved.isRun(device, device.confhash, running))
})

export const checkNeighbours = Effect.fn("NeighbourSync.check")(function* (
  hostnames: ReadonlyArray<string>,
  forType: "ACCESS" | "CORE" | "DIST",
  jobId: number
) {
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore

  const rows = yield* devices.byHostnames(hostnames)
  const byName = new Map(rows.map((row) => [row.hostname, row]))
  const states = yield* Effect.fromResult(checkNeighbourStates(hostnames, byName, forType)).pipe(
    Effect.mapError((error) => new JobFailure({ type: error._tag, message: error.message }))
  )
  for (const warning of states.warnings) yield* Effect.logWarning(warning.message)
  const others = yield* Effect.filter(rows, isAltered, { concurrency: 4 })
  if (others.length === 0) return
  const names = others.map((row) => row.hostname)
  yield* events.unsynchronize(others, { cause: "confighash", by: "unknown", job_id: jobId })
  return yield* altered(names)
})

/** Problems with the configurations of these neighbours; one that cannot be read is a problem. Writes nothing. */
export const findAltered = Effect.fn("NeighbourSync.findAltered")(function* (hostnames: ReadonlyArray<string>) {
  const devices = yield* DeviceStore

  const rows = yield* devices.byHostnames([...new Set(hostnames)])
  const found = yield* Effect.filter(rows, (row) => Effect.orElseSucceed(isAltered(row), () => true), {
    concurrency: 4
  })
  return found.length === 0 ? [] : [altered(found.map(({ hostname }) => hostname))]
})

// The survey of an access switch, or of both switches of an MLAG pair: their LLDP neighbours, the links and ports that follow, and
// the management domain above them (docs/provisioning.md). Asks the switches and reads the database; writes nothing.
// device_initcheck and step 1 of the initialisation use the same survey.

/** A switch of the pair (or the only one), its future name, and its ports and neighbours. */
export interface Member {
  readonly device: Device
  readonly newHostname: string
  readonly ports: ReadonlyArray<string>
  readonly heard: LldpTable
}

/** The changes to the ports of one device. */
export interface PortPlan {
  readonly deviceId: number
  readonly write: ReadonlyArray<Interface>
  readonly remove: ReadonlyArray<string>
}

const peerOf = (members: ReadonlyArray<Member>, member: Member) =>
  members.find(({ device }) => device.id !== member.device.id)?.device ?? null

/** Logs in to the switch and reads its ports and neighbours. */
export const askMember = Effect.fn("AccessPlace.ask")(function* (device: Device, newHostname: string) {
  const ports = yield* surveyPorts(device)
  const member: Member = { device, newHostname, ports, heard: yield* surveyNeighbours(device) }
  return member
})

/** All management domains and CORE devices, to choose from. */
export const domainChoice = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { domains } = yield* NetworkStore

  const cores = yield* sql<{ id: number }>`select id from device where device_type = 'CORE'`
  return { domains: yield* domains.all, coreDevices: new Set(cores.map(({ id }) => id)) }
})

/** The links of one member. */
const linksOf = (members: ReadonlyArray<Member>, member: Member) =>
  findLinksOf(
    member.device,
    {
      hostname: member.newHostname,
      device_type: "ACCESS",
      mlagPeerId: peerOf(members, member)?.id ?? null
    },
    member.heard
  )

/** The links of all members together, with all problems. */
export const findMemberLinks = Effect.fn("AccessPlace.find")(function* (members: ReadonlyArray<Member>) {
  const each = yield* Effect.forEach(members, (member) => linksOf(members, member))
  const links = joinLinks(...each.map((one) => one.links))
  const found: LinkFindingsSurveyed = {
    plan: { links, add: each.flatMap(({ plan }) => plan.add), remove: each.flatMap(({ plan }) => plan.remove) },
    links,
    neighbours: new Map(each.flatMap(({ neighbours }) => [...neighbours])),
    refused: joinLinks(...each.map((one) => one.refused)),
    problems: each.flatMap(({ problems }) => problems)
  }
  return found
})

/** The same, but problems are an error. */
export const memberLinks = Effect.fn("AccessPlace.links")(function* (members: ReadonlyArray<Member>) {
  const { problems, ...found } = yield* findMemberLinks(members)
  return yield* Effect.fromResult(linkError(found, problems))
})

/** Checks the neighbours, and finds the management domain above them. */
export const placeMembers = Effect.fn("AccessPlace.place")(function* (
  members: readonly [Member, ...ReadonlyArray<Member>],
  found: Pick<LinkSurveyed, "links" | "neighbours">
) {
  const [{ device }, other] = members
  const placed: Result.Result<AccessPlacement, { readonly _tag: string; readonly message: string }> = placeAccessSwitch(
    { device, links: found.links, devices: found.neighbours, neighbors: null, mlagPeer: other?.device ?? null },
    yield* domainChoice
  )
  return yield* Effect.fromResult(placed)
})

/** The port rows of one member that follow from its cables. */
export const memberPorts = Effect.fn("AccessPlace.ports")(function* (
  members: ReadonlyArray<Member>,
  member: Member,
  found: Pick<LinkSurveyed, "links" | "neighbours">
) {
  const interfaces = yield* InterfaceStore

  const { device } = member
  const names = yield* Effect.fromResult(physicalInterfaces(device.platform ?? "", device.hostname, member.ports))
  const stored = yield* interfaces.ofDevice(device.id)
  const far = new Map([...found.neighbours.values()].map((row) => [row.id, row]))
  const peer = peerOf(members, member)
  const cabled = cabledPorts(device.id, found.links, far, peer?.id ?? null)
  const plan = planInterfaces({ deviceId: device.id, ports: names, stored, cabled, replace: true })
  if (peer !== null) {
    const kept = stored.filter(({ name }) => plan.missing.includes(name))
    yield* Effect.fromResult(checkMlagRows(device.hostname, [...plan.write, ...kept], peer.id))
  }
  const done: PortPlan = { deviceId: device.id, write: plan.write, remove: plan.remove }
  return done
})
