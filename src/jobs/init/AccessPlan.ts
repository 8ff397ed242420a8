/**
 * Prepares the initialisation of an access switch: asks it, checks its neighbours and writes its place in the network
 * (docs/provisioning.md).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import type { InitDecision, RowsBefore } from "../../domain/jobs/InitJobs.ts"
import {
  cabledPorts,
  checkReplacement,
  lostInterfaces,
  physicalInterfaces,
  planReplacement,
  uplinkHostnames
} from "../../provisioning/InterfaceDatabase.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import {
  askMember,
  checkNeighbours,
  domainChoice,
  type LinkSurveyed,
  type Member,
  memberLinks,
  memberPorts,
  placeMembers,
  type PortPlan,
  surveyFailure
} from "./Survey.ts"
import { beginStep, checkpoint, type InitJob, say } from "./Progress.ts"
import { aloneOn, distinctLinks, reserveAddresses, snapshotRows, writeLinks, writePorts } from "./Rows.ts"
import { inTransaction, refusedAsFailure, type RunningJob } from "../engine/JobHandler.ts"
import type { MgmtDomain } from "../../domain/MgmtDomain.ts"
import { accessVariables, allocateManagement, type ManagementAddresses } from "../../provisioning/Addresses.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { allocationLock, NetworkStore } from "../../store/NetworkStore.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { findMgmtDomain } from "../../provisioning/Placement.ts"
import type { Interface } from "../../domain/Interface.ts"
import { cableOf, endOf, type Linknet, type NewLinknet, touches } from "../../domain/Linknet.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"

// A new switch that replaces a broken one (docs/provisioning.md#replacement): the old row keeps its id, and the ports and links
// that the new unit also has, and takes over the new unit's identity. Runs in the transaction of step 1, which also remembers both
// rows, so a failure restores them.

/** The changes to the old switch's rows. */
interface ReplacementRows {
  readonly add: ReadonlyArray<NewLinknet>
  readonly remove: ReadonlyArray<Linknet>
  readonly ports: PortPlan
  /** Ports with rows, and links, that the new unit does not have. */
  readonly lost: { readonly interfaces: ReadonlyArray<string>; readonly links: ReadonlyArray<string> }
}

const withId = (link: NewLinknet, from: number, to: number): NewLinknet => ({
  ...link,
  device_a_id: link.device_a_id === from ? to : link.device_a_id,
  device_b_id: link.device_b_id === from ? to : link.device_b_id
})

/** Rows of the ports that the new unit has keep their configuration; the present cables determine the uplinks. */
const portRows = (
  old: Pick<Device, "id">,
  names: ReadonlyArray<string>,
  stored: ReadonlyArray<Interface>,
  uplinks: ReadonlyMap<string, string>
): PortPlan => {
  const known = new Map(stored.map((row) => [row.name, row]))
  const rowOf = (name: string): Interface => {
    const row = known.get(name)
    const neighbor = uplinks.get(name)
    if (neighbor !== undefined) return { device_id: old.id, name, configtype: "ACCESS_UPLINK", data: { neighbor } }
    if (row === undefined) return { device_id: old.id, name, configtype: "ACCESS_AUTO", data: null }
    return row.configtype === "ACCESS_UPLINK" ? { ...row, configtype: "ACCESS_AUTO", data: {} } : row
  }
  return { deviceId: old.id, write: names.map(rowOf), remove: lostInterfaces(stored, names) }
}

/** The switch that is to be replaced. Fails with DeviceStateError when it may not be. */
export const findReplaced = Effect.fn("InitReplacement.find")(function* (hostname: string) {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore

  const [old] = yield* devices.byHostnames([hostname])
  const [members] = yield* sql<{ count: number }>`
      select count(*)::int as count from stackmember where device_id = ${old?.id ?? 0}`
  yield* Effect.fromResult(
    checkReplacement({
      hostname,
      old: old ?? null,
      interfaces: old === undefined ? [] : yield* interfaces.ofDevice(old.id),
      stackMembers: members?.count ?? 0
    })
  )
  return yield* devices.getByHostname(hostname)
})

