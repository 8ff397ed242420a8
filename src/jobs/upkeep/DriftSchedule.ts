/** Starts the job `device_drift` every DRIFT_INTERVAL seconds (0: never). */
import { Effect, Layer } from "effect"
import { DeviceDrift } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { SCHEDULER } from "../../domain/Job.ts"
import { startRegularly } from "./JobSchedule.ts"

const make = Effect.gen(function* () {
  const engine = yield* JobEngine
  const { DRIFT_INTERVAL } = yield* ServerConfig
  yield* startRegularly({
    name: DeviceDrift.name,
    interval: DRIFT_INTERVAL,
    countsOthers: true,
    start: Effect.asVoid(engine.start(DeviceDrift, {}, { user: SCHEDULER, delaySeconds: 0 }))
  })
})

/** The schedule, for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
