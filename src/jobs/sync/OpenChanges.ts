/**
 * Takes up the changes that a fault has left of jobs that have ended, at the start and every few seconds: one for which
 * nothing was sent is cancelled; any other is given to its device's actor, which looks at the switch and takes back what can
 * be taken back. What it came to is then written into the job's record and into the sync status of the device, also when
 * only that was missing (promises 3 and 5). Which replica does it does not matter: the actor does one thing at a time.
 */
import { Effect, FiberMap, Layer, Option, Schedule, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { ChangeReport } from "../../devices/ChangeExecutor.ts"
import type { Device } from "../../domain/Device.ts"
import { functionOf } from "../../domain/Job.ts"
import { outcomeOf } from "../../domain/JobOutcome.ts"
import { ChangeStore, type StoredChange } from "../../store/ChangeStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import { type LeftChange, LeftChangeStore } from "../../store/LeftChangeStore.ts"
import * as ApplyConfig from "./ApplyConfig.ts"
import * as ChangeCalls from "./ChangeCalls.ts"
import { DeviceStates } from "../engine/DeviceStates.ts"
import * as RevertJob from "./RevertJob.ts"
import { SyncMemo } from "./SyncArguments.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import type { SyncRun } from "./SyncStatus.ts"
import { becauseOf } from "./SyncTasks.ts"

const INTERVAL = "15 seconds"

const JOB_OVER = { aborted: false, message: "The job was over before the change was" } as const

/** The change of a job that has ended, with what its record needs. */
interface Ended {
  readonly left: LeftChange
  readonly change: StoredChange
  readonly device: Device
  readonly head: JobHead
  readonly report: ChangeReport
  readonly run: SyncRun
  /** A later change of the device says more about its status than this one. */
  readonly isNewest: boolean
}

/** A later way to have a change carried out may end it in a way that a broken call does not know. */
const isBroken = ({ phase, reason }: ChangeReport) => phase === "unknown" && reason === null

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore
  const leftChanges = yield* LeftChangeStore
  const states = yield* DeviceStates
  const outcomes = yield* SyncOutcome
  const calls = yield* ChangeCalls.make
  const inHand = yield* FiberMap.make<number>()

  /** Brings the change to its end; nothing when somebody else moves it, or its device's actor cannot say. */
  const settle = Effect.fnUntraced(function* ({ device_id, id, phase }: LeftChange) {
    const isOurs = yield* phase === "planned" ? calls.cancel(id) : calls.giveUp(id)
    if (!isOurs) return Option.none()
    const report = yield* calls.settle(device_id, id, "OTHERS_FAILED")
    return isBroken(report) || report.waiting ? Option.none() : Option.some(becauseOf(JOB_OVER, report))
  })

  const eventsSeen = Effect.fnUntraced(function* (jobId: number) {
    const memo = yield* jobs.memo(jobId)
    const decoded = yield* Effect.option(Schema.decodeUnknownEffect(SyncMemo)(Option.getOrNull(memo)))
    return Option.match(decoded, { onNone: () => 0, onSome: (known) => known.eventsSeen })
  })

  const addRow = (
    { device: { hostname }, left, report }: Ended,
    tasks: { readonly main: string; readonly push: string }
  ) => jobs.addDevice(left.job_id, ApplyConfig.pushedRow(hostname, report, tasks))

  /** As the job's own function would have recorded it. */
  const recorders: Readonly<
    Record<string, (ended: Ended) => Effect.Effect<unknown, SqlError.SqlError | { readonly _tag: string }>>
  > = {
    sync_devices: ({ change, device, isNewest, report, run }) =>
      isNewest
        ? outcomes.recordVerdict(device, run, change.candidate, report)
        : outcomes.recordTasks(device, run, change.candidate, report),
    revert_job: (ended) => {
      const { device, isNewest, report, run } = ended
      const tasks = { main: RevertJob.MAIN_TASK, push: RevertJob.RESTORE_TASK }
      const status = isNewest ? outcomes.recordRestored(device, run, report) : Effect.void
      return Effect.andThen(addRow(ended, tasks), status)
    },
    apply_config: (ended) => {
      const { device, isNewest, report, run } = ended
      const tasks = { main: ApplyConfig.MAIN_TASK, push: ApplyConfig.PUSH_TASK }
      const cause = { by: run.user, jobId: run.jobId }
      const isKept = isNewest && report.ok && !run.dryRun && device.state === "MANAGED"
      const state = isKept ? states.apply(device.id, { type: "LIVE_APPLY_CONFIG" }, cause) : Effect.void
      return Effect.andThen(addRow(ended, tasks), state)
    }
  }

  /** Everything in one transaction, once: whoever comes second finds it recorded. */
  const record = Effect.fnUntraced(function* (left: LeftChange, change: StoredChange, report: ChangeReport) {
    // one device of a job after the other, so that each counts those that have finished before
    yield* jobs.lockStatus(left.job_id)
    const device = yield* devices.lock(left.device_id)
    if (!(yield* leftChanges.isUnrecorded(left.id, ChangeCalls.BROKEN))) return false
    const head = yield* jobs.head(left.job_id)
    const recorder = recorders[functionOf(head.function_name)]
    if (recorder === undefined) return false
    const run: SyncRun = {
      jobId: left.job_id,
      user: head.scheduled_by ?? "unknown",
      dryRun: change.protocol.dryRun,
      eventsSeen: yield* eventsSeen(left.job_id)
    }
    const isNewest = yield* leftChanges.isNewest(left)
    yield* recorder({ left, change, device, head, report, run, isNewest })
    const counts = yield* jobs.refreshFinished(left.job_id)
    const outcome = outcomeOf({ status: head.status, counts, failure: null })
    if (outcome !== null) yield* jobs.update(left.job_id, { outcome })
    return true
  }, sql.withTransaction)

  const takeUp = Effect.fn("OpenChanges.takeUp")(function* (left: LeftChange) {
    const change = yield* changes.get(left.id)
    const report = yield* settle(left)
    if (Option.isNone(change) || Option.isNone(report)) return
    const isRecorded = yield* record(left, change.value, report.value)
    yield* Effect.logWarning("A change that its job has left behind is settled", {
      job: left.job_id,
      device: left.device_id,
      was: left.phase,
      is: report.value.phase,
      ...(isRecorded ? { recorded: true } : {})
    })
  })

  const withoutFailure = (left: LeftChange) =>
    Effect.catchCause(takeUp(left), (cause) =>
      Effect.logWarning("A change that its job has left behind could not be settled; it will be tried again", cause)
    )

  const sweep = Effect.flatMap(leftChanges.find(ChangeCalls.BROKEN), (found) =>
    Effect.forEach(found, (left) => FiberMap.run(inHand, left.id, withoutFailure(left), { onlyIfMissing: true }), {
      discard: true
    })
  )

  yield* sweep.pipe(
    Effect.catchCause((cause) => Effect.logWarning("Changes that were left behind could not be looked for", cause)),
    Effect.repeat(Schedule.spaced(INTERVAL)),
    Effect.forkScoped
  )
})

/** Looks for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
