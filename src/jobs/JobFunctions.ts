/** The handlers of all job functions, by name. A new function is one file and one line here. */
import { Effect, Layer } from "effect"
import type { JobFunction } from "../domain/Job.ts"
import * as DiscoverDevice from "./DiscoverDevice.ts"
import * as InitAccessStep1 from "./InitAccessStep1.ts"
import * as InitStep2 from "./InitStep2.ts"
import { type JobHandler, JobHandlers } from "./JobHandler.ts"
import * as RefreshRepository from "./RefreshRepository.ts"
import * as SyncDevices from "./SyncDevices.ts"

const make = Effect.gen(function* () {
  return JobHandlers.of(
    new Map<JobFunction, JobHandler>([
      ["discover_device", yield* DiscoverDevice.make],
      ["init_access_device_step1", yield* InitAccessStep1.make],
      ["init_device_step2", yield* InitStep2.make],
      ["sync_devices", yield* SyncDevices.make],
      ["refresh_repo", yield* RefreshRepository.make]
    ])
  )
})

export const layer = Layer.effect(JobHandlers, make)
