/** Renders what a device should run and stores the change that brings it there; what prevents it is recorded of the device. */
import { Context, Effect, Layer, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { ChangeToRun } from "../../store/ChangeStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { callErrorText } from "../engine/CallErrorText.ts"
import { broken, ChangeCalls } from "./ChangeCalls.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import { renderFailed } from "./SyncTasks.ts"
import type { SyncWork } from "./SyncWork.ts"

const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const calls = yield* ChangeCalls
  const outcomes = yield* SyncOutcome

  const store = Effect.fn("CandidateChange.store")(function* (work: SyncWork, device: Device) {
    const { guard, job, plan, render, run } = work
    const rendered = yield* render(device)
    if (Result.isFailure(rendered)) {
      const { message, type } = rendered.failure
      const { hostname } = device
      const result = renderFailed(`${type}: ${message}\n`)
      yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
      yield* guard.failed(hostname, false)
      return null
    }
    const candidate = rendered.success.text
    const { dry_run: dryRun, force } = job.args
    const wanted = { jobId: job.id, candidate, mode: plan.mode, dryRun, force, expectedHash: device.confhash }
    return yield* calls.store(device, wanted).pipe(
      Effect.catchTag("UnknownPlatform", (error) =>
        Effect.gen(function* () {
          yield* outcomes.record(device, run, candidate, broken(callErrorText(error)))
          yield* guard.failed(device.hostname, false)
          return null
        })
      )
    )
  })

  return CandidateChange.of({ store })
})

/** Changes of a sync job, from what is rendered. */
export class CandidateChange extends Context.Service<
  CandidateChange,
  {
    /** The device's change; null when there can be none, with a row that says why. */
    readonly store: (work: SyncWork, device: Device) => Effect.Effect<ChangeToRun | null, SqlError.SqlError>
  }
>()("switchyard/jobs/CandidateChange") {
  static readonly layer = Layer.effect(CandidateChange, make)
}
