/**
 * One device of a sync job: waits for other jobs on it, renders its configuration, stores its change and runs it, and records the
 * result (docs/changes.md#the-way-of-a-change).
 */
import { Effect, Option, Result } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import { type DeviceResult, deviceResult, functionOf, taskOk } from "../../domain/Job.ts"
import { type Stop, SyncDevices } from "../../domain/jobs/ChangeJobs.ts"
import { type CommitSet, WorkingCommits } from "../../domain/Repository.ts"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import type { ChangeToRun } from "../../store/ChangeBeginning.ts"
import { type ChangeProgress, ChangeStore } from "../../store/ChangeStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { FailedProof, LiveChange } from "../../store/UnfinishedChanges.ts"
import { JobWindows, outsideWindow } from "../requests/JobWindows.ts"
import {
  beginChange,
  cancelChange,
  type CandidateRefused,
  refusedCandidate,
  runChange,
  settleChange,
  timerOf,
  type TimerWatch,
  type WantedChange
} from "./ChangeCalls.ts"
import { checksFor, stored, tooSlow } from "../../templates/DeviceChecks.ts"
import {
  becauseOf,
  fenced,
  forbidden,
  MAIN_TASK,
  renderFailed,
  SyncOutcome,
  syncResult,
  type SyncRun,
  uncheckable,
  unmanageable
} from "./Outcome.ts"
import { isManageable, UnmanageableDevice } from "../../domain/platforms/Platforms.ts"
import { DerivedSecretStore, findMark } from "../../store/SecretStore.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { type JobRun, notStarted } from "../engine/JobHandler.ts"
import type { Render } from "../../templates/CandidateConfigs.ts"
import type { Guard, SyncPlan } from "./SyncPlan.ts"
import { fenceDevice, type FoundDryRun } from "../requests/DryRun.ts"
import { originOf } from "../../templates/Provenance.ts"
import type { JobStanding } from "../../store/JobScheduling.ts"
import { leftOut, whyLeftOut } from "./FailedProofs.ts"

// A running sync job: the state that its stages, its devices and the verdict over them share.

export type SyncJob = JobRun<typeof SyncDevices>

/** A device whose change is proved and waits for a verdict. */
interface WaitingDevice {
  readonly device: Device
  readonly changeId: number
}

/** The parts of a sync job that the verdict over a waiting device needs. */
export interface VerdictContext {
  readonly run: SyncRun
  readonly guard: Guard
  readonly timers: TimerWatch
}

/** A sync job at work. */
export interface SyncWork extends VerdictContext {
  readonly job: SyncJob
  readonly plan: SyncPlan
  readonly render: Render
  /** The dry run to which the job is pinned. */
  readonly dryRun: Effect.Effect<FoundDryRun, SqlError.SqlError>
  /** Number of the newest change when the job started. */
  readonly changesSeen: number
  /** Devices that are left out if their configuration is still the one whose proof has failed, by id. */
  readonly failedProofs: ReadonlyMap<number, FailedProof>
  /** Whether the job is paused or aborted; devices that ask at about the same time share an answer. */
  readonly standing: Effect.Effect<JobStanding, SqlError.SqlError>
  /** Changes of this job that an earlier run has begun, by device id. */
  readonly begun: ReadonlyMap<number, ChangeProgress>
  /** Devices that wait, by id. Grows and shrinks while the job runs. */
  readonly waiting: Map<number, WaitingDevice>
}

/** Whether devices that wait are taken back now. */
export const takesBackNow = ({ plan }: SyncWork, stop: Stop | null): stop is Stop =>
  stop !== null && (plan.takesBack || stop.aborted)

/** Takes the waiting devices out of the list; the caller must settle them. */
export const takeWaiting = ({ waiting }: SyncWork): ReadonlyArray<WaitingDevice> => {
  const taken = [...waiting.values()]
  waiting.clear()
  return taken
}

// The verdict over devices that are proved and wait: they are confirmed together, or taken back at once instead of waiting for
// their timers (docs/changes.md#confirm-modes).

