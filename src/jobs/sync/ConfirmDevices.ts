/**
 * Job `confirm_devices`: confirms what a sync in mode 2 has committed and proved, on all devices or on none (contract
 * engine.md §7.6). A device that cannot be confirmed has the others taken back; those that were confirmed before are put
 * back by a job `revert_job`. An abort counts until the first device is confirmed: then stopping would leave half a change.
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ChangeReport } from "../../devices/ChangeExecutor.ts"
import { deviceResult, JobFailure, taskFailed, taskOk } from "../../domain/Job.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { type ChangeProgress, ChangeStore } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type JobDevice, JobStore } from "../../store/JobStore.ts"
import * as ChangeCalls from "./ChangeCalls.ts"
import { decodeArguments, type JobHandler, type RunningJob } from "../engine/JobHandler.ts"
import { makeGuard } from "./Rollout.ts"
import { SyncMemo } from "./SyncArguments.ts"
import * as SyncConfirm from "./SyncConfirm.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import type { Judged } from "./SyncRollout.ts"
import type { SyncRun } from "./SyncStatus.ts"
import * as TimerWaits from "./TimerWaits.ts"
import { becauseOf, failureText } from "./SyncTasks.ts"

const TASK = "napalm_confirm_commit"

const Arguments = Schema.Struct({
  prev_job_id: Schema.Int,
  hostnames: Schema.Array(Schema.String),
  revert_on_failure: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true)))
})
type Arguments = typeof Arguments.Type

/** That the job has begun to confirm: from then on an abort comes too late. */
const Memo = Schema.Struct({ begun: Schema.Boolean })

const rowOf = (hostname: string, report: ChangeReport): JobDevice => ({
  hostname,
  result: deviceResult([report.ok ? taskOk(TASK) : taskFailed(TASK, failureText(report))]),
  reachedEnd: true,
  changed: report.ok,
  score: null
})

/** The handler of the job. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore
  const outcomes = yield* SyncOutcome
  const calls = yield* ChangeCalls.make
  const confirmation = yield* SyncConfirm.make
  const watchTimers = yield* TimerWaits.make

  /** What the sync job knew, by which its devices are judged. */
  const syncRun = Effect.fnUntraced(function* (job: RunningJob, id: number) {
    const memo = yield* jobs.memo(id)
    const decoded = yield* Effect.option(Schema.decodeUnknownEffect(SyncMemo)(Option.getOrNull(memo)))
    if (Option.isNone(decoded)) {
      return yield* new JobFailure({ type: "ValueError", message: `Job ${id} has left nothing to confirm` })
    }
    const run: SyncRun = { jobId: id, user: job.user, dryRun: false, eventsSeen: decoded.value.eventsSeen }
    return run
  })

  const isAborted = Effect.fnUntraced(function* (job: RunningJob, syncJob: number) {
    const known = Option.isSome(yield* jobs.memo(job.id))
    if (known) return false
    const sync = yield* Effect.catchTag(jobs.status(syncJob), "JobNotFound", Effect.die)
    return sync === "ABORTING" || (yield* job.aborting)
  })

  const confirmDevice = Effect.fnUntraced(function* (
    job: RunningJob,
    { guard, run, timers }: Judged,
    { device_id, id }: ChangeProgress
  ) {
    const found = yield* Effect.option(devices.get(device_id))
    const change = yield* changes.get(id)
    if (Option.isNone(found) || Option.isNone(change)) return
    const device = found.value
    const stop = guard.stop()
    const verdict = stop === null ? "ALL_DEVICES_OK" : "OTHERS_FAILED"
    const report = yield* timers.orLeave(id, calls.settle(device_id, id, verdict))
    if (!report.ok) yield* guard.failed(device.hostname, false)
    const explained = stop === null ? report : becauseOf(stop, report)
    yield* sql.withTransaction(
      Effect.andThen(
        jobs.addDevice(job.id, rowOf(device.hostname, explained)),
        outcomes.recordVerdict(device, run, change.value.candidate, explained)
      )
    )
  })

  const putBackConfirmed = Effect.fnUntraced(function* (job: RunningJob, syncJob: number) {
    const confirmed = yield* changes.undoable(syncJob, job.id)
    if (confirmed.length === 0) return
    const args = { job_id: syncJob, dry_run: false, hostnames: confirmed.map(({ hostname }) => hostname) }
    yield* confirmation.handOver(job.id, { function: "revert_job", args, user: job.user, delaySeconds: 0 }, null)
  })

  const confirm = Effect.fnUntraced(function* (job: RunningJob, args: Arguments) {
    const { hostnames, prev_job_id, revert_on_failure: allOrNothing } = args
    const run = yield* syncRun(job, prev_job_id)
    const rows = yield* jobs.devices(job.id)
    const failed = rows.filter(({ result }) => result.failed).map(({ hostname }) => hostname)
    const guard = yield* makeGuard({ maxFailures: null, allOrNothing }, null, failed)
    if (yield* isAborted(job, prev_job_id)) yield* guard.aborted
    else yield* jobs.remember(job.id, { begun: true } satisfies typeof Memo.Type)
    const done = new Set(rows.map(({ hostname }) => hostname))
    const wanted = yield* devices.byHostnames(hostnames.filter((hostname) => !done.has(hostname)))
    const ids = new Set(wanted.map(({ id }) => id))
    const waiting = (yield* changes.progressOfJob(prev_job_id)).filter(({ device_id }) => ids.has(device_id))
    const judged = { guard, run, timers: yield* watchTimers(job) }
    yield* Effect.forEach(waiting, (change) => confirmDevice(job, judged, change), {
      concurrency: config.SYNC_CONCURRENCY,
      discard: true
    })
    const stop = guard.stop()
    if (stop !== null && !stop.aborted) yield* putBackConfirmed(job, prev_job_id)
    const result =
      stop === null
        ? rows.length + waiting.length === 0
          ? { devices: {} }
          : null
        : { rollout: { stopped: stop.message } }
    return { result, change_score: null, ...(stop === null ? {} : { failure: stop.message }) }
  })

  const handler: JobHandler = Effect.fn("ConfirmDevices")(function* (job: RunningJob) {
    const args = yield* decodeArguments(Arguments)(job)
    return yield* confirm(job, args)
  })
  return handler
})