/** The changes to links and ports when the unit takes the place of the old switch. Reads only. */
export const replacementRows = Effect.fn("InitReplacement.rows")(function* (
  old: Device,
  member: Member,
  { links, neighbours, plan }: LinkSurveyed
) {
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const { links: linknets } = yield* NetworkStore

  const { device: unit } = member
  const names = yield* Effect.fromResult(physicalInterfaces(unit.platform ?? "", unit.hostname, member.ports))
  const stored = yield* interfaces.ofDevice(old.id)
  const moved = plan.add.map((link) => withId(link, unit.id, old.id))
  const wanted = new Set(moved.map(cableOf))
  const oldLinks = yield* linknets.ofDevice(old.id)
  const isUplink = (port: string) =>
    stored.some(({ configtype, name }) => name === port && configtype === "ACCESS_UPLINK")
  const gone = oldLinks.filter((link) => {
    const port = endOf(link, old.id)?.port ?? ""
    return (
      !wanted.has(cableOf(link)) &&
      (!names.includes(port) || isUplink(port) || moved.some((one) => touches(one, old.id, port)))
    )
  })
  const kept = new Set(oldLinks.map(cableOf))
  const ends = yield* devices.byIds(gone.flatMap((link) => [link.device_a_id, link.device_b_id]))
  const hostnames = new Map(ends.map(({ hostname, id }) => [id, hostname]))
  const far = new Map([...neighbours.values()].map((row) => [row.id, row]))
  const { uplinks } = cabledPorts(unit.id, links, far, null)
  const remove = [...plan.remove.filter((link) => !wanted.has(cableOf(link))), ...gone]
  const result: ReplacementRows = {
    add: moved.filter((link) => !kept.has(cableOf(link))),
    remove: [...new Map(remove.map((link) => [link.id, link])).values()],
    ports: portRows(old, names, stored, uplinks),
    lost: {
      interfaces: lostInterfaces(stored, names),
      links: gone.map((link) => {
        const [a, b] = [hostnames.get(link.device_a_id), hostnames.get(link.device_b_id)]
        return `${a}:${link.device_a_port} - ${b}:${link.device_b_port}`
      })
    }
  }
  return result
})

/** Deletes the unit's own row and gives its identity to the old one, which is DISCOVERED then. Yields it. */
const swapUnits = Effect.fn("InitReplacement.swap")(function* (job: RunningJob, old: Device, unit: Device) {
  const devices = yield* DeviceStore
  const states = yield* DeviceStates

  const { deleteId, event } = planReplacement(old, unit)
  yield* devices.remove(deleteId)
  return (yield* states.apply(old.id, event, { by: job.user, jobId: job.id })).device
})

// Plans the links, the ports and the management domain of an access switch by its cables (docs/provisioning.md). Reads only;
// `writePlan` writes it.

/** All rows that must be written, computed from the present rows. */
interface AccessPlan {
  readonly domain: MgmtDomain
  readonly uplinks: ReadonlyArray<string>
  readonly neighbours: ReadonlyArray<string>
  readonly add: ReplacementRows["add"]
  readonly remove: ReplacementRows["remove"]
  readonly ports: ReadonlyArray<PortPlan>
  readonly lost: InitDecision["lost"]
}

const NOTHING_LOST = { interfaces: [], links: [] }

/** The plan of a switch (or both of a pair) that is plugged in and asked; `old` is the switch that it replaces. */
const planCabled = Effect.fn("AccessPlanner.cabled")(function* (
  members: readonly [Member, ...ReadonlyArray<Member>],
  old: Device | null
) {
  const found = yield* memberLinks(members)
  const { domain, neighbors, uplinks } = yield* placeMembers(members, found)
  const [{ device }] = members
  if (domain === null) {
    const message = `No uplink neighbors found for device id: ${device.id} (${device.hostname})`
    return yield* new JobFailure({ type: "InitVerificationError", message })
  }
  const base = { domain, neighbours: neighbors, uplinks: uplinks.map(({ hostname }) => hostname) }
  if (old !== null) {
    const { ports, ...changed } = yield* replacementRows(old, members[0], found)
    const whole: AccessPlan = { ...base, ...changed, ports: [ports] }
    return whole
  }
  const ports = yield* Effect.forEach(members, (member) => memberPorts(members, member, found))
  const { add, remove } = found.plan
  const whole: AccessPlan = { ...base, add: distinctLinks(add), remove, ports, lost: NOTHING_LOST }
  return whole
})

