/**
 * The part of access provisioning that decides and writes: links, ports, management domain and addresses of a new access
 * switch, all in one transaction with the job's memory, so that a failure leaves nothing half done (contract engine.md
 * §5.12 steps 1–11). What it changed is remembered, to be taken back if the switch does not move.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../domain/Device.ts"
import { JobFailure } from "../domain/Job.ts"
import { Linknet } from "../domain/Linknet.ts"
import { placeAccessSwitch } from "../provisioning/AccessPlacement.ts"
import { cabledPorts, physicalInterfaces, planInterfaces } from "../provisioning/InterfaceDatabase.ts"
import { accessVariables, allocateManagement, type ManagementAddresses } from "../provisioning/ManagementAddress.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { LinknetStore } from "../store/LinknetStore.ts"
import { MgmtDomainStore } from "../store/MgmtDomainStore.ts"
import { ReservationStore } from "../store/ReservationStore.ts"
import { SyncEventStore } from "../store/SyncEventStore.ts"
import { InitSurvey, type LinkSurveyed } from "./InitSurvey.ts"
import { refusedAsFailure, type RunningJob } from "./JobHandler.ts"
import { NeighbourSync } from "./NeighbourSync.ts"

const Address = Schema.Struct({ ip: Schema.String, network: Schema.String })

/** What step 1 has decided and how far it came; kept in the job's memory. */
export const AccessInit = Schema.Struct({
  stage: Schema.Literals(["prepared", "pushing", "done"]),
  previousHostname: Schema.String,
  newHostname: Schema.String,
  oldAddress: Schema.String,
  primary: Address,
  secondary: Schema.NullOr(Address),
  /** Template variables of the management addresses. */
  variables: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite, Schema.Null])),
  /** Neighbours that were synchronized before their new links. */
  neighboursInSync: Schema.Array(Schema.Int),
  /** Ports that were in the database before. */
  portsBefore: Schema.Array(Schema.String),
  removedLinks: Schema.Array(Linknet)
})
export type AccessInit = typeof AccessInit.Type

/** Serialises everybody who gives out addresses or links. */
const ALLOCATION_LOCK = 4_201

const failure = (type: string) => (error: { readonly message: string }) =>
  new JobFailure({ type, message: error.message })

