/**
 * The part of fabric provisioning that decides and writes: links and loopback addresses of a new DIST or CORE device, in one
 * transaction with the job's memory, so that a failure leaves nothing half done (docs/provisioning.md#fabric-step-1).
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"
import type { LldpTable } from "../../provisioning/Links.ts"
import { allocateFabric, fabricVariables } from "../../provisioning/ManagementAddress.ts"
import { checkFabricNeighbours } from "../../provisioning/NeighbourChecks.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { refusedAsFailure } from "../engine/JobHandler.ts"
import type { InitJob } from "./InitJob.ts"
import { InitProgress } from "./InitProgress.ts"
import { InitRows } from "./InitRows.ts"
import { InitSurvey, surveyFailure } from "./InitSurvey.ts"
import { NeighbourSync } from "./NeighbourSync.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"
import { allocationLock, ReservationStore } from "../../store/NetworkStore.ts"

/** What is asked for, in its exact form. */
export interface FabricRequest {
  readonly newHostname: string
  readonly device_type: "DIST" | "CORE"
  readonly neighbors: ReadonlyArray<string> | null
}

const refuse = (type: string, message: string) => new JobFailure({ type, message })

const discoveredOnly = (device: Device) =>
  device.state === "DISCOVERED"
    ? Effect.void
    : refuse("DeviceStateError", "Device must be in state DISCOVERED to begin init")

const targetOf = ({ device_type, newHostname }: FabricRequest) => ({
  hostname: newHostname,
  device_type,
  mlagPeerId: null
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DeviceStore
  const reservations = yield* ReservationStore
  const events = yield* SyncEventStore
  const survey = yield* InitSurvey
  const neighbourSync = yield* NeighbourSync
  const rows = yield* InitRows
  const waitForAllocation = yield* allocationLock
  const progress = yield* InitProgress

  const checks = Effect.fnUntraced(function* (device: Device, request: FabricRequest, heard: LldpTable) {
    const { links, neighbours, plan } = yield* survey.plan(device, targetOf(request), heard)
    const asked = { device, links, devices: neighbours, neighbors: request.neighbors }
    const verified = yield* Effect.fromResult(checkFabricNeighbours(asked, request.device_type))
    return { plan, neighbours: [...new Set(verified.neighbors)] }
  })

  const allocate = Effect.fnUntraced(function* (device: Device, request: FabricRequest) {
    yield* reservations.dropStale
    yield* reservations.release(device.id)
    const underlay = yield* survey.underlay(device, targetOf(request))
    const addresses = yield* Effect.fromResult(
      allocateFabric({
        mgmtLoNet: underlay?.mgmt_lo_net ?? null,
        infraLoNet: underlay?.infra_lo_net ?? null,
        takenManagement: yield* reservations.takenAddresses,
        takenInfra: yield* reservations.takenAddresses
      })
    )
    yield* rows.reserve(device, [addresses.management])
    return addresses
  })

  const write = Effect.fnUntraced(function* (job: InitJob, id: number, request: FabricRequest, heard: LldpTable) {
    yield* waitForAllocation
    const device = yield* devices.lock(id)
    yield* discoveredOnly(device)
    yield* rows.aloneOn(job, [device])
    const { neighbours, plan } = yield* checks(device, request, heard)
    const before = yield* rows.snapshot([device.id], plan.remove)
    const written = yield* rows.writeLinks(job, [device.id], plan)
    const addresses = yield* allocate(device, request)
    const { infra, management } = addresses
    yield* devices.update(device.id, { hostname: request.newHostname, infra_ip: infra.ip })
    yield* events.clear([device.hostname])
    const decided: InitDecision = {
      stage: "prepared",
      deviceId: device.id,
      device_type: request.device_type,
      previousHostname: device.hostname,
      newHostname: request.newHostname,
      oldAddress: device.dhcp_ip ?? "",
      primary: { ip: management.ip, network: null },
      secondary: null,
      infraIp: infra.ip,
      variables: fabricVariables(addresses),
      neighbours,
      uplinks: [],
      before: { ...before, ...written, infraIp: device.infra_ip, replaced: null },
      lost: { interfaces: [], links: [] }
    }
    yield* job.memo.write(decided)
    return decided
  }, sql.withTransaction)

  const prepare = Effect.fn("FabricInitPlan.prepare")(function* (job: InitJob, id: number, request: FabricRequest) {
    const device = yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
      Effect.fail(refuse("ValueError", `No device with id ${id} found`))
    )
    yield* discoveredOnly(device)
    yield* requireManageable(device)
    const [taken] = yield* devices.bearing([request.newHostname])
    if (taken !== undefined && taken.id !== device.id) {
      return yield* refuse("DeviceStateError", `There is already a device with hostname ${taken.hostname}`)
    }
    yield* progress.begin(job, "survey", `Reading what ${device.hostname} is and which neighbours it has`)
    yield* Effect.mapError(survey.facts(device), surveyFailure)
    const heard = yield* Effect.mapError(survey.heard(device), surveyFailure)
    const { neighbours } = yield* checks(device, request, heard)
    yield* progress.begin(job, "neighbours", `Checking the neighbours ${neighbours.join(", ")}`)
    yield* neighbourSync.check(neighbours, request.device_type, job.id)
    yield* progress.checkpoint(job, `Planning the place of ${request.newHostname}`)
    const decided = yield* write(job, id, request, heard)
    const { infraIp, newHostname, previousHostname, primary } = decided
    const at = `${primary.ip} with infra address ${infraIp}`
    yield* progress.say(job, "planned", `${previousHostname} becomes ${newHostname} at ${at}`)
    return decided
  }, refusedAsFailure)

  return FabricInitPlan.of({ prepare })
})

/** Plans the initialisation of a fabric device. */
export class FabricInitPlan extends Context.Service<
  FabricInitPlan,
  {
    /** Surveys, checks and writes; a check that fails changes nothing. The device has its new hostname afterwards. */
    readonly prepare: (
      job: InitJob,
      deviceId: number,
      request: FabricRequest
    ) => Effect.Effect<InitDecision, JobFailure | SqlError.SqlError>
  }
>()("switchyard/jobs/FabricInitPlan") {
  static readonly layer = Layer.effect(FabricInitPlan, make)
}
