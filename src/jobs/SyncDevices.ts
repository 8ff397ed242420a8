/**
 * Job `sync_devices`: renders the configuration of every selected device and, per device, shows the difference or pushes,
 * proves and confirms it (contract engine.md §7, DESIGN §3 and §7 rows 14 and 15). A restart goes on with the devices that
 * have no result yet; a change that was under way is resumed by looking at its device.
 */
import { Cause, Effect, Exit, Option, Result, Schedule, Schema } from "effect"
import { newChange } from "../../machines/ChangeDecision.ts"
import { DeviceEntity } from "../devices/DeviceCalls.ts"
import type { ChangeReport } from "../devices/ChangeExecutor.ts"
import { DeviceLogin } from "../devices/DeviceLogin.ts"
import { AUTO_PUSH_BELOW, jobScore } from "../domain/ChangeScore.ts"
import type { Device } from "../domain/Device.ts"
import { JobFailure } from "../domain/Job.ts"
import { DEVICES_LOCK } from "../domain/JobLock.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { ChangeStore } from "../store/ChangeStore.ts"
import { JobLockStore } from "../store/JobLockStore.ts"
import { type JobDevice, JobStore } from "../store/JobStore.ts"
import { CandidateConfigs, type Render } from "./CandidateConfigs.ts"
import { DeviceSelection } from "./DeviceSelection.ts"
import { JobEngine } from "./JobEngine.ts"
import type { JobHandler, RunningJob } from "./JobHandler.ts"
import { SyncArguments, SyncMemo } from "./SyncArguments.ts"
import { SyncOutcome, type SyncRun } from "./SyncOutcome.ts"
import { notStarted, renderFailed } from "./SyncTasks.ts"

/** Five attempts to get the lock, two seconds apart (contract engine.md §3). */
const LOCK_ATTEMPTS = Schedule.spaced("2 seconds").pipe(Schedule.upTo({ times: 4 }))

const interrupted = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)

const invalid = (error: { readonly message: string }) => new JobFailure({ type: "ValueError", message: error.message })

/** Attempts to go on with a change that another replica seemed to have taken. */
const MOVED_ATTEMPTS = Schedule.spaced("3 seconds").pipe(Schedule.upTo({ times: 10 }))