const addressOf = ({ ip, network }: { readonly ip: string; readonly network: string }) => ({ ip, network })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const devices = yield* DeviceStore
  const interfaces = yield* InterfaceStore
  const linknets = yield* LinknetStore
  const domains = yield* MgmtDomainStore
  const reservations = yield* ReservationStore
  const events = yield* SyncEventStore
  const jobs = yield* JobStore
  const survey = yield* InitSurvey
  const neighbourSync = yield* NeighbourSync

  const place = Effect.fnUntraced(function* (device: Device, surveyed: LinkSurveyed) {
    const all = yield* devices.all
    const placement = placeAccessSwitch(
      { device, links: surveyed.links, devices: surveyed.neighbours, neighbors: null, mlagPeer: null },
      {
        domains: yield* domains.all,
        coreDevices: new Set(all.filter((row) => row.device_type === "CORE").map((row) => row.id))
      }
    )
    return yield* Effect.fromResult(placement)
  })

  /** Moved cables lose their old link; both ends of a new one have to be configured anew. */
  const writeLinks = Effect.fnUntraced(function* (job: RunningJob, device: Device, { neighbours, plan }: LinkSurveyed) {
    for (const link of plan.remove) yield* linknets.remove(link.id)
    for (const link of plan.add) yield* linknets.insert(link)
    const ends = new Set(plan.add.flatMap((link) => [link.device_a_id, link.device_b_id]))
    const touched = [...neighbours.values()].filter((row) => row.id !== device.id && ends.has(row.id))
    yield* devices.markUnsynchronized([...ends])
    const created = { cause: "linknet_created", by: job.user, job_id: job.id }
    yield* events.append(
      touched.map((row) => row.hostname),
      created
    )
    return touched.filter((row) => row.synchronized).map((row) => row.id)
  })

  const writePorts = Effect.fnUntraced(function* (
    device: Device,
    surveyed: LinkSurveyed,
    names: ReadonlyArray<string>
  ) {
    const ports = yield* Effect.fromResult(physicalInterfaces(device.platform ?? "", device.hostname, names))
    const stored = yield* interfaces.ofDevice(device.id)
    const far = new Map([...surveyed.neighbours.values()].map((row) => [row.id, row]))
    const cabled = cabledPorts(device.id, surveyed.links, far, null)
    const plan = planInterfaces({ deviceId: device.id, ports, stored, cabled, replace: true })
    for (const row of plan.write) yield* interfaces.put(device.id, row.name, row.configtype, row.data)
    yield* interfaces.remove(device.id, plan.remove)
    return stored.map((row) => row.name)
  })

  const allocate = Effect.fnUntraced(function* (device: Device, domain: MgmtDomain) {
    yield* reservations.dropStale
    yield* reservations.release(device.id)
    const allocated: ManagementAddresses = yield* Effect.fromResult(
      allocateManagement({
        domain,
        reservedCount: config.MGMTDOMAIN_RESERVED_COUNT,
        primaryVersion: config.MGMTDOMAIN_PRIMARY_IP_VERSION === 6 ? 6 : 4,
        taken: yield* reservations.takenAddresses
      })
    )
    for (const address of [allocated.primary, allocated.secondary]) {
      if (address === null) continue
      yield* reservations.reserve({ device_id: device.id, ip_version: address.ip_version, ip: address.ip })
    }
    return allocated
  })

  const write = Effect.fnUntraced(function* (
    job: RunningJob,
    device: Device,
    newHostname: string,
    surveyed: LinkSurveyed,
    domain: MgmtDomain,
    interfaceList: ReadonlyArray<string>
  ) {
    yield* sql`select pg_advisory_xact_lock(${ALLOCATION_LOCK})`
    const portsBefore = yield* writePorts(device, surveyed, interfaceList)
    const neighboursInSync = yield* writeLinks(job, device, surveyed)
    const { primary, secondary } = yield* allocate(device, domain)
    yield* devices.update(device.id, { hostname: newHostname })
    yield* events.clear([device.hostname])
    const decided: AccessInit = {
      stage: "prepared",
      previousHostname: device.hostname,
      newHostname,
      oldAddress: device.dhcp_ip ?? "",
      primary: addressOf(primary),
      secondary: secondary === null ? null : addressOf(secondary),
      variables: accessVariables({ primary, secondary }, domain),
      neighboursInSync,
      portsBefore,
      removedLinks: surveyed.plan.remove
    }
    yield* jobs.remember(job.id, decided)
    return decided
  }, sql.withTransaction)

  const prepare = Effect.fn("AccessInitPlan.prepare")(function* (job: RunningJob, device: Device, newHostname: string) {
    const facts = yield* survey.facts(device).pipe(Effect.mapError(failure("ConnectionCheckError")))
    const surveyed = yield* survey.links(device, { hostname: newHostname, device_type: "ACCESS", mlagPeerId: null })
    const { domain, uplinks } = yield* place(device, surveyed)
    if (domain === null) {
      const message = `No uplink neighbors found for device id: ${device.id} (${device.hostname})`
      return yield* new JobFailure({ type: "InitVerificationError", message })
    }
    yield* neighbourSync.check(
      uplinks.map((row) => row.hostname),
      "ACCESS",
      job.id
    )
    return yield* write(job, device, newHostname, surveyed, domain, facts.interface_list)
  }, refusedAsFailure)

  /** Takes back what `prepare` has written, except what the machine takes back itself (hostname, links, reservations). */
  const restore = Effect.fn("AccessInitPlan.restore")(function* (job: RunningJob, device: Device, decided: AccessInit) {
    const kept = new Set(decided.portsBefore)
    const rows = yield* interfaces.ofDevice(device.id)
    yield* interfaces.remove(
      device.id,
      rows.map((row) => row.name).filter((name) => !kept.has(name))
    )
    for (const { id: _id, ...link } of decided.removedLinks) yield* linknets.insert(link)
    yield* sql`delete from sync_event where job_id = ${job.id} and cause = 'linknet_created'`
    if (decided.neighboursInSync.length === 0) return
    yield* sql`update device set synchronized = true where id in ${sql.in(decided.neighboursInSync)}
      and not exists (select 1 from sync_event e where e.hostname = device.hostname)`
  }, refusedAsFailure)

  return AccessInitPlan.of({ prepare, restore })
})

type Step<A> = Effect.Effect<A, JobFailure | SqlError.SqlError>

/** Plans and un-plans the initialisation of an access switch. */
export class AccessInitPlan extends Context.Service<
  AccessInitPlan,
  {
    /** Surveys, checks and writes; a check that fails changes nothing. The device has its new hostname afterwards. */
    readonly prepare: (job: RunningJob, device: Device, newHostname: string) => Step<AccessInit>
    /** Undoes the writing, in the caller's transaction. */
    readonly restore: (job: RunningJob, device: Device, decided: AccessInit) => Step<void>
  }
>()("switchyard/jobs/AccessInitPlan") {
  static readonly layer = Layer.effect(AccessInitPlan, make)
}
