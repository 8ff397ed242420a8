/**
 * Writes into the records of jobs that have ended what became of the changes that they left behind: as the job's own function
 * would have recorded it, once, together with the sync status of the device (promises 3 and 5).
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { ChangeReport } from "../../devices/ChangeExecutor.ts"
import type { Device } from "../../domain/Device.ts"
import { functionOf, outcomeOf } from "../../domain/Job.ts"
import * as Apply from "../../domain/jobs/ChangeJobs.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import type { StoredChange } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import { DeviceStates } from "../engine/DeviceStates.ts"
import { memoOf } from "../engine/JobHandler.ts"
import * as ApplyConfig from "./ApplyConfig.ts"
import { BROKEN } from "./ChangeCalls.ts"
import * as RevertJob from "./RevertJob.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import type { SyncRun } from "./SyncStatus.ts"
import { type LeftChange, LeftChangeStore } from "../../store/UnfinishedChanges.ts"

/** A change whose job has ended, with what its record needs. */
interface AbandonedChange {
  readonly change: StoredChange
  readonly device: Device
  readonly report: ChangeReport
  readonly run: SyncRun
  /** No later change of the device says more about its status than this one. */
  readonly isNewest: boolean
}

/** Writes a change as one of the functions records its own. */
type Recorder = (abandoned: AbandonedChange) => Effect.Effect<unknown, SqlError.SqlError | { readonly _tag: string }>

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const devices = yield* DeviceStore
  const leftChanges = yield* LeftChangeStore
  const states = yield* DeviceStates
  const outcomes = yield* SyncOutcome

  const addRow = (
    { change, device: { hostname }, report }: AbandonedChange,
    tasks: { readonly main: string; readonly push: string }
  ) => jobs.addDevice(change.job_id, ApplyConfig.pushedRow(hostname, report, tasks))

  const recordSync: Recorder = ({ change, device, isNewest, report, run }) =>
    isNewest
      ? outcomes.recordVerdict(device, run, change.candidate, report)
      : outcomes.recordTasks(device, run, change.candidate, report)

  const recordRevert: Recorder = (abandoned) => {
    const { device, isNewest, report, run } = abandoned
    const status = isNewest ? outcomes.recordRestored(device, run, report) : Effect.void
    return Effect.andThen(addRow(abandoned, { main: RevertJob.MAIN_TASK, push: RevertJob.RESTORE_TASK }), status)
  }

  const recordApplied: Recorder = (abandoned) => {
    const { device, isNewest, report, run } = abandoned
    const isKept = isNewest && report.ok && !run.dryRun && device.state === "MANAGED"
    const cause = { by: run.user, jobId: run.jobId }
    const state = isKept ? states.apply(device.id, { type: "LIVE_APPLY_CONFIG" }, cause) : Effect.void
    return Effect.andThen(addRow(abandoned, { main: ApplyConfig.MAIN_TASK, push: ApplyConfig.PUSH_TASK }), state)
  }

  const recorders: ReadonlyMap<string, Recorder> = new Map([
    [SyncDevices.name, recordSync],
    [Apply.RevertJob.name, recordRevert],
    [Apply.ApplyConfig.name, recordApplied]
  ])

  /** Newest event that the job knew; only a sync remembers it. */
  const eventsSeen = Effect.fnUntraced(function* ({ function_name, id }: JobHead) {
    if (functionOf(function_name) !== SyncDevices.name) return 0
    const memo = yield* memoOf(jobs, SyncDevices, id).read
    return Option.match(memo, { onNone: () => 0, onSome: (known) => known.eventsSeen })
  })

  const write = Effect.fn("AbandonedChangeRecord.write")(function* (
    left: LeftChange,
    change: StoredChange,
    report: ChangeReport
  ) {
    // one device of a job after the other, so that each counts those that have finished before
    yield* jobs.lockStatus(left.job_id)
    const device = yield* devices.lock(left.device_id)
    if (!(yield* leftChanges.isUnrecorded(left.id, BROKEN))) return false
    const head = yield* jobs.head(left.job_id)
    const recorder = recorders.get(functionOf(head.function_name))
    if (recorder === undefined) return false
    const run: SyncRun = {
      jobId: left.job_id,
      user: head.scheduled_by ?? "unknown",
      dryRun: change.protocol.dryRun,
      eventsSeen: yield* eventsSeen(head)
    }
    yield* recorder({ change, device, report, run, isNewest: yield* leftChanges.isNewest(left) })
    const counts = yield* jobs.refreshFinished(left.job_id)
    const outcome = outcomeOf({ status: head.status, counts, failure: null })
    if (outcome !== null) yield* jobs.update(left.job_id, { outcome })
    return true
  }, sql.withTransaction)

  return AbandonedChangeRecord.of({ write })
})

/** Records of changes that were left behind. */
export class AbandonedChangeRecord extends Context.Service<
  AbandonedChangeRecord,
  {
    /**
     * Writes what the change came to, in one transaction; false when it is recorded already. Fails with what the job's
     * function would have failed with, and then nothing is written.
     */
    readonly write: (
      left: LeftChange,
      change: StoredChange,
      report: ChangeReport
    ) => Effect.Effect<boolean, SqlError.SqlError | { readonly _tag: string }>
  }
>()("switchyard/jobs/AbandonedChangeRecord") {
  static readonly layer = Layer.effect(AbandonedChangeRecord, make)
}
