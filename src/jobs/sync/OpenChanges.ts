/**
 * Resumes open changes of ended jobs after a fault, at the start and every few seconds: a change for which nothing was sent is
 * cancelled; any other is given to its device's actor, which observes the switch and takes an unconfirmed commit back. The outcome
 * is then recorded, even if only the record was missing (promises 3 and 5). Any replica can do it: the actor does one thing at a
 * time.
 */
import { Effect, FiberMap, Layer, Option, Schedule } from "effect"
import { ChangeStore, type StoredChange } from "../../store/ChangeStore.ts"
import { BROKEN, cancelChange, giveUpChange, settleChange } from "./ChangeCalls.ts"
import { becauseOf, SyncOutcome, type SyncRun } from "./Outcome.ts"
import type { Device } from "../../domain/Device.ts"
import { functionOf, outcomeOf } from "../../domain/Job.ts"
import * as ChangeJobs from "../../domain/jobs/ChangeJobs.ts"
import { SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import { DeviceStates } from "../../devices/DeviceStates.ts"
import { inTransaction, memoOf } from "../engine/JobHandler.ts"
import * as ApplyConfig from "./ApplyConfig.ts"
import * as RevertJob from "./RevertJob.ts"
import { type AbandonedRow, makeAbandonedChanges } from "../../store/UnfinishedChanges.ts"
import type { ChangeReport } from "../../devices/DeviceCalls.ts"

// Writes the outcomes of abandoned changes into the records of their ended jobs: as the job's own function would have done, once,
// together with the sync status of the device (promises 3 and 5).

/** A change whose job has ended, with the facts for its record. */
interface AbandonedChange {
  readonly change: StoredChange
  readonly device: Device
  readonly report: ChangeReport
  readonly run: SyncRun
  /** Whether this is the latest change that determines the device's status. */
  readonly isNewest: boolean
}

const addRow = Effect.fnUntraced(function* (
  { change, device: { hostname }, report }: AbandonedChange,
  tasks: { readonly main: string; readonly push: string }
) {
  const jobs = yield* JobStore
  return yield* jobs.addDevice(change.job_id, ApplyConfig.pushedRow(hostname, report, tasks))
})

/** Writes a change as a sync records its own. */
const recordSync = Effect.fnUntraced(function* ({ change, device, isNewest, report, run }: AbandonedChange) {
  const outcomes = yield* SyncOutcome
  return yield* isNewest
    ? outcomes.recordVerdict(device, run, change.candidate, report)
    : outcomes.recordTasks(device, run, change.candidate, report)
})

const recordRevert = Effect.fnUntraced(function* (abandoned: AbandonedChange) {
  const { device, isNewest, report, run } = abandoned
  yield* addRow(abandoned, { main: RevertJob.MAIN_TASK, push: RevertJob.RESTORE_TASK })
  if (isNewest) yield* (yield* SyncOutcome).recordRestored(device, run, report)
})

const recordApplied = Effect.fnUntraced(function* (abandoned: AbandonedChange) {
  const { device, isNewest, report, run } = abandoned
  yield* addRow(abandoned, { main: ApplyConfig.MAIN_TASK, push: ApplyConfig.PUSH_TASK })
  if (!isNewest || !report.ok || run.dryRun || device.state !== "MANAGED") return
  yield* (yield* DeviceStates).apply(device.id, { type: "LIVE_APPLY_CONFIG" }, { by: run.user, jobId: run.jobId })
})

/** Writes a change as the function of its job records its own; undefined for a function that changes no configuration. */
const recorderOf = (name: string) => {
  if (name === SyncDevices.name) return recordSync
  if (name === ChangeJobs.RevertJob.name) return recordRevert
  return name === ChangeJobs.ApplyConfig.name ? recordApplied : undefined
}

/** Newest event that the job knew; only a sync remembers it. */
const eventsSeen = Effect.fnUntraced(function* ({ function_name, id }: JobHead) {
  const jobs = yield* JobStore

  if (functionOf(function_name) !== SyncDevices.name) return 0
  const memo = yield* memoOf(jobs, SyncDevices, id).read
  return Option.match(memo, { onNone: () => 0, onSome: (known) => known.eventsSeen })
})

/**
 * Writes the outcome of the change in one transaction; false if it is already recorded. Fails as the job's function would have
 * failed, and then writes nothing.
 */
const recordAbandoned = Effect.fn("AbandonedChangeRecord.write")(function* (
  left: AbandonedRow,
  change: StoredChange,
  report: ChangeReport
) {
  const jobs = yield* JobStore
  const devices = yield* DeviceStore
  const leftChanges = yield* makeAbandonedChanges

  // one device of a job after the other, so each counts those that have finished before
  yield* jobs.lockStatus(left.job_id)
  const device = yield* devices.lock(left.device_id)
  if (!(yield* leftChanges.isUnrecorded(left.id, BROKEN))) return false
  const head = yield* jobs.head(left.job_id)
  const recorder = recorderOf(functionOf(head.function_name))
  if (recorder === undefined) return false
  const run: SyncRun = {
    jobId: left.job_id,
    user: head.scheduled_by ?? "unknown",
    dryRun: change.protocol.dryRun,
    eventsSeen: yield* eventsSeen(head)
  }
  yield* recorder({ change, device, report, run, isNewest: yield* leftChanges.isNewest(left) })
  const counts = yield* jobs.writeFinished(left.job_id)
  const outcome = outcomeOf({ status: head.status, counts, failure: null })
  if (outcome !== null) yield* jobs.update(left.job_id, { outcome })
  return true
}, inTransaction)

const INTERVAL = "15 seconds"

const JOB_OVER = { aborted: false, message: "The job was over before the change was" } as const

/** A later attempt may end a change that a broken call has reported as unknown. */
const isBroken = ({ phase, reason }: ChangeReport) => phase === "unknown" && reason === null

/** Brings the change to its end; none if another process continues it, or the device's actor cannot tell. */
const settle = Effect.fnUntraced(function* ({ device_id, id, phase }: AbandonedRow) {
  const isOurs = yield* phase === "planned" ? cancelChange(id) : giveUpChange(id)
  if (!isOurs) return Option.none()
  const report = yield* settleChange(device_id, id, "OTHERS_FAILED")
  return isBroken(report) || report.waiting ? Option.none() : Option.some(becauseOf(JOB_OVER, report))
})

const resume = Effect.fn("OpenChanges.resume")(
  function* (left: AbandonedRow) {
    const change = yield* (yield* ChangeStore).get(left.id)
    const report = yield* settle(left)
    if (Option.isNone(change) || Option.isNone(report)) return
    const isRecorded = yield* recordAbandoned(left, change.value, report.value)
    yield* Effect.logWarning("An open change of an ended job is settled", {
      job: left.job_id,
      device: left.device_id,
      was: left.phase,
      is: report.value.phase,
      ...(isRecorded ? { recorded: true } : {})
    })
  },
  Effect.catchCause((cause) =>
    Effect.logWarning("An open change of an ended job could not be settled; it will be tried again", cause)
  )
)

const make = Effect.gen(function* () {
  const leftChanges = yield* makeAbandonedChanges
  const inHand = yield* FiberMap.make<number>()

  const sweep = Effect.flatMap(leftChanges.find(BROKEN), (found) =>
    Effect.forEach(found, (left) => FiberMap.run(inHand, left.id, resume(left), { onlyIfMissing: true }), {
      discard: true
    })
  )

  yield* sweep.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Changes that were left behind could not be looked for", cause)),
    Effect.repeat(Schedule.spaced(INTERVAL)),
    Effect.forkScoped
  )
})

/** Runs for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