/** A change that could not be carried out at all, such as when the actor met a defect: nothing certain is known. */
const broken = (text: string): ChangeReport => ({
  waiting: false,
  result: "unknown",
  runs: "unclear",
  ok: false,
  phase: "unknown",
  reason: null,
  message: "The change could not be carried through",
  failure: text,
  diff: "",
  hash: null
})

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const locks = yield* JobLockStore
  const changes = yield* ChangeStore
  const selection = yield* DeviceSelection
  const candidates = yield* CandidateConfigs
  const outcomes = yield* SyncOutcome
  const engine = yield* JobEngine
  const login = yield* DeviceLogin
  const actorOf = yield* DeviceEntity.client

  /** What the first run selected; a later run of the same job goes on with it. */
  const remembered = Effect.fnUntraced(function* (job: RunningJob, args: SyncArguments) {
    const memo = yield* jobs.memo(job.id)
    if (Option.isSome(memo)) return yield* Effect.orDie(Schema.decodeUnknownEffect(SyncMemo)(memo.value))
    const eventsSeen = yield* outcomes.newestEvent
    const selected = yield* selection
      .select(args)
      .pipe(Effect.mapError((error) => (error._tag === "SqlError" ? error : invalid(error))))
    const decided: SyncMemo = { hostnames: selected.map((device) => device.hostname), eventsSeen }
    yield* jobs.remember(job.id, decided)
    return decided
  })

  const modeOf = (args: SyncArguments, hasTimer: boolean): 0 | 1 | 2 => {
    const asked = args.confirm_mode_override ?? config.COMMIT_CONFIRMED_MODE
    return !hasTimer || asked === 0 ? 0 : asked === 2 ? 2 : 1
  }

  const storedChange = Effect.fnUntraced(function* (
    job: RunningJob,
    args: SyncArguments,
    device: Device,
    candidate: string
  ) {
    const { capabilities } = yield* login.driverOf(device)
    const mode = modeOf(args, capabilities.timer)
    const protocol = newChange({
      mode,
      dryRun: args.dry_run,
      force: args.force,
      sessionName: `job${job.id}`,
      expectedHash: device.confhash,
      timerSeconds: mode === 0 ? null : config.COMMIT_CONFIRMED_TIMEOUT
    })
    return yield* changes.findOrInsert({
      job_id: job.id,
      device_id: device.id,
      protocol,
      candidate,
      load_mode: "replace"
    })
  })

  const runChange = (device: Device, changeId: number) =>
    actorOf(String(device.id))
      .RunChange({ changeId })
      .pipe(
        Effect.retry({ while: (error) => error._tag === "ChangeMoved", schedule: MOVED_ATTEMPTS }),
        Effect.catch((error) =>
          Effect.succeed(broken(error._tag === "DeviceFailure" ? error.text : `${error._tag}: ${error.message}\n`))
        )
      )

  const settled = (hostname: string, result: JobDevice["result"]): JobDevice => ({
    hostname,
    result,
    reachedEnd: false,
    changed: false,
    score: null
  })

  const syncDevice = Effect.fn("SyncDevices.device")(function* (
    job: RunningJob,
    args: SyncArguments,
    run: SyncRun,
    device: Device,
    render: Render
  ) {
    if (yield* job.aborting) return yield* jobs.addDevice(job.id, settled(device.hostname, notStarted()))
    const rendered = render(device)
    if (Result.isFailure(rendered)) {
      const { message, type } = rendered.failure
      return yield* jobs.addDevice(job.id, settled(device.hostname, renderFailed(`${type}: ${message}\n`)))
    }
    const change = yield* storedChange(job, args, device, rendered.success.text).pipe(
      Effect.catchTag("UnknownPlatform", (error) => Effect.succeed(`${error._tag}: ${error.message}\n`))
    )
    if (typeof change === "string") return yield* outcomes.record(device, run, rendered.success.text, broken(change))
    const report = yield* runChange(device, change.id)
    yield* outcomes.record(device, run, change.candidate, report)
  })

  const syncAll = Effect.fnUntraced(function* (job: RunningJob, args: SyncArguments, memo: SyncMemo) {
    const done = new Set((yield* jobs.devices(job.id)).map(({ hostname }) => hostname))
    const selected = yield* selection
      .select({ hostnames: memo.hostnames, resync: true })
      .pipe(Effect.mapError((error) => (error._tag === "SqlError" ? error : invalid(error))))
    const rest = selected.filter(({ hostname }) => !done.has(hostname))
    if (rest.length === 0) return
    const render = yield* candidates
      .prepare(rest)
      .pipe(Effect.mapError((error) => (error._tag === "SqlError" ? error : invalid(error))))
    const run: SyncRun = { jobId: job.id, user: job.user, dryRun: args.dry_run, eventsSeen: memo.eventsSeen }
    yield* Effect.forEach(rest, (device) => syncDevice(job, args, run, device, render), {
      concurrency: config.SYNC_CONCURRENCY,
      discard: true
    })
  })

  /** A dry run of one named device with a low score is followed by the live run, when that was asked for. */
  const autoPush = Effect.fnUntraced(function* (
    job: RunningJob,
    args: SyncArguments,
    devices: ReadonlyArray<JobDevice>
  ) {
    const [only] = devices
    const asked = args.auto_push && args.dry_run && args.hostnames !== undefined && devices.length === 1
    if (!asked || only === undefined || only.result.failed || !only.changed || (yield* job.aborting)) return
    if ((only.score ?? AUTO_PUSH_BELOW) >= AUTO_PUSH_BELOW) {
      yield* Effect.logInfo(
        `auto_push of ${only.hostname} not done: change score ${only.score} is not below ${AUTO_PUSH_BELOW}`
      )
      return
    }
    const next = { hostnames: [only.hostname], dry_run: false, force: args.force }
    yield* engine.follow(job.id, { function: "sync_devices", args: next, user: job.user, delaySeconds: 0 })
  })

  const sync = Effect.fnUntraced(function* (job: RunningJob, args: SyncArguments) {
    yield* syncAll(job, args, yield* remembered(job, args))
    const devices = yield* jobs.devices(job.id)
    const scored = devices.map(({ result, score }) => ({ score, failed: result.failed }))
    yield* autoPush(job, args, devices)
    return { result: devices.length === 0 ? { devices: {} } : null, change_score: jobScore(scored) }
  })

  const takeLock = (job: RunningJob) =>
    locks.acquire(DEVICES_LOCK, job.id).pipe(
      Effect.retry({ while: (error) => error._tag === "JobLockBusy", schedule: LOCK_ATTEMPTS }),
      Effect.mapError((error) =>
        error._tag === "JobLockBusy" ? new JobFailure({ type: "JoblockError", message: error.message }) : error
      )
    )

  const handler: JobHandler = Effect.fn("SyncDevices")(function* (job: RunningJob) {
    const args = yield* Effect.mapError(Schema.decodeUnknownEffect(SyncArguments)(job.args), invalid)
    if (args.dry_run) return yield* sync(job, args)
    yield* takeLock(job)
    // an interrupted job keeps its lock: it goes on after the restart, and nobody may come between
    return yield* sync(job, args).pipe(
      Effect.onExit((exit) => (interrupted(exit) ? Effect.void : Effect.ignore(locks.release(job.id))))
    )
  })
  return handler
})