const settleDevice = Effect.fn("SyncVerdict.settle")(function* (
  { guard, run, timers }: VerdictContext,
  { changeId, device }: WaitingDevice,
  stop: Stop | null
) {
  const changes = yield* ChangeStore
  const outcomes = yield* SyncOutcome

  const verdict = stop === null ? "ALL_DEVICES_OK" : "OTHERS_FAILED"
  const report = yield* timers.orLeave(changeId, settleChange(device.id, changeId, verdict))
  const change = yield* changes.get(changeId)
  const candidate = Option.match(change, { onNone: () => "", onSome: (stored) => stored.candidate })
  yield* outcomes.recordVerdict(device, run, candidate, stop === null ? report : becauseOf(stop, report))
  if (!report.ok && stop === null) yield* guard.failed(device.hostname, false)
})

/** Takes devices back, such as after the confirming job was aborted. */
export const takeBack = Effect.fnUntraced(function* (
  context: VerdictContext,
  waiting: ReadonlyArray<WaitingDevice>,
  stop: Stop
) {
  const config = yield* ServerConfig
  return yield* Effect.forEach(waiting, (device) => settleDevice(context, device, stop), {
    concurrency: config.SYNC_CONCURRENCY,
    discard: true
  })
})

/** Confirms all waiting devices, or takes them back if the rollout is stopped. */
export const confirmStage = Effect.fnUntraced(function* (work: SyncWork) {
  const config = yield* ServerConfig
  return yield* Effect.suspend(() =>
    Effect.forEach(
      takeWaiting(work),
      (device) => {
        const stop = work.guard.stop()
        return settleDevice(work, device, takesBackNow(work, stop) ? stop : null)
      },
      { concurrency: config.SYNC_CONCURRENCY, discard: true }
    )
  )
})

/** Adds a proved device to the waiting ones, or takes it back if the rollout was stopped meanwhile. */
const holdDevice = (work: SyncWork, device: WaitingDevice) =>
  Effect.suspend(() => {
    // no other fiber runs from here to the end: either the device is in the list when it is emptied, or not
    const stop = work.guard.stop()
    if (takesBackNow(work, stop)) return settleDevice(work, device, stop)
    work.waiting.set(device.device.id, device)
    return Effect.void
  })

// Two jobs that want the same device. An urgent sync runs next to a running one (docs/changes.md#emergencies), so either of them
// may reach a device that the other has begun. The second job waits for the end of the first, and skips the device if it has the
// configuration of the settings. The device's actor makes sure that they never write at the same time. Pure.

const SUCCEEDED: ReadonlySet<string> = new Set(["confirmed", "unchanged"])

/** A job that reaches a device, and its knowledge of other jobs there. */
export interface SecondJob {
  readonly jobId: number
  /** Number of the newest change when the job began. */
  readonly changesSeen: number
  readonly commits: CommitSet | null
  /** The job has waited for another one on this device. */
  readonly hasWaited: boolean
}

/** The action of a job on a device whose newest live change belongs to another job. */
type Turn =
  | { readonly _tag: "Begin" }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "LeaveAlone"; readonly because: number }

const BEGIN: Turn = { _tag: "Begin" }

/** Whether the other job has given the device the wanted configuration: from the same commits, or from later ones. */
const isSameGoal = (change: LiveChange, { commits, jobId }: SecondJob): boolean => {
  if (functionOf(change.function_name) !== SyncDevices.name || !SUCCEEDED.has(change.phase)) return false
  const isSame = change.settings_commit === commits?.settings && change.templates_commit === commits.templates
  return change.job_id > jobId || isSame
}

/** The turn of a job on a device, by the device's newest live change. */
export const turnOf = (newest: LiveChange | null, own: SecondJob): Turn => {
  if (newest === null || newest.job_id === own.jobId) return BEGIN
  if (newest.underWay) return { _tag: "Wait" }
  const isNews = own.hasWaited || newest.id > own.changesSeen
  return isNews && isSameGoal(newest, own) ? { _tag: "LeaveAlone", because: newest.job_id } : BEGIN
}

