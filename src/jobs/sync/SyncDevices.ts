/**
 * Job `sync_devices`: renders the configuration of every selected device and, per device, shows the difference or pushes,
 * proves and confirms it (contract engine.md §7, DESIGN §3 and §7 rows 14 and 15). A restart goes on with the devices that
 * have no result yet; a change that was under way is resumed by looking at its device.
 */
import { Effect, Fiber, Option, Result, Schema } from "effect"
import { jobScore } from "../../domain/ChangeScore.ts"
import type { Device } from "../../domain/Device.ts"
import { JobFailure } from "../../domain/Job.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { WorkingCommits } from "../../domain/WorkingCommits.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { JobCommitStore } from "../../store/JobCommitStore.ts"
import { JobLockStore } from "../../store/JobLockStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import * as AutoPush from "./AutoPush.ts"
import { CandidateConfigs, type Render, RenderFailed } from "./CandidateConfigs.ts"
import type { ConfirmMode } from "./ChangeCalls.ts"
import { DeviceSelection } from "./DeviceSelection.ts"
import * as HashCheck from "./HashCheck.ts"
import { decodeArguments, type JobHandler, type RunningJob } from "../engine/JobHandler.ts"
import { type Guard, type Limits, makeGuard, stagesOf, unknownCanaries } from "./Rollout.ts"
import { SyncArguments, SyncMemo } from "./SyncArguments.ts"
import * as SyncConfirm from "./SyncConfirm.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import type { SyncRun } from "./SyncStatus.ts"
import * as SyncRollout from "./SyncRollout.ts"
import * as TimerWaits from "./TimerWaits.ts"

const invalid = (error: { readonly message: string }) => new JobFailure({ type: "ValueError", message: error.message })

/** For a run in which every device has its candidate already. */
const nothingPrepared: Render = ({ hostname }) =>
  Effect.succeed(Result.fail(new RenderFailed({ type: "NotPrepared", message: `${hostname} was not prepared` })))

/** How this job confirms, from its arguments and the server's mode. */
interface Plan extends Limits {
  readonly mode: ConfirmMode
  readonly holding: SyncRollout.Holding
  readonly takesBack: boolean
}