/** The plan of the second switch of a pair: only its addresses are missing. */
const planSecond = Effect.fn("AccessPlanner.second")(function* (hostnames: ReadonlyArray<string>) {
  const devices = yield* DeviceStore

  const known = new Map((yield* devices.byHostnames(hostnames)).map((row) => [row.hostname, row]))
  const above = hostnames.flatMap((name) => known.get(name) ?? [])
  const domain = yield* Effect.fromResult(findMgmtDomain(above, yield* domainChoice))
  const nothing = { add: [], remove: [], ports: [], lost: NOTHING_LOST, neighbours: [] }
  const whole: AccessPlan = { ...nothing, domain, uplinks: hostnames }
  return whole
})

// Writes the plan of an access switch: links, ports, hostname and addresses, all in one transaction with the job's memory
// (docs/provisioning.md#access-step-1 and docs/provisioning.md#replacement). The job remembers the changes and takes them back if
// the switch does not move.

/** The request for a switch that passed the checks. */
interface AccessRequest {
  readonly device: Device
  readonly newHostname: string
  /** The other switch of an MLAG pair, which gets its links and ports now and its own step 1 later. */
  readonly peer: { readonly device: Device; readonly newHostname: string } | null
  /** The second switch of a pair: hostnames above the pair; its links and ports are written already. */
  readonly uplinks: ReadonlyArray<string> | null
  /** The switch takes the place of the one that has the new hostname. */
  readonly replace: boolean
}

const discoveredOnly = (device: Device) =>
  device.state === "DISCOVERED"
    ? Effect.void
    : new JobFailure({ type: "DeviceStateError", message: "Device must be in state DISCOVERED to begin init" })

const decision = (
  { newHostname }: AccessRequest,
  unit: Device,
  deviceId: number,
  { domain, lost, neighbours, uplinks }: AccessPlan,
  { primary, secondary }: ManagementAddresses,
  before: RowsBefore
): InitDecision => ({
  stage: "prepared",
  deviceId,
  device_type: "ACCESS",
  previousHostname: before.replaced?.old.hostname ?? unit.hostname,
  newHostname,
  oldAddress: unit.dhcp_ip ?? "",
  primary: { ip: primary.ip, network: primary.network },
  secondary: secondary === null ? null : { ip: secondary.ip, network: secondary.network },
  infraIp: null,
  variables: accessVariables({ primary, secondary }, domain),
  neighbours,
  uplinks,
  before,
  lost
})

const allocate = Effect.fnUntraced(function* (device: Device, domain: MgmtDomain) {
  const config = yield* ServerConfig
  const { reservations } = yield* NetworkStore

  const reserved = (yield* reservations.all).filter(({ device_id }) => device_id === device.id)
  yield* reservations.dropStale
  yield* reservations.release(device.id)
  const allocated: ManagementAddresses = yield* Effect.fromResult(
    allocateManagement({
      domain,
      reservedCount: config.MGMTDOMAIN_RESERVED_COUNT,
      primaryVersion: config.MGMTDOMAIN_PRIMARY_IP_VERSION === 6 ? 6 : 4,
      taken: yield* reservations.takenAddresses,
      reuse: reserved.map(({ ip }) => ip)
    })
  )
  const { primary, secondary } = allocated
  yield* reserveAddresses(device, secondary === null ? [primary] : [primary, secondary])
  return allocated
})