/** The entries of a device that another job has brought to the same configuration. */
const doneElsewhere = (jobId: number): DeviceResult =>
  deviceResult([taskOk(MAIN_TASK, `Job ${jobId} has synchronized this device meanwhile, so it was left alone`)])

// Renders the configuration of a device and stores its change; an obstacle is recorded as the device's result.

/** For example about the data of a port that was sealed with a lost key. */
const withMark = (mark: string) =>
  `The configuration has ${mark} in the place of a secret, so it is not sent: enter the text of the port or of the template again\n`

/** Ends the device's part of the job before anything was sent. */
const refuse = Effect.fnUntraced(function* ({ guard, job }: SyncWork, { hostname }: Device, result: DeviceResult) {
  const jobs = yield* JobStore

  yield* jobs.addDevice(job.id, { hostname, result, reachedEnd: false, changed: false, score: null })
  yield* guard.failed(hostname, false)
  return null
})

/** A row of a device on which the job has changed nothing. */
const record = Effect.fnUntraced(function* (
  { job: { id } }: SyncWork,
  { hostname }: Device,
  result: DeviceResult,
  reachedEnd = false
) {
  const jobs = yield* JobStore
  return yield* jobs.addDevice(id, { hostname, result, reachedEnd, changed: false, score: null })
})

/** Leaves the device as it is. That is no new failure, so a rollout goes on, unless it is for all devices or for none. */
const leaveOut = Effect.fnUntraced(function* (work: SyncWork, device: Device, why: string) {
  if (work.plan.allOrNothing) return yield* refuse(work, device, leftOut(why))
  yield* record(work, device, leftOut(why))
  return null
})

/** The first step on a device: a change to run, wait for another job, wait until this job is resumed, or no more work. */
type Beginning = ChangeToRun | "wait" | "paused" | null

/** The change that the settings want on the device; null when there can be none, with a row that says why. */
const wantedChange = Effect.fn("CandidateChange.want")(function* (work: SyncWork, device: Device) {
  const derivedSecrets = yield* DerivedSecretStore
  const windows = yield* JobWindows

  const { job, plan, render } = work
  const closed = job.args.dry_run ? null : yield* windows.closed(job.args, device)
  if (closed !== null) return yield* refuse(work, device, outsideWindow(closed, MAIN_TASK))
  if (!isManageable(device)) return yield* refuse(work, device, unmanageable(new UnmanageableDevice(device)))
  const rendered = yield* render(device)
  if (Result.isFailure(rendered)) {
    const { message, type } = rendered.failure
    return yield* refuse(work, device, renderFailed(`${type}: ${message}\n`))
  }
  const candidate = rendered.success.text
  const failed = work.failedProofs.get(device.id)
  const why = failed === undefined ? null : yield* whyLeftOut(failed, candidate)
  if (why !== null) return yield* leaveOut(work, device, why)
  const mark = findMark(candidate)
  if (mark !== undefined) return yield* refuse(work, device, renderFailed(withMark(mark)))
  yield* derivedSecrets.note(device.id, yield* rendered.success.secrets)
  const { dry_run: dryRun, dry_run_job, force, on_missing_lines: onMissingLines } = job.args
  const shown =
    dry_run_job === undefined ? null : yield* fenceDevice(dry_run_job, yield* work.dryRun, device, candidate)
  if (shown !== null && Result.isFailure(shown)) return yield* refuse(work, device, fenced(candidate, shown.failure))
  const checks =
    job.args.skip_checks === undefined ? stored(yield* checksFor(rendered.success.snapshot.checks, device)) : []
  const { COMMIT_CONFIRMED_TIMEOUT } = yield* ServerConfig
  const timer = timerOf(device, { candidate, mode: plan.mode }, COMMIT_CONFIRMED_TIMEOUT)
  const slow = tooSlow(checks, timer)
  if (slow !== null) return yield* refuse(work, device, uncheckable(candidate, slow))
  const policy = onMissingLines === undefined ? {} : { onMissingLines }
  return {
    jobId: job.id,
    candidate,
    mode: plan.mode,
    dryRun,
    force,
    expectedHash: device.confhash,
    originOf: (line: string) => originOf(rendered.success, device.platform ?? "", line),
    ...policy,
    ...(checks.length === 0 ? {} : { checks }),
    ...(shown === null ? {} : { shown: shown.success })
  }
})

