/**
 * Runs a sync through its stages to the verdict over the waiting changes: confirmed by a separate job, or taken back
 * (docs/changes.md#confirm-modes). A restart continues with the devices that have no final result yet.
 */
import { Effect, Fiber, Option, Result, Schedule } from "effect"
import { JobFailure } from "../../domain/Job.ts"
import type { SyncMemo } from "../../domain/jobs/ChangeJobs.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { makeGuard, planOf, stagesOf } from "./SyncPlan.ts"
import {
  confirmStage,
  syncDevice,
  type SyncJob,
  type SyncWork,
  takeBack,
  takesBackNow,
  takeWaiting,
  type VerdictContext
} from "./SyncDevice.ts"
import type { Device } from "../../domain/Device.ts"
import { ChangeStore } from "../../store/ChangeStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { CandidateConfigs, type Render, RenderFailed } from "../../templates/CandidateConfigs.ts"
import type { SyncRun } from "./Outcome.ts"
import { findDryRun } from "../requests/DryRun.ts"
import { notAccepted } from "../requests/SignedCommits.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"
import { selectDevices } from "../requests/JobSubjects.ts"
import { giveUpChange, watchTimers } from "./ChangeCalls.ts"
import { confirmAll, confirmationEnded, leftWaiting, putBack } from "./ConfirmDevices.ts"
import { JobScheduleStore } from "../../store/JobScheduling.ts"
import { findFailedProofs, isLeftOut } from "./FailedProofs.ts"

/** How often a held job looks whether it may begin with further devices. */
const LOOK_EVERY = "500 millis"

// The remaining work of a sync, at its beginning or after a restart: the devices without a final result, the sources of their
// renderings, and why the rollout was stopped before, if it was.

const invalid = (error: { readonly message: string }) => new JobFailure({ type: "ValueError", message: error.message })

/** For a run in which every device already has its candidate. */
const nothingPrepared: Render = ({ hostname }) =>
  Effect.succeed(Result.fail(new RenderFailed({ type: "NotPrepared", message: `${hostname} was not prepared` })))

/** The circumstances of the changes of a job. */
const runOf = ({ args, id, user }: SyncJob, { eventsSeen }: SyncMemo): SyncRun => ({
  jobId: id,
  user,
  dryRun: args.dry_run,
  eventsSeen
})

const prepare = Effect.fnUntraced(function* (devices: ReadonlyArray<Device>) {
  const candidates = yield* CandidateConfigs
  return yield* devices.length === 0
    ? Effect.succeed(nothingPrepared)
    : candidates.prepare(devices).pipe(Effect.mapError((error) => (error._tag === "SqlError" ? error : invalid(error))))
})

const select = (hostnames: ReadonlyArray<string>) =>
  selectDevices({ hostnames, resync: true }).pipe(
    Effect.mapError((error) => (error._tag === "SqlError" ? error : invalid(error)))
  )

/** The remaining work, and its devices by hostname. Fails with JobFailure when nothing can be rendered. */
const remainingWork = Effect.fn("SyncResume.resume")(function* (job: SyncJob, memo: SyncMemo) {
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const changes = yield* ChangeStore

  const timers = yield* watchTimers(job)
  const rows = yield* jobs.devices(job.id)
  const done = new Set(rows.filter((row) => row.waiting !== true).map(({ hostname }) => hostname))
  const failed = rows.filter(({ result }) => result.failed && !isLeftOut(result)).map(({ hostname }) => hostname)
  const selected = yield* select(memo.hostnames)
  const devices = selected.filter(({ hostname }) => !done.has(hostname))
  const begun = new Map((yield* changes.progressOfJob(job.id)).map((progress) => [progress.device_id, progress]))
  const render = yield* prepare(devices.filter(({ id }) => !begun.has(id)))
  const plan = planOf(job.args, config.COMMIT_CONFIRMED_MODE)
  const guard = yield* makeGuard(plan, memo.stop ?? null, failed)
  // since the job began, the server may have been started anew with signatures required
  const unsigned = job.args.dry_run ? Option.none() : yield* notAccepted
  if (Option.isSome(unsigned)) {
    yield* guard.halt(unsigned.value)
    // what is not permanent yet goes back
    for (const { id, phase } of begun.values()) if (phase !== "planned") yield* giveUpChange(id)
  }
  const { changesSeen } = memo
  const run = runOf(job, memo)
  const { waits } = yield* JobScheduleStore
  const standing = yield* Effect.cachedWithTTL(waits.standing(job.id), LOOK_EVERY)
  const configs = yield* ConfigStore
  const pinned = findDryRun(job.args.dry_run_job ?? 0)
  const dryRun = yield* Effect.cached(Effect.provideService(pinned, ConfigStore, configs))
  const failedProofs = yield* findFailedProofs(job, devices)
  const shared = { job, plan, run, guard, timers, changesSeen, standing, dryRun, failedProofs }
  const work: SyncWork = { ...shared, render, begun, waiting: new Map() }
  return { work, devices: new Map(devices.map((device) => [device.hostname, device])) }
})

// The devices of a sync job, stage by stage. When the rollout is stopped, nothing new is begun, devices in flight are brought to a
// known end, and waiting ones are taken back at once instead of waiting for their timers (docs/changes.md#confirm-modes and
// docs/concepts.md#the-promises).

/** How often the changes are checked for a failed one that still waits for its switch. */
const WATCH_EVERY = "1 second"