const planOf = (args: SyncArguments, configured: number): Plan => {
  const wanted = args.confirm_mode_override ?? configured
  // two jobs that each wait for all of their devices could wait for each other
  const mode = wanted === 0 ? 0 : wanted === 2 && !args.urgent ? 2 : 1
  const holding = args.dry_run || mode === 0 ? "none" : mode === 2 ? "job" : args.revert_on_failure ? "stage" : "none"
  const takesBack = args.revert_on_failure ?? mode === 2
  return {
    mode: holding === "none" ? (mode === 0 ? 0 : 1) : 2,
    holding,
    takesBack,
    // who wants failures taken back wants the first one to stop the rollout, unless told otherwise
    maxFailures: args.dry_run ? null : (args.max_failures ?? (takesBack && mode !== 2 ? 1 : null)),
    allOrNothing: holding === "job" && takesBack
  }
}

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const locks = yield* JobLockStore
  const selection = yield* DeviceSelection
  const candidates = yield* CandidateConfigs
  const outcomes = yield* SyncOutcome
  const autoPush = yield* AutoPush.make
  const rollout = yield* SyncRollout.make
  const confirmation = yield* SyncConfirm.make
  const checkHashes = yield* HashCheck.make
  const watchTimers = yield* TimerWaits.make
  const commits = yield* JobCommitStore

  const select = (selector: Parameters<typeof selection.select>[0]) =>
    selection.select(selector).pipe(Effect.mapError((error) => (error._tag === "SqlError" ? error : invalid(error))))

  const prepare = (devices: ReadonlyArray<Device>) =>
    devices.length === 0
      ? Effect.succeed(nothingPrepared)
      : candidates
          .prepare(devices)
          .pipe(Effect.mapError((error) => (error._tag === "SqlError" ? error : invalid(error))))

  /** What the job has decided in an earlier run. */
  const remembered = Effect.fnUntraced(function* (job: RunningJob) {
    const memo = yield* jobs.memo(job.id)
    if (Option.isNone(memo)) return null
    return yield* Effect.orDie(Schema.decodeUnknownEffect(SyncMemo)(memo.value))
  })

  /** Decides what a later run of the same job goes on with. */
  const decide = Effect.fnUntraced(function* (job: RunningJob, args: SyncArguments, eventsSeen: number) {
    const changesSeen = yield* changes.newest
    const selected = yield* select(args)
    const hostnames = selected.map((device) => device.hostname)
    const unknown = unknownCanaries(hostnames, args.canary)
    if (unknown.length > 0) {
      return yield* invalid({ message: `canary names devices that are not selected: ${unknown.join(", ")}` })
    }
    if (args.abort_on_failure && !args.force) yield* checkHashes(job, selected)
    const decided: SyncMemo = { hostnames, eventsSeen, changesSeen }
    yield* jobs.remember(job.id, decided)
    return decided
  })

  /** All devices that have no final result yet, stage by stage. Yields the work as it stands afterwards. */
  const runStages = Effect.fnUntraced(function* (
    job: RunningJob,
    args: SyncArguments,
    memo: SyncMemo,
    timers: TimerWaits.TimerWaits
  ) {
    const plan = planOf(args, config.COMMIT_CONFIRMED_MODE)
    const rows = yield* jobs.devices(job.id)
    const done = new Set(rows.filter((row) => row.waiting !== true).map(({ hostname }) => hostname))
    const failed = rows.filter(({ result }) => result.failed).map(({ hostname }) => hostname)
    const selected = yield* select({ hostnames: memo.hostnames, resync: true })
    const rest = new Map(selected.filter(({ hostname }) => !done.has(hostname)).map((row) => [row.hostname, row]))
    const begun = new Map((yield* changes.progressOfJob(job.id)).map((progress) => [progress.device_id, progress]))
    const render = yield* prepare([...rest.values()].filter(({ id }) => !begun.has(id)))
    const guard = yield* makeGuard(plan, memo.stop ?? null, failed)
    const run: SyncRun = { jobId: job.id, user: job.user, dryRun: args.dry_run, eventsSeen: memo.eventsSeen }
    const { changesSeen } = memo
    const work: SyncRollout.Work = {
      job,
      args,
      run,
      guard,
      timers,
      changesSeen,
      render,
      begun,
      held: new Map(),
      ...plan
    }
    const remembering = yield* Effect.forkChild(
      Effect.flatMap(guard.stopped, (stop) => jobs.remember(job.id, { ...memo, stop }))
    )
    for (const { hostnames, isCanary } of stagesOf(memo.hostnames, args)) {
      const devices = hostnames.flatMap((hostname) => rest.get(hostname) ?? [])
      if (devices.length > 0) yield* rollout.runStage(work, devices, isCanary)
    }
    yield* guard.stop() === null ? Fiber.interrupt(remembering) : Fiber.join(remembering)
    return work
  })

  /** Waits for the job that confirms, and takes back what it has left behind. */
  const awaitConfirmation = Effect.fnUntraced(function* (
    job: RunningJob,
    judged: SyncRollout.Judged,
    confirming: number
  ) {
    const status = yield* confirmation.ended(job, confirming)
    yield* locks.transfer(confirming, job.id)
    const left = yield* confirmation.leftWaiting(job.id)
    if (left.length === 0) return
    const message = `The job ${confirming} that was to confirm the change ended ${status}`
    yield* judged.guard.halt(message)
    yield* rollout.takeBack(judged, left, { aborted: status === "ABORTED", message })
  })

  /** All or nothing: devices that kept the change although others failed are put back by a job of their own. */
  const restoreConfirmed = Effect.fnUntraced(function* (job: RunningJob) {
    const confirmed = yield* changes.undoable(job.id, job.id)
    if (confirmed.length === 0) return
    const args = { job_id: job.id, dry_run: false, hostnames: confirmed.map(({ hostname }) => hostname) }
    yield* confirmation.handOver(job.id, { function: "revert_job", args, user: job.user, delaySeconds: 0 }, null)
  })

  /** The verdict over what waits, once all stages have ended. */
  const conclude = Effect.fnUntraced(function* (work: SyncRollout.Work, memo: SyncMemo) {
    const { args, guard, held, holding, job, takesBack } = work
    if (yield* job.aborting) yield* guard.aborted
    const stop = guard.stop()
    if (stop !== null && (takesBack || stop.aborted)) {
      yield* rollout.takeBack(work, [...held.values()], stop)
      if (holding === "job" && !stop.aborted) yield* restoreConfirmed(job)
    } else if (held.size > 0 && !args.dry_run) {
      const next = { ...memo, ...(stop === null ? {} : { stop }) }
      yield* awaitConfirmation(job, work, yield* confirmation.confirmAll(work, next))
    }
  })

  const summary = Effect.fnUntraced(function* (job: RunningJob, args: SyncArguments, guard: Guard) {
    const devices = yield* jobs.devices(job.id)
    const scored = devices.map(({ result, score }) => ({ score, failed: result.failed }))
    const refused = yield* autoPush(job, args, devices)
    const stop = guard.stop()
    const beside = args.urgent ? yield* jobs.syncsBeside(job.id, args.hostnames ?? []) : []
    const shared = beside.length === 0 ? {} : { beside }
    const rolledOut = stop === null ? {} : { rollout: { stopped: stop.message, ...(yield* outcomes.stopped(job.id)) } }
    const own = { ...rolledOut, ...shared, ...(refused === null ? {} : { auto_push: refused }) }
    return { result: devices.length === 0 ? { devices: {}, ...own } : own, change_score: jobScore(scored) }
  })

  const sync = Effect.fnUntraced(function* (job: RunningJob, args: SyncArguments, memo: SyncMemo) {
    const work = yield* runStages(job, args, memo, yield* watchTimers(job))
    yield* conclude(work, memo)
    return yield* summary(job, args, work.guard)
  })

  /** The work from its beginning or from where an earlier run of the job has come to, on the job's own commits. */
  const begin = Effect.fnUntraced(function* (job: RunningJob, args: SyncArguments, before: SyncMemo | null) {
    const pinned = yield* commits.pin(job.id)
    return yield* Effect.provideService(
      Effect.gen(function* () {
        const memo = before ?? (yield* decide(job, args, pinned.eventsSeen))
        return yield* sync(job, args, memo)
      }),
      WorkingCommits,
      pinned
    )
  })

  /** The confirming job was started before a restart: it has the lock, and this job only waits for it. */
  const goOnWaiting = Effect.fnUntraced(function* (
    job: RunningJob,
    args: SyncArguments,
    memo: SyncMemo,
    confirming: number
  ) {
    const guard = yield* makeGuard(planOf(args, config.COMMIT_CONFIRMED_MODE), memo.stop ?? null, [])
    const run: SyncRun = { jobId: job.id, user: job.user, dryRun: false, eventsSeen: memo.eventsSeen }
    yield* awaitConfirmation(job, { guard, run, timers: yield* watchTimers(job) }, confirming)
    return yield* summary(job, args, guard)
  })

  const handler: JobHandler = Effect.fn("SyncDevices")(function* (job: RunningJob) {
    const args = yield* decodeArguments(SyncArguments)(job)
    const memo = yield* remembered(job)
    return yield* memo?.confirmingJob === undefined
      ? begin(job, args, memo)
      : goOnWaiting(job, args, memo, memo.confirmingJob)
  })
  return handler
})