/** Begins the change, or takes the turn of the job after others on the device. */
const beginInTurn = Effect.fnUntraced(function* (
  work: SyncWork,
  device: Device,
  wanted: WantedChange,
  hasWaited: boolean
) {
  const { guard, job, plan } = work
  const turn = { jobId: job.id, hasWaited, commits: yield* WorkingCommits }
  let changesSeen = work.changesSeen
  for (;;) {
    const begun = yield* beginChange(device, wanted, {
      notAborting: true,
      // devices of a stage that are confirmed together are begun together: the first timers run while the others work
      notPaused: plan.scope === "device",
      newestSeen: job.args.dry_run ? null : changesSeen
    })
    if (begun._tag === "Stored") return begun
    if (begun._tag === "Paused") return "paused" as const
    if (begun._tag === "Aborting") {
      yield* guard.aborted
      const stop = guard.stop()
      if (stop !== null) yield* record(work, device, notStarted(stop, MAIN_TASK))
      return null
    }
    const taken = turnOf(begun.newest, { ...turn, changesSeen })
    if (taken._tag === "Wait") return "wait" as const
    if (taken._tag === "LeaveAlone") return yield* leaveAlone(work, device, taken.because)
    changesSeen = begun.newest.id
  }
})

/** The device's change; a refusal ends its part of the job. */
const storeCandidate = Effect.fn("CandidateChange.store")(function* (
  work: SyncWork,
  device: Device,
  hasWaited: boolean
) {
  const wanted = yield* wantedChange(work, device)
  if (wanted === null) return null
  const notConfiguration = (error: CandidateRefused) =>
    refuse(work, device, syncResult(wanted.candidate, refusedCandidate(error)))
  return yield* Effect.catchTags(beginInTurn(work, device, wanted, hasWaited), {
    ReplaceConfigException: notConfiguration,
    MergeConfigException: notConfiguration,
    UnmanageableDevice: (error) => refuse(work, device, unmanageable(error)),
    UnseenDevice: (error) => refuse(work, device, forbidden(error)),
    DisputedRecord: (error) => refuse(work, device, forbidden(error)),
    RecordChanged: (error) => refuse(work, device, forbidden(error))
  })
})

/** How often a job checks whether another one has finished with a device. */
const POLL = "500 millis"

const leaveAlone = (work: SyncWork, device: Device, because: number) =>
  Effect.as(record(work, device, doneElsewhere(because), true), null)

/** The turn of this job on a device that another one had; also checks for an abort. */
const lookAgain = Effect.fnUntraced(function* (work: SyncWork, { id: deviceId }: Device) {
  const { live } = yield* ChangeStore

  const { changesSeen, guard, job } = work
  const { newest, status } = yield* live.outlook({ jobId: job.id, deviceId })
  if (status === "ABORTING") yield* guard.aborted
  return turnOf(newest, { jobId: job.id, changesSeen, hasWaited: true, commits: yield* WorkingCommits })
})

/** A stopped rollout skips devices that were not begun, and those whose change was stored but not sent. */
const isLeftAlone = Effect.fnUntraced(function* (work: SyncWork, device: Device, stop: Stop) {
  const begun = work.begun.get(device.id)
  if (begun !== undefined && !(yield* cancelChange(begun.id))) return false
  yield* record(work, device, notStarted(stop, MAIN_TASK))
  return true
})

