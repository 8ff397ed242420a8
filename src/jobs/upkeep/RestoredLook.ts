/** Looks at devices that nobody has looked at since the database was restored, again and again until each has answered. */
import { Effect, Layer } from "effect"
import { DeviceDrift } from "../../domain/jobs/ChangeJobs.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { SCHEDULER } from "../../domain/Job.ts"
import { startRegularly } from "./JobSchedule.ts"
import { UnseenDeviceStore } from "../../store/DeviceStore.ts"

/** Seconds between two looks at those that have not answered. */
const INTERVAL = 300

const make = Effect.gen(function* () {
  const engine = yield* JobEngine
  const unseen = yield* UnseenDeviceStore
  const start = Effect.gen(function* () {
    const hostnames = yield* unseen.hostnames
    if (hostnames.length > 0) yield* engine.start(DeviceDrift, { hostnames }, { user: SCHEDULER, delaySeconds: 0 })
  })
  yield* startRegularly({ name: DeviceDrift.name, interval: INTERVAL, countsOthers: true, start })
})

/** The look, for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