const takeSnapshot = Effect.fnUntraced(function* (request: AccessRequest, plan: AccessPlan, old: Device | null) {
  const { links: linknets } = yield* NetworkStore

  const { device, peer } = request
  const own = old ?? device
  const ids = [own.id, ...(peer === null ? [] : [peer.device.id]), ...(old === null ? [] : [device.id])]
  const ofUnit = old === null ? [] : yield* linknets.ofDevice(device.id)
  const before = yield* snapshotRows(ids, [...plan.remove, ...ofUnit])
  return { ...before, infraIp: own.infra_ip, replaced: old === null ? null : { old, unit: device } }
})

/** Plans once more under the lock of allocations, and writes. Yields what the job remembers from then on. */
const writePlan = Effect.fn("AccessInitRows.write")(function* (
  job: InitJob,
  request: AccessRequest,
  members: readonly [Member, ...ReadonlyArray<Member>]
) {
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  const waitForAllocation = yield* allocationLock

  const { newHostname } = request
  yield* waitForAllocation
  const unit = yield* devices.lock(request.device.id)
  yield* discoveredOnly(unit)
  yield* aloneOn(job, request.peer === null ? [unit] : [unit, request.peer.device])
  const old = request.replace ? yield* findReplaced(newHostname) : null
  if (old !== null) yield* aloneOn(job, [yield* devices.lock(old.id)])
  const plan = yield* request.uplinks === null ? planCabled(members, old) : planSecond(request.uplinks)
  const before = yield* takeSnapshot({ ...request, device: unit }, plan, old)
  const device = old === null ? unit : yield* swapUnits(job, old, unit)
  for (const { deviceId, remove, write: ports } of plan.ports) yield* writePorts(deviceId, ports, remove)
  const written = yield* writeLinks(job, before.deviceIds, plan)
  const addresses = yield* allocate(device, plan.domain)
  yield* devices.update(device.id, { hostname: newHostname })
  yield* events.clear([unit.hostname])
  const decided = decision(request, unit, device.id, plan, addresses, { ...before, ...written })
  yield* job.memo.write(decided)
  return decided
}, inTransaction)

const surveyMember = Effect.fnUntraced(function* (job: InitJob, device: Device, newHostname: string) {
  yield* beginStep(job, "survey", `Reading what ${device.hostname} is and which neighbours it has`)
  return yield* Effect.catchTag(askMember(device, newHostname), "SurveyImpossible", (error) =>
    Effect.fail(surveyFailure(error))
  )
})

/** Surveys, checks and writes; a check that fails changes nothing. The device has its new hostname afterwards. */
export const prepareAccess = Effect.fn("AccessInitPlan.prepare")(function* (job: InitJob, request: AccessRequest) {
  const { device, newHostname, peer, replace } = request
  const first = yield* surveyMember(job, device, newHostname)
  const members = [first, ...(peer === null ? [] : [yield* surveyMember(job, peer.device, peer.newHostname)])] as const
  if (request.uplinks === null) {
    const old = replace ? yield* findReplaced(newHostname) : null
    // rows that another job is writing may be inconsistent: report that job instead
    const others = peer === null ? [device] : [device, peer.device]
    const plan = yield* Effect.tapError(planCabled(members, old), () => aloneOn(job, others))
    yield* beginStep(job, "neighbours", `Checking the neighbours ${plan.uplinks.join(" and ")}`)
    yield* checkNeighbours(plan.uplinks, "ACCESS", job.id)
  }
  yield* checkpoint(job, `Planning the place of ${newHostname}`)
  const decided = yield* writePlan(job, request, members)
  const at = [decided.primary, decided.secondary].flatMap((address) => address?.ip ?? []).join(" and ")
  yield* say(job, "planned", `${decided.previousHostname} becomes ${newHostname} at ${at}`)
  for (const name of decided.lost.interfaces) {
    yield* say(job, "lost", `The new unit has no port ${name}: its configuration is lost`)
  }
  return decided
}, refusedAsFailure)

/** The uplinks of a pair whose first switch is managed already, as the rows say. */
export const uplinksOfPair = Effect.fn("AccessInitPlan.uplinksOfPair")(function* (ids: ReadonlyArray<number>) {
  const interfaces = yield* InterfaceStore

  return uplinkHostnames(yield* interfaces.ofDevices(ids))
})