/** A device that became unreachable after its commit reports late; its row shows at once that it will not be confirmed. */
const watch = Effect.fnUntraced(function* (work: SyncWork, devices: ReadonlyMap<number, Device>, isCanary: boolean) {
  const changes = yield* ChangeStore
  return yield* Effect.gen(function* () {
    if (yield* work.job.aborting) yield* work.guard.aborted
    for (const id of yield* changes.lostOfJob(work.job.id)) {
      const device = devices.get(id)
      if (device !== undefined) yield* work.guard.failed(device.hostname, isCanary)
    }
  }).pipe(
    Effect.tapCause((cause) => Effect.logWarning("The progress of the changes could not be read", cause)),
    Effect.ignore,
    Effect.repeat(Schedule.spaced(WATCH_EVERY))
  )
})

const takeBackWhenStopped = (work: SyncWork) =>
  Effect.flatMap(work.guard.stopped, (stop) =>
    takesBackNow(work, stop) ? takeBack(work, takeWaiting(work), stop) : Effect.void
  )

/** Devices that are confirmed together are held together, before the first of them is begun. */
const whenResumed = Effect.fnUntraced(function* (work: SyncWork, devices: ReadonlyArray<Device>) {
  const { waits } = yield* JobScheduleStore

  const { begun, guard, job, plan } = work
  if (plan.scope !== "stage" || devices.some(({ id }) => begun.has(id))) return
  while (guard.stop() === null && (yield* waits.standing(job.id)).isPaused) yield* Effect.sleep(LOOK_EVERY)
})

/** Works on the devices of one stage until each has ended or waits for a verdict. */
const runStage = Effect.fn("SyncRollout.stage")(function* (
  work: SyncWork,
  devices: ReadonlyArray<Device>,
  isCanary: boolean
) {
  const config = yield* ServerConfig

  yield* whenResumed(work, devices)
  const { guard, job, plan } = work
  const byId = new Map(devices.map((device) => [device.id, device]))
  const watching = yield* Effect.forkChild(job.args.dry_run ? Effect.never : watch(work, byId, isCanary))
  const takingBack = yield* Effect.forkChild(takeBackWhenStopped(work))
  yield* Effect.forEach(devices, (device) => syncDevice(work, device, isCanary), {
    concurrency: config.SYNC_CONCURRENCY,
    discard: true
  })
  yield* Fiber.interrupt(watching)
  if (plan.scope === "stage") yield* confirmStage(work)
  yield* guard.stop() === null ? Fiber.interrupt(takingBack) : Fiber.join(takingBack)
})

/** All devices without a final result, stage by stage. Yields the work in its new state. */
const runStages = Effect.fnUntraced(function* (job: SyncJob, memo: SyncMemo) {
  const { devices, work } = yield* remainingWork(job, memo)
  const { guard } = work
  const remembering = yield* Effect.forkChild(
    Effect.flatMap(guard.stopped, (stop) => job.memo.write({ ...memo, stop }))
  )
  const options = memo.canaries === undefined ? job.args : { ...job.args, canary: memo.canaries }
  for (const { hostnames, isCanary } of stagesOf(memo.hostnames, options)) {
    const stage = hostnames.flatMap((hostname) => devices.get(hostname) ?? [])
    if (stage.length > 0) yield* runStage(work, stage, isCanary)
  }
  yield* guard.stop() === null ? Fiber.interrupt(remembering) : Fiber.join(remembering)
  return work
})

/** Waits for the job that confirms, and takes back changes that it has not confirmed. */
const awaitConfirmation = Effect.fnUntraced(function* (job: SyncJob, context: VerdictContext, confirming: number) {
  const { locks } = yield* JobScheduleStore

  const status = yield* confirmationEnded(job, confirming)
  yield* locks.transfer(confirming, job.id)
  const left = yield* leftWaiting(job.id)
  if (left.length === 0) return
  const message = `The job ${confirming} that was to confirm the change ended ${status}`
  yield* context.guard.halt(message)
  yield* takeBack(context, left, { aborted: status === "ABORTED", message })
})

/** The verdict over what waits, once all stages have ended. */
const conclude = Effect.fnUntraced(function* (work: SyncWork, memo: SyncMemo) {
  const { guard, job, plan, waiting } = work
  if (yield* job.aborting) yield* guard.aborted
  const stop = guard.stop()
  if (stop !== null && (plan.takesBack || stop.aborted)) {
    yield* takeBack(work, takeWaiting(work), stop)
    // all or nothing: a separate job restores devices that kept the change although others failed
    if (plan.scope === "job" && !stop.aborted) yield* putBack(job, job.id)
  } else if (waiting.size > 0 && !job.args.dry_run) {
    const next = { ...memo, ...(stop === null ? {} : { stop }) }
    yield* awaitConfirmation(job, work, yield* confirmAll(work, next))
  }
})

/** Works on all devices without a final result, until none waits any more. */
export const rollOut = Effect.fn("SyncStages.run")(function* (job: SyncJob, memo: SyncMemo) {
  const work = yield* runStages(job, memo)
  yield* conclude(work, memo)
  return work.guard
})

/** The confirming job was started before a restart: it has the lock, and this job only waits for it. */
export const resumeWaiting = Effect.fn("SyncStages.resumeWaiting")(function* (
  job: SyncJob,
  memo: SyncMemo,
  confirming: number
) {
  const config = yield* ServerConfig

  const guard = yield* makeGuard(planOf(job.args, config.COMMIT_CONFIRMED_MODE), memo.stop ?? null, [])
  const context = { guard, run: runOf(job, memo), timers: yield* watchTimers(job) }
  yield* awaitConfirmation(job, context, confirming)
  return guard
})
