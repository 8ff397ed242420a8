/**
 * One device of a sync job: waits for other jobs on it, renders its configuration, stores its change and runs it, and records
 * what became of it (docs/changes.md#the-way-of-a-change).
 */
import { Context, Effect, Layer, Option, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { DeviceResult } from "../../domain/Job.ts"
import type { Stop } from "../../domain/jobs/ChangeJobs.ts"
import { WorkingCommits } from "../../domain/Repository.ts"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import { ChangeStore, type ChangeToRun } from "../../store/ChangeStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { JobWindows } from "../engine/JobWindows.ts"
import { CandidateChange } from "./CandidateChange.ts"
import { ChangeCalls } from "./ChangeCalls.ts"
import { doneElsewhere, turnOf } from "./OtherChanges.ts"
import { SyncOutcome } from "./SyncOutcome.ts"
import { notStarted, outsideWindow } from "./SyncTasks.ts"
import { SyncVerdict } from "./SyncVerdict.ts"
import type { SyncWork } from "./SyncWork.ts"
import { JobWaitStore } from "../../store/JobScheduling.ts"
import { LiveChangeStore } from "../../store/UnfinishedChanges.ts"

/**
 * Devices that are rendered and stored at once. The switch of the first is dialled while the next are rendered; without this
 * bound all that a job works on at once would be rendered before the first.
 */
const BEGIN_AT_ONCE = 32

/** How often a job looks whether another one has done with a device. */
const POLL = "500 millis"

/** What follows from the first look: a change to run, a job to wait for, somebody to resume this one, or nothing more, which is recorded. */
type Beginning = ChangeToRun | "wait" | "paused" | null

const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const changes = yield* ChangeStore
  const live = yield* LiveChangeStore
  const calls = yield* ChangeCalls
  const candidates = yield* CandidateChange
  const outcomes = yield* SyncOutcome
  const verdicts = yield* SyncVerdict
  const windows = yield* JobWindows
  const waits = yield* JobWaitStore
  const { lull } = yield* BackgroundWork
  const beginning = yield* Semaphore.make(BEGIN_AT_ONCE)

  /** A row of a device on which the job has changed nothing. */
  const record = ({ job: { id } }: SyncWork, { hostname }: Device, result: DeviceResult, reachedEnd = false) =>
    jobs.addDevice(id, { hostname, result, reachedEnd, changed: false, score: null })

  /** Whose turn it is on the device; learns on the way whether the job is being aborted. */
  const lookFirst = Effect.fnUntraced(function* (work: SyncWork, { id: deviceId }: Device, hasWaited: boolean) {
    const { changesSeen, guard, job } = work
    const { newest, status } = yield* live.outlook({ jobId: job.id, deviceId })
    if (status === "ABORTING") yield* guard.aborted
    return turnOf(newest, { jobId: job.id, changesSeen, hasWaited, commits: yield* WorkingCommits })
  })

  /** Stopping leaves alone what was not begun, and what was stored but not sent. */
  const isLeftAlone = Effect.fnUntraced(function* (work: SyncWork, device: Device, stop: Stop) {
    const begun = work.begun.get(device.id)
    if (begun !== undefined && !(yield* calls.cancel(begun.id))) return false
    yield* record(work, device, notStarted(stop))
    return true
  })

  /** After a restart the window of what was stored and not sent may have closed. */
  const isClosed = Effect.fnUntraced(function* (work: SyncWork, device: Device) {
    const { guard, job } = work
    const begun = work.begun.get(device.id)
    if (begun?.phase !== "planned" || job.args.dry_run) return false
    const closed = yield* windows.closed(job.args, device)
    if (closed === null || !(yield* calls.cancel(begun.id))) return false
    yield* record(work, device, outsideWindow(closed))
    yield* guard.failed(device.hostname, false)
    return true
  })

  const begin = Effect.fnUntraced(function* (
    work: SyncWork,
    device: Device,
    hasWaited: boolean
  ): Effect.fn.Return<Beginning, SqlError.SqlError> {
    yield* lull
    const { guard, job } = work
    const begun = work.begun.get(device.id)
    const isNew = begun === undefined && !job.args.dry_run
    const turn = isNew && guard.stop() === null ? yield* lookFirst(work, device, hasWaited) : null
    if (turn === null && (begun === undefined || begun.phase === "planned") && (yield* job.aborting)) {
      yield* guard.aborted
    }
    const stop = guard.stop()
    if (stop !== null && (begun === undefined || begun.phase === "planned")) {
      if (yield* isLeftAlone(work, device, stop)) return null
    }
    if (begun !== undefined) {
      return (yield* isClosed(work, device)) ? null : Option.getOrNull(yield* changes.get(begun.id))
    }
    if (turn?._tag === "Wait") return "wait"
    if (turn?._tag === "LeaveAlone") {
      yield* record(work, device, doneElsewhere(turn.because), true)
      return null
    }
    // the devices of a stage that are confirmed together are begun together: the timers of the first run while the others are at work
    if (work.plan.scope === "device" && (yield* waits.isPaused(job.id))) return "paused"
    return yield* candidates.store(work, device)
  }, beginning.withPermit)

  const run = Effect.fnUntraced(function* (work: SyncWork, device: Device, change: ChangeToRun, isCanary: boolean) {
    const report = yield* work.timers.orLeave(change.id, calls.run(device.id, change.id))
    if (report.reason === "cancelled" && (yield* work.job.aborting)) {
      yield* work.guard.aborted
      const stop = work.guard.stop()
      if (stop !== null) return yield* record(work, device, notStarted(stop))
    }
    if (!report.waiting) {
      if (!report.ok) yield* work.guard.failed(device.hostname, isCanary)
      const recorder = work.plan.scope === "device" ? outcomes.record : outcomes.recordVerdict
      return yield* recorder(device, work.run, change.candidate, report)
    }
    yield* outcomes.recordWaiting(device, work.run, change.candidate, report)
    yield* verdicts.hold(work, { device, changeId: change.id })
  })

  const sync = Effect.fn("SyncDevice.sync")(function* (work: SyncWork, device: Device, isCanary: boolean) {
    let beginning = yield* begin(work, device, false)
    let hasWaited = false
    while (beginning === "wait" || beginning === "paused") {
      hasWaited ||= beginning === "wait"
      yield* Effect.sleep(POLL)
      beginning = yield* begin(work, device, hasWaited)
    }
    if (beginning !== null) yield* run(work, device, beginning, isCanary)
  })

  return SyncDevice.of({ sync })
})

/** The work of a sync job on its devices. */
export class SyncDevice extends Context.Service<
  SyncDevice,
  {
    /** Works on one device until its change has ended or waits for a verdict; whatever it came to is recorded. */
    readonly sync: (work: SyncWork, device: Device, isCanary: boolean) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/jobs/SyncDevice") {
  static readonly layer = Layer.effect(SyncDevice, make).pipe(Layer.provide(BackgroundWork.layer))
}
