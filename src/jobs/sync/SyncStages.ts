/**
 * Carries a sync through its stages to the verdict over what waits afterwards: confirmed by a job of its own, or taken back
 * (docs/changes.md#confirm-modes). A restart goes on with the devices that have no final result yet.
 */
import { Context, Effect, Fiber, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { JobFailure } from "../../domain/Job.ts"
import type { SyncMemo } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { type Guard, makeGuard, stagesOf } from "./Rollout.ts"
import { SyncConfirm } from "./SyncConfirm.ts"
import { planOf } from "./SyncPlan.ts"
import { runOf, SyncResume } from "./SyncResume.ts"
import { SyncRollout } from "./SyncRollout.ts"
import { SyncVerdict } from "./SyncVerdict.ts"
import { type SyncJob, type SyncWork, takeWaiting, type VerdictContext } from "./SyncWork.ts"
import { TimerWaits } from "./TimerWaits.ts"
import { JobLockStore } from "../../store/JobScheduling.ts"

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const locks = yield* JobLockStore
  const resuming = yield* SyncResume
  const rollout = yield* SyncRollout
  const verdicts = yield* SyncVerdict
  const confirmation = yield* SyncConfirm
  const timerWaits = yield* TimerWaits

  /** All devices that have no final result yet, stage by stage. Yields the work as it stands afterwards. */
  const runStages = Effect.fnUntraced(function* (job: SyncJob, memo: SyncMemo) {
    const { devices, work } = yield* resuming.resume(job, memo)
    const { guard } = work
    const remembering = yield* Effect.forkChild(
      Effect.flatMap(guard.stopped, (stop) => job.memo.write({ ...memo, stop }))
    )
    for (const { hostnames, isCanary } of stagesOf(memo.hostnames, job.args)) {
      const stage = hostnames.flatMap((hostname) => devices.get(hostname) ?? [])
      if (stage.length > 0) yield* rollout.runStage(work, stage, isCanary)
    }
    yield* guard.stop() === null ? Fiber.interrupt(remembering) : Fiber.join(remembering)
    return work
  })

  /** Waits for the job that confirms, and takes back what it has left behind. */
  const awaitConfirmation = Effect.fnUntraced(function* (job: SyncJob, context: VerdictContext, confirming: number) {
    const status = yield* confirmation.ended(job, confirming)
    yield* locks.transfer(confirming, job.id)
    const left = yield* confirmation.leftWaiting(job.id)
    if (left.length === 0) return
    const message = `The job ${confirming} that was to confirm the change ended ${status}`
    yield* context.guard.halt(message)
    yield* verdicts.takeBack(context, left, { aborted: status === "ABORTED", message })
  })

  /** The verdict over what waits, once all stages have ended. */
  const conclude = Effect.fnUntraced(function* (work: SyncWork, memo: SyncMemo) {
    const { guard, job, plan, waiting } = work
    if (yield* job.aborting) yield* guard.aborted
    const stop = guard.stop()
    if (stop !== null && (plan.takesBack || stop.aborted)) {
      yield* verdicts.takeBack(work, takeWaiting(work), stop)
      // all or nothing: devices that kept the change although others failed are put back by a job of their own
      if (plan.scope === "job" && !stop.aborted) yield* confirmation.putBack(job, job.id)
    } else if (waiting.size > 0 && !job.args.dry_run) {
      const next = { ...memo, ...(stop === null ? {} : { stop }) }
      yield* awaitConfirmation(job, work, yield* confirmation.confirmAll(work, next))
    }
  })

  const run = Effect.fn("SyncStages.run")(function* (job: SyncJob, memo: SyncMemo) {
    const work = yield* runStages(job, memo)
    yield* conclude(work, memo)
    return work.guard
  })

  const resumeWaiting = Effect.fn("SyncStages.resumeWaiting")(function* (
    job: SyncJob,
    memo: SyncMemo,
    confirming: number
  ) {
    const guard = yield* makeGuard(planOf(job.args, config.COMMIT_CONFIRMED_MODE), memo.stop ?? null, [])
    const context = { guard, run: runOf(job, memo), timers: yield* timerWaits.watch(job) }
    yield* awaitConfirmation(job, context, confirming)
    return guard
  })

  return SyncStages.of({ run, resumeWaiting })
})

type StagesRun = Effect.Effect<Guard, JobFailure | SqlError.SqlError>

/** The way of a sync through its stages. Yields the guard, which knows whether the rollout was stopped. */
export class SyncStages extends Context.Service<
  SyncStages,
  {
    /** Works on all devices that have no final result yet, until none waits any more. */
    readonly run: (job: SyncJob, memo: SyncMemo) => StagesRun
    /** The confirming job was started before a restart: it has the lock, and this job only waits for it. */
    readonly resumeWaiting: (job: SyncJob, memo: SyncMemo, confirming: number) => StagesRun
  }
>()("switchyard/jobs/SyncStages") {
  static readonly layer = Layer.effect(SyncStages, make)
}
