/** Starts the job `read_tables` every MAC_INTERVAL seconds (0: never). */
import { Effect, Layer } from "effect"
import { ReadTables } from "../../domain/jobs/UpkeepJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { SCHEDULER } from "../../domain/Job.ts"
import { startRegularly } from "./JobSchedule.ts"

const make = Effect.gen(function* () {
  const engine = yield* JobEngine
  const { MAC_INTERVAL } = yield* ServerConfig
  yield* startRegularly({
    name: ReadTables.name,
    interval: MAC_INTERVAL,
    // somebody else may have read one switch alone
    countsOthers: false,
    start: Effect.asVoid(engine.start(ReadTables, {}, { user: SCHEDULER, delaySeconds: 0 }))
  })
})

/** The schedule, for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
