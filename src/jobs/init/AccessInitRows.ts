/**
 * Writes the plan of an access switch: links, ports, hostname and addresses, all in one transaction with the job's memory
 * (docs/provisioning.md#access-step-1 and docs/provisioning.md#replacement). What it changed is remembered, to be taken back if
 * the switch does not move.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import type { InitDecision, RowsBefore } from "../../domain/jobs/InitJobs.ts"
import type { MgmtDomain } from "../../domain/MgmtDomain.ts"
import { accessVariables, allocateManagement, type ManagementAddresses } from "../../provisioning/ManagementAddress.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import type { Member } from "./AccessPlace.ts"
import { type AccessPlan, AccessPlanner } from "./AccessPlanner.ts"
import type { InitJob } from "./InitJob.ts"
import { InitReplacement } from "./InitReplacement.ts"
import { InitRows } from "./InitRows.ts"
import { allocationLock, LinknetStore, ReservationStore } from "../../store/NetworkStore.ts"

/** What the job is to do with a switch that was found fit for it. */
export interface AccessRequest {
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

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const devices = yield* DeviceStore
  const linknets = yield* LinknetStore
  const reservations = yield* ReservationStore
  const events = yield* SyncEventStore
  const planner = yield* AccessPlanner
  const rows = yield* InitRows
  const waitForAllocation = yield* allocationLock
  const replacement = yield* InitReplacement

  const allocate = Effect.fnUntraced(function* (device: Device, domain: MgmtDomain) {
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
    yield* rows.reserve(device, secondary === null ? [primary] : [primary, secondary])
    return allocated
  })

  const takeSnapshot = Effect.fnUntraced(function* (request: AccessRequest, plan: AccessPlan, old: Device | null) {
    const { device, peer } = request
    const own = old ?? device
    const ids = [own.id, ...(peer === null ? [] : [peer.device.id]), ...(old === null ? [] : [device.id])]
    const ofUnit = old === null ? [] : yield* linknets.ofDevice(device.id)
    const before = yield* rows.snapshot(ids, [...plan.remove, ...ofUnit])
    return { ...before, infraIp: own.infra_ip, replaced: old === null ? null : { old, unit: device } }
  })

  const write = Effect.fn("AccessInitRows.write")(function* (
    job: InitJob,
    request: AccessRequest,
    members: readonly [Member, ...ReadonlyArray<Member>]
  ) {
    const { newHostname } = request
    yield* waitForAllocation
    const unit = yield* devices.lock(request.device.id)
    yield* discoveredOnly(unit)
    yield* rows.aloneOn(job, request.peer === null ? [unit] : [unit, request.peer.device])
    const old = request.replace ? yield* replacement.find(newHostname) : null
    if (old !== null) yield* rows.aloneOn(job, [yield* devices.lock(old.id)])
    const plan = yield* request.uplinks === null ? planner.cabled(members, old) : planner.second(request.uplinks)
    const before = yield* takeSnapshot({ ...request, device: unit }, plan, old)
    const device = old === null ? unit : yield* replacement.swap(job, old, unit)
    for (const { deviceId, remove, write: ports } of plan.ports) yield* rows.writePorts(deviceId, ports, remove)
    const written = yield* rows.writeLinks(job, before.deviceIds, plan)
    const addresses = yield* allocate(device, plan.domain)
    yield* devices.update(device.id, { hostname: newHostname })
    yield* events.clear([unit.hostname])
    const decided = decision(request, unit, device.id, plan, addresses, { ...before, ...written })
    yield* job.memo.write(decided)
    return decided
  }, sql.withTransaction)

  return {
    /** Plans once more under the lock of allocations, and writes. Yields what the job remembers from then on. */
    write
  }
})

/** The rows of access switches that are being initialised. */
export class AccessInitRows extends Context.Service<AccessInitRows>()("switchyard/jobs/AccessInitRows", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