/** After a restart the window of a stored and unsent change may have closed. */
const isClosed = Effect.fnUntraced(function* (work: SyncWork, device: Device) {
  const windows = yield* JobWindows

  const { guard, job } = work
  const begun = work.begun.get(device.id)
  if (begun?.phase !== "planned" || job.args.dry_run) return false
  const closed = yield* windows.closed(job.args, device)
  if (closed === null || !(yield* cancelChange(begun.id))) return false
  yield* record(work, device, outsideWindow(closed, MAIN_TASK))
  yield* guard.failed(device.hostname, false)
  return true
})

/** Whether the job is paused; also checks for an abort. Spares the rendering of devices that may not begin. */
const isHeld = Effect.fnUntraced(function* ({ guard, standing }: SyncWork) {
  const { isPaused, status } = yield* standing
  if (status === "ABORTING") yield* guard.aborted
  return isPaused
})

const begin = Effect.fnUntraced(
  function* (work: SyncWork, device: Device, hasWaited: boolean) {
    const changes = yield* ChangeStore

    const { guard, job, plan } = work
    const begun = work.begun.get(device.id)
    const isUnsent = begun === undefined || begun.phase === "planned"
    const isPaused = begun === undefined && guard.stop() === null && (yield* isHeld(work))
    if (begun?.phase === "planned" && (yield* job.aborting)) yield* guard.aborted
    const turn = begun === undefined && hasWaited && guard.stop() === null ? yield* lookAgain(work, device) : null
    const stop = guard.stop()
    if (stop !== null && isUnsent && (yield* isLeftAlone(work, device, stop))) return null
    if (begun !== undefined) {
      return (yield* isClosed(work, device)) ? null : Option.getOrNull(yield* changes.get(begun.id))
    }
    if (turn?._tag === "Wait") return "wait" as const
    if (turn?._tag === "LeaveAlone") return yield* leaveAlone(work, device, turn.because)
    return isPaused && plan.scope === "device" ? ("paused" as const) : yield* storeCandidate(work, device, hasWaited)
  },
  (begun) => Effect.flatMap(BackgroundWork, ({ beginning }) => beginning(begun))
)

const runAndRecord = Effect.fnUntraced(function* (
  work: SyncWork,
  device: Device,
  change: ChangeToRun,
  isCanary: boolean
) {
  const outcomes = yield* SyncOutcome

  const report = yield* work.timers.orLeave(change.id, runChange(device.id, change.id))
  if (report.reason === "cancelled" && (yield* work.job.aborting)) {
    yield* work.guard.aborted
    const stop = work.guard.stop()
    if (stop !== null) return yield* record(work, device, notStarted(stop, MAIN_TASK))
  }
  if (!report.waiting) {
    if (!report.ok) yield* work.guard.failed(device.hostname, isCanary)
    const recorder = work.plan.scope === "device" ? outcomes.record : outcomes.recordVerdict
    const stop = work.guard.stop()
    const isTakenBack = report.reason === "othersFailed" && stop !== null
    return yield* recorder(device, work.run, change.candidate, isTakenBack ? becauseOf(stop, report) : report)
  }
  yield* outcomes.recordWaiting(device, work.run, change.candidate, report)
  yield* holdDevice(work, { device, changeId: change.id })
})

/** Works on one device until its change has ended or waits for a verdict, and records the result. */
export const syncDevice = Effect.fn("SyncDevice.sync")(function* (shared: SyncWork, device: Device, isCanary: boolean) {
  // a device is prepared for one rendering, and may have to wait after it
  const rendered = yield* Effect.cached(shared.render(device))
  const work: SyncWork = { ...shared, render: () => rendered }
  let beginning: Beginning = yield* begin(work, device, false)
  let hasWaited = false
  while (beginning === "wait" || beginning === "paused") {
    hasWaited ||= beginning === "wait"
    yield* Effect.sleep(POLL)
    beginning = yield* begin(work, device, hasWaited)
  }
  if (beginning !== null) yield* runAndRecord(work, device, beginning, isCanary)
})
