/**
 * Job `init_fabric_device_step1`: gives a discovered DIST or CORE device its links, loopback addresses and base configuration
 * (docs/provisioning.md#fabric-step-1). The verdict and the way back are those of access switches. Neighbours that were
 * verified are synchronized afterwards, so that they bring up the new links.
 */
import { Effect, Option } from "effect"
import { JobFailure } from "../../domain/Job.ts"
import { InitFabricStep1 } from "../../domain/jobs/InitJobs.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { FabricInitPlan, type FabricRequest } from "./FabricInitPlan.ts"
import { InitAbort } from "./InitAbort.ts"
import { InitMove } from "./InitMove.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { deviceRows, handle, type JobHandler, type JobRun, refusedAsFailure } from "../engine/JobHandler.ts"
import { JobWindows } from "../engine/JobWindows.ts"

type Step1 = JobRun<typeof InitFabricStep1>

/** Seconds until the neighbours are synchronized. */
const SYNC_DELAY = 1

const refuse = (type: string, message: string) => new JobFailure({ type, message })

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const engine = yield* JobEngine
  const windows = yield* JobWindows
  const plan = yield* FabricInitPlan
  const move = yield* InitMove
  const abort = yield* InitAbort

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
    if (hostnames.length === 0) return
    // the neighbours are in service, so they wait for their windows
    const wishes = (yield* windows.areThere) ? { wait_for_window: true } : {}
    const args = { hostnames, dry_run: false, ...wishes }
    yield* engine.start(SyncDevices, args, { user: job.user, delaySeconds: SYNC_DELAY })
  })

  const run = Effect.fn("InitFabricStep1")(function* (job: Step1) {
    const before = yield* job.memo.read
    const decided = Option.isSome(before)
      ? before.value
      : yield* plan.prepare(job, job.args.device_id, yield* requestOf(job))
    if (decided.stage !== "done") {
      yield* move.run(job, decided, {
        step2DelaySeconds: config.INIT_STEP2_DELAY,
        afterwards: syncNeighbours(job, decided.neighbours)
      })
    }
    return deviceRows
  }, refusedAsFailure)

  const handler: JobHandler<typeof InitFabricStep1> = (job) => run(job).pipe(abort.recorded(job, job.args.device_id))
  return handler
})

export const job = handle(InitFabricStep1, make)
