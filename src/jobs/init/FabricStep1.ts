/**
 * Job `init_fabric_device_step1`: gives a discovered DIST or CORE device its links, loopback addresses and base configuration
 * (docs/provisioning.md#fabric-step-1). The verdict and the way back are those of access switches. Neighbours that were
 * verified are synchronized afterwards, so that they bring up the new links.
 */
import { Effect, Option } from "effect"
import { type InitDecision, InitFabricStep1 } from "../../domain/jobs/InitJobs.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { abortRecorded, beginStep, checkpoint, type InitJob, say } from "./Progress.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { deviceRows, handle, inTransaction, type JobRun, refusedAsFailure } from "../engine/JobHandler.ts"
import { requireAccepted } from "../requests/SignedCommits.ts"
import { JobWindows } from "../requests/JobWindows.ts"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import type { LldpTable } from "../../provisioning/Links.ts"
import { allocateFabric, fabricVariables } from "../../provisioning/Addresses.ts"
import { checkFabricNeighbours } from "../../provisioning/Placement.ts"
import { allocationLock, NetworkStore } from "../../store/NetworkStore.ts"
import { DeviceStore, SyncEventStore } from "../../store/DeviceStore.ts"
import { checkNeighbours, planLinksOf, surveyFacts, surveyFailure, surveyNeighbours, underlayOf } from "./Survey.ts"
import { aloneOn, reserveAddresses, snapshotRows, writeLinks } from "./Rows.ts"
import { moveSwitch } from "./Move.ts"
import { requireManageable } from "../../domain/platforms/Platforms.ts"

// The decisions and writes of fabric provisioning: links and loopback addresses of a new DIST or CORE device, in one transaction
// with the job's memory, so a failure leaves no partial rows (docs/provisioning.md#fabric-step-1).

/** The request, parsed. */
interface FabricRequest {
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

const checks = Effect.fnUntraced(function* (device: Device, request: FabricRequest, heard: LldpTable) {
  const { links, neighbours, plan } = yield* planLinksOf(device, targetOf(request), heard)
  const asked = { device, links, devices: neighbours, neighbors: request.neighbors }
  const verified = yield* Effect.fromResult(checkFabricNeighbours(asked, request.device_type))
  return { plan, neighbours: [...new Set(verified.neighbors)] }
})

const allocate = Effect.fnUntraced(function* (device: Device, request: FabricRequest) {
  const { reservations } = yield* NetworkStore

  yield* reservations.dropStale
  yield* reservations.release(device.id)
  const underlay = yield* underlayOf(device, targetOf(request))
  const addresses = yield* Effect.fromResult(
    allocateFabric({
      mgmtLoNet: underlay?.mgmt_lo_net ?? null,
      infraLoNet: underlay?.infra_lo_net ?? null,
      takenManagement: yield* reservations.takenAddresses,
      takenInfra: yield* reservations.takenAddresses
    })
  )
  yield* reserveAddresses(device, [addresses.management])
  return addresses
})

const writePlan = Effect.fnUntraced(function* (job: InitJob, id: number, request: FabricRequest, heard: LldpTable) {
  const devices = yield* DeviceStore
  const events = yield* SyncEventStore
  const waitForAllocation = yield* allocationLock

  yield* waitForAllocation
  const device = yield* devices.lock(id)
  yield* discoveredOnly(device)
  yield* aloneOn(job, [device])
  const { neighbours, plan } = yield* checks(device, request, heard)
  const before = yield* snapshotRows([device.id], plan.remove)
  const written = yield* writeLinks(job, [device.id], plan)
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
}, inTransaction)

/** Surveys, checks and writes; a check that fails changes nothing. The device has its new hostname afterwards. */
const prepareFabric = Effect.fn("FabricInitPlan.prepare")(function* (job: InitJob, id: number, request: FabricRequest) {
  const devices = yield* DeviceStore

  const device = yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
    Effect.fail(refuse("ValueError", `No device with id ${id} found`))
  )
  yield* discoveredOnly(device)
  yield* requireManageable(device)
  yield* requireAccepted
  const [taken] = yield* devices.bearing([request.newHostname])
  if (taken !== undefined && taken.id !== device.id) {
    return yield* refuse("DeviceStateError", `There is already a device with hostname ${taken.hostname}`)
  }
  yield* beginStep(job, "survey", `Reading what ${device.hostname} is and which neighbours it has`)
  yield* Effect.mapError(surveyFacts(device), surveyFailure)
  const heard = yield* Effect.mapError(surveyNeighbours(device), surveyFailure)
  const { neighbours } = yield* checks(device, request, heard)
  yield* beginStep(job, "neighbours", `Checking the neighbours ${neighbours.join(", ")}`)
  yield* checkNeighbours(neighbours, request.device_type, job.id)
  yield* checkpoint(job, `Planning the place of ${request.newHostname}`)
  const decided = yield* writePlan(job, id, request, heard)
  const { infraIp, newHostname, previousHostname, primary } = decided
  const at = `${primary.ip} with infra address ${infraIp}`
  yield* say(job, "planned", `${previousHostname} becomes ${newHostname} at ${at}`)
  return decided
}, refusedAsFailure)

type Step1 = JobRun<typeof InitFabricStep1>

/** Seconds until the neighbours are synchronized. */
const SYNC_DELAY = 1

const requestOf = Effect.fnUntraced(function* ({ args }: Step1) {
  const { device_type } = args
  if (device_type !== "DIST" && device_type !== "CORE") {
    const known = device_type === "ACCESS" || device_type === "UNKNOWN"
    const message = known ? "Init fabric device requires device type DIST or CORE" : "Invalid 'device_type' provided"
    return yield* refuse("ValueError", message)
  }
  const request: FabricRequest = { newHostname: args.new_hostname, device_type, neighbors: args.neighbors ?? null }
  return request
})

/** Nothing is synchronized for an empty list: it would mean every device. */
const syncNeighbours = Effect.fnUntraced(function* (job: Step1, hostnames: ReadonlyArray<string>) {
  const engine = yield* JobEngine
  const windows = yield* JobWindows

  if (hostnames.length === 0) return
  // the neighbours are in service, so they wait for their windows
  const wishes = (yield* windows.areThere) ? { wait_for_window: true } : {}
  const args = { hostnames, dry_run: false, failed_proof: "leave" as const, ...wishes }
  yield* engine.start(SyncDevices, args, { user: job.user, delaySeconds: SYNC_DELAY })
})

const run = Effect.fn("InitFabricStep1")(function* (job: Step1) {
  const config = yield* ServerConfig

  const before = yield* job.memo.read
  const decided = Option.isSome(before)
    ? before.value
    : yield* prepareFabric(job, job.args.device_id, yield* requestOf(job))
  if (decided.stage !== "done") {
    yield* moveSwitch(job, decided, {
      step2DelaySeconds: config.INIT_STEP2_DELAY,
      afterwards: syncNeighbours(job, decided.neighbours)
    })
  }
  return deviceRows
}, refusedAsFailure)

const handler = (job: JobRun<typeof InitFabricStep1>) => abortRecorded(job, job.args.device_id, run(job))

export const job = handle(InitFabricStep1, handler)
