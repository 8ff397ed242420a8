/**
 * Job `init_fabric_device_step1`: gives a discovered DIST or CORE device its links, loopback addresses and base
 * configuration (contract engine.md §5.16). The verdict and the way back are those of access switches. Neighbours that were
 * verified are synchronized afterwards, so that they bring up the new links.
 */
import { Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { SqlClient } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import { requireManageable } from "../../domain/platforms/Unmanageable.ts"
import type { LldpTable } from "../../provisioning/Links.ts"
import { allocateFabric, fabricVariables } from "../../provisioning/ManagementAddress.ts"
import { checkFabricNeighbours } from "../../provisioning/NeighbourChecks.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { allocationLock } from "../../store/AllocationLock.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { ReservationStore } from "../../store/ReservationStore.ts"
import { SyncEventStore } from "../../store/SyncEventStore.ts"
import * as InitAbort from "./InitAbort.ts"
import { type InitDecision, remembered } from "./InitDecision.ts"
import * as InitMove from "./InitMove.ts"
import * as InitProgress from "./InitProgress.ts"
import * as InitRows from "./InitRows.ts"
import { InitSurvey, surveyFailure } from "./InitSurvey.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import {
  decodeArguments,
  deviceRows,
  type JobHandler,
  refusedAsFailure,
  type RunningJob
} from "../engine/JobHandler.ts"
import { NeighbourSync } from "./NeighbourSync.ts"

const Arguments = Schema.Struct({
  device_id: Schema.Int,
  new_hostname: Schema.String,
  device_type: Schema.String,
  neighbors: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))
})

/** What is asked for, in its exact form. */
interface Request {
  readonly newHostname: string
  readonly device_type: "DIST" | "CORE"
  readonly neighbors: ReadonlyArray<string> | null
}

/** Seconds until the neighbours are synchronized. */
const SYNC_DELAY = 1

const refuse = (type: string, message: string) => new JobFailure({ type, message })

const discoveredOnly = (device: Device) =>
  device.state === "DISCOVERED"
    ? Effect.void
    : refuse("DeviceStateError", "Device must be in state DISCOVERED to begin init")

const targetOf = ({ device_type, newHostname }: Request) => ({
  hostname: newHostname,
  device_type,
  mlagPeerId: null
})

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const devices = yield* DeviceStore
  const reservations = yield* ReservationStore
  const events = yield* SyncEventStore
  const jobs = yield* JobStore
  const engine = yield* JobEngine
  const survey = yield* InitSurvey
  const neighbourSync = yield* NeighbourSync
  const rows = yield* InitRows.make
  const waitForAllocation = yield* allocationLock
  const move = yield* InitMove.make
  const progress = yield* InitProgress.make
  const endingAborted = yield* InitAbort.make

  const requestOf = Effect.fnUntraced(function* (args: typeof Arguments.Type) {
    const { device_type } = args
    if (device_type !== "DIST" && device_type !== "CORE") {
      const known = device_type === "ACCESS" || device_type === "UNKNOWN"
      const message = known ? "Init fabric device requires device type DIST or CORE" : "Invalid 'device_type' provided"
      return yield* refuse("ValueError", message)
    }
    const request: Request = { newHostname: args.new_hostname, device_type, neighbors: args.neighbors ?? null }
    return request
  })

  const checks = Effect.fnUntraced(function* (device: Device, request: Request, heard: LldpTable) {
    const { links, neighbours, plan } = yield* survey.plan(device, targetOf(request), heard)
    const asked = { device, links, devices: neighbours, neighbors: request.neighbors }
    const verified = yield* Effect.fromResult(checkFabricNeighbours(asked, request.device_type))
    return { plan, neighbours: [...new Set(verified.neighbors)] }
  })

  const allocate = Effect.fnUntraced(function* (device: Device, request: Request) {
    yield* reservations.dropStale
    yield* reservations.release(device.id)
    const underlay = yield* survey.underlay(device, targetOf(request))
    const addresses = yield* Effect.fromResult(
      allocateFabric({
        mgmtLoNet: underlay?.mgmt_lo_net ?? null,
        infraLoNet: underlay?.infra_lo_net ?? null,
        takenManagement: yield* reservations.takenAddresses,
        takenInfra: yield* reservations.takenInfraAddresses
      })
    )
    yield* rows.reserve(device, [addresses.management])
    return addresses
  })

  const write = Effect.fnUntraced(function* (job: RunningJob, id: number, request: Request, heard: LldpTable) {
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
    yield* jobs.remember(job.id, decided)
    return decided
  }, sql.withTransaction)

  const prepare = Effect.fnUntraced(function* (job: RunningJob, id: number, request: Request) {
    const device = yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () =>
      Effect.fail(refuse("ValueError", `No device with id ${id} found`))
    )
    yield* discoveredOnly(device)
    yield* requireManageable(device)
    const [taken] = yield* devices.byHostnames([request.newHostname])
    if (taken !== undefined && taken.id !== device.id) {
      return yield* refuse("DeviceStateError", `There is already a device with hostname ${request.newHostname}`)
    }
    yield* progress.begin(job, "survey", `Reading what ${device.hostname} is and which neighbours it has`)
    yield* Effect.mapError(survey.facts(device), surveyFailure)
    const heard = yield* Effect.mapError(survey.heard(device), surveyFailure)
    const { neighbours } = yield* checks(device, request, heard)
    yield* progress.begin(job, "neighbours", `Checking the neighbours ${neighbours.join(", ")}`)
    yield* neighbourSync.check(neighbours, request.device_type, job.id)
    yield* progress.goOn(job, `Planning the place of ${request.newHostname}`)
    const decided = yield* write(job, id, request, heard)
    const { infraIp, newHostname, previousHostname, primary } = decided
    const at = `${primary.ip} with infra address ${infraIp}`
    yield* progress.say(job, "planned", `${previousHostname} becomes ${newHostname} at ${at}`)
    return decided
  })

  /** Nothing is synchronized for an empty list: it would mean every device. */
  const syncNeighbours = (
    job: RunningJob,
    hostnames: ReadonlyArray<string>
  ): Effect.Effect<void, SqlError.SqlError> => {
    if (hostnames.length === 0) return Effect.void
    const args = { hostnames, dry_run: false }
    return Effect.asVoid(engine.start({ function: "sync_devices", args, user: job.user, delaySeconds: SYNC_DELAY }))
  }

  const run = Effect.fnUntraced(function* (job: RunningJob, args: typeof Arguments.Type) {
    const before = yield* remembered(job.id).pipe(Effect.provideService(JobStore, jobs))
    const decided = Option.isSome(before) ? before.value : yield* prepare(job, args.device_id, yield* requestOf(args))
    if (decided.stage !== "done") {
      yield* move(job, decided, {
        step2DelaySeconds: config.INIT_STEP2_DELAY,
        afterwards: syncNeighbours(job, decided.neighbours)
      })
    }
    return deviceRows
  }, refusedAsFailure)

  const handler: JobHandler = Effect.fn("InitFabricStep1")(function* (job: RunningJob) {
    const args = yield* decodeArguments(Arguments)(job)
    return yield* run(job, args).pipe(endingAborted(job, args.device_id))
  })
  return handler
})
