/**
 * The part of access provisioning that decides and writes: links, ports, management domain and addresses of a new access
 * switch, all in one transaction with the job's memory, so that a failure leaves nothing half done (contract engine.md
 * §5.12 steps 1–11, §5.13, §5.14). What it changed is remembered, to be taken back if the switch does not move.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import type { InitDecision, RowsBefore } from "../../domain/jobs/InitDecision.ts"
import type { MgmtDomain } from "../../domain/MgmtDomain.ts"
import { uplinkHostnames } from "../../provisioning/InterfaceDatabase.ts"
import { accessVariables, allocateManagement, type ManagementAddresses } from "../../provisioning/ManagementAddress.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { allocationLock } from "../../store/AllocationLock.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { LinknetStore } from "../../store/LinknetStore.ts"
import { ReservationStore } from "../../store/ReservationStore.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"
import { AccessPlace, type Member } from "./AccessPlace.ts"
import { type AccessPlan, AccessPlanner } from "./AccessPlanner.ts"
import type { InitJob } from "./InitJob.ts"
import { InitProgress } from "./InitProgress.ts"
import { InitReplacement } from "./InitReplacement.ts"
import { InitRows } from "./InitRows.ts"
import { surveyFailure } from "./InitSurvey.ts"
import { refusedAsFailure } from "../engine/JobHandler.ts"
import { NeighbourSync } from "./NeighbourSync.ts"

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

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const linknets = yield* LinknetStore
  const reservations = yield* ReservationStore
  const events = yield* SyncEventStore
  const neighbourSync = yield* NeighbourSync
  const place = yield* AccessPlace
  const planner = yield* AccessPlanner
  const rows = yield* InitRows
  const waitForAllocation = yield* allocationLock
  const replacement = yield* InitReplacement
  const progress = yield* InitProgress

  const survey = Effect.fnUntraced(function* (job: InitJob, device: Device, newHostname: string) {
    yield* progress.begin(job, "survey", `Reading what ${device.hostname} is and which neighbours it has`)
    return yield* Effect.catchTag(place.ask(device, newHostname), "SurveyImpossible", (error) =>
      Effect.fail(surveyFailure(error))
    )
  })

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

  const write = Effect.fnUntraced(function* (
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

  const prepare = Effect.fn("AccessInitPlan.prepare")(function* (job: InitJob, request: AccessRequest) {
    const { device, newHostname, peer, replace } = request
    const first = yield* survey(job, device, newHostname)
    const members = [first, ...(peer === null ? [] : [yield* survey(job, peer.device, peer.newHostname)])] as const
    if (request.uplinks === null) {
      const old = replace ? yield* replacement.find(newHostname) : null
      // rows that another job is writing look like anything; that job is what has to be told
      const others = peer === null ? [device] : [device, peer.device]
      const plan = yield* Effect.tapError(planner.cabled(members, old), () => rows.aloneOn(job, others))
      yield* progress.begin(job, "neighbours", `Checking the neighbours ${plan.uplinks.join(" and ")}`)
      yield* neighbourSync.check(plan.uplinks, "ACCESS", job.id)
    }
    yield* progress.checkpoint(job, `Planning the place of ${newHostname}`)
    const decided = yield* write(job, request, members)
    const at = [decided.primary, decided.secondary].flatMap((address) => address?.ip ?? []).join(" and ")
    yield* progress.say(job, "planned", `${decided.previousHostname} becomes ${newHostname} at ${at}`)
    for (const name of decided.lost.interfaces) {
      yield* progress.say(job, "lost", `The new unit has no port ${name}: its configuration is lost`)
    }
    return decided
  }, refusedAsFailure)

  /** The uplinks of a pair whose first switch is managed already, as the rows say. */
  const uplinksOfPair = Effect.fn("AccessInitPlan.uplinksOfPair")(function* (ids: ReadonlyArray<number>) {
    return uplinkHostnames(yield* interfaces.ofDevices(ids))
  })

  return AccessInitPlan.of({ prepare, uplinksOfPair })
})

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

type Step<A> = Effect.Effect<A, JobFailure | SqlError.SqlError>

/** Plans the initialisation of an access switch. */
export class AccessInitPlan extends Context.Service<
  AccessInitPlan,
  {
    /** Surveys, checks and writes; a check that fails changes nothing. The device has its new hostname afterwards. */
    readonly prepare: (job: InitJob, request: AccessRequest) => Step<InitDecision>
    /** Hostnames above an MLAG pair whose ports are written, one per uplink. */
    readonly uplinksOfPair: (
      deviceIds: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  }
>()("switchyard/jobs/AccessInitPlan") {
  static readonly layer = Layer.effect(AccessInitPlan, make)
}
