/**
 * What is left of a sync, at its beginning or after a restart: the devices that have no final result yet, what is rendered for
 * them, and why the rollout was stopped before, if it was.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import type { SyncMemo } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { CandidateConfigs, type Render, RenderFailed } from "./CandidateConfigs.ts"
import { DeviceSelection } from "./DeviceSelection.ts"
import { makeGuard } from "./Rollout.ts"
import { planOf } from "./SyncPlan.ts"
import type { SyncRun } from "./SyncStatus.ts"
import type { SyncJob, SyncWork } from "./SyncWork.ts"
import { TimerWaits } from "./TimerWaits.ts"

const invalid = (error: { readonly message: string }) => new JobFailure({ type: "ValueError", message: error.message })

/** For a run in which every device has its candidate already. */
const nothingPrepared: Render = ({ hostname }) =>
  Effect.succeed(Result.fail(new RenderFailed({ type: "NotPrepared", message: `${hostname} was not prepared` })))

/** The circumstances of the changes of a job. */
export const runOf = ({ args, id, user }: SyncJob, { eventsSeen }: SyncMemo): SyncRun => ({
  jobId: id,
  user,
  dryRun: args.dry_run,
  eventsSeen
})

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const selection = yield* DeviceSelection
  const candidates = yield* CandidateConfigs
  const timerWaits = yield* TimerWaits

  const prepare = (devices: ReadonlyArray<Device>) =>
    devices.length === 0
      ? Effect.succeed(nothingPrepared)
      : candidates
          .prepare(devices)
          .pipe(Effect.mapError((error) => (error._tag === "SqlError" ? error : invalid(error))))

  const select = (hostnames: ReadonlyArray<string>) =>
    selection
      .select({ hostnames, resync: true })
      .pipe(Effect.mapError((error) => (error._tag === "SqlError" ? error : invalid(error))))

  const resume = Effect.fn("SyncResume.resume")(function* (job: SyncJob, memo: SyncMemo) {
    const timers = yield* timerWaits.watch(job)
    const rows = yield* jobs.devices(job.id)
    const done = new Set(rows.filter((row) => row.waiting !== true).map(({ hostname }) => hostname))
    const failed = rows.filter(({ result }) => result.failed).map(({ hostname }) => hostname)
    const selected = yield* select(memo.hostnames)
    const devices = selected.filter(({ hostname }) => !done.has(hostname))
    const begun = new Map((yield* changes.progressOfJob(job.id)).map((progress) => [progress.device_id, progress]))
    const render = yield* prepare(devices.filter(({ id }) => !begun.has(id)))
    const plan = planOf(job.args, config.COMMIT_CONFIRMED_MODE)
    const guard = yield* makeGuard(plan, memo.stop ?? null, failed)
    const { changesSeen } = memo
    const run = runOf(job, memo)
    const work: SyncWork = { job, plan, run, guard, timers, changesSeen, render, begun, waiting: new Map() }
    return { work, devices: new Map(devices.map((device) => [device.hostname, device])) }
  })

  return SyncResume.of({ resume })
})

/** What is left to do, and its devices by hostname. */
export interface RemainingWork {
  readonly work: SyncWork
  readonly devices: ReadonlyMap<string, Device>
}

/** Syncs at the point that they have come to. */
export class SyncResume extends Context.Service<
  SyncResume,
  {
    /** Fails with JobFailure when nothing can be rendered. */
    readonly resume: (job: SyncJob, memo: SyncMemo) => Effect.Effect<RemainingWork, JobFailure | SqlError.SqlError>
  }
>()("switchyard/jobs/SyncResume") {
  static readonly layer = Layer.effect(SyncResume, make)
}
