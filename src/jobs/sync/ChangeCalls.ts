/**
 * Calls of jobs to device actors about configuration changes: store one, run it, send the verdict to a waiting one. Failures of the
 * way to the actor become reports like any other, because a job must record a result for every device.
 */
import { Clock, Deferred, Effect, Option, Schedule } from "effect"
import {
  abandon,
  cancel as cancelled,
  EXPIRY_MARGIN_SECONDS,
  newChange
} from "../../../machines/change/ChangeDecision.ts"
import type { CheckOfChange } from "../../../machines/change/ChangeChecks.ts"
import type { ChangeReason, ShownChange, Verdict } from "../../../machines/change/ChangeRow.ts"
import { type CallError, callErrorText, type ChangeReport, DeviceEntity, patiently } from "../../devices/DeviceCalls.ts"
import { lineCount } from "../../domain/ConfigLines.ts"
import type { Device } from "../../domain/Device.ts"
import { timerSeconds } from "../../domain/platforms/Platform.ts"
import { can, capabilitiesOf, platformOf, requireManageable } from "../../domain/platforms/Platforms.ts"
import * as Candidate from "../../drivers/Candidate.ts"
import { type MergeConfigException, renderError, type ReplaceConfigException } from "../../drivers/DriverErrors.ts"
import { type GatedCandidate, passGate } from "../../drivers/LoadChecks.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { BeginConditions } from "../../store/ChangeBeginning.ts"
import { ChangeStore, type TimedChange } from "../../store/ChangeStore.ts"
import type { MissingLinesPolicy } from "../../domain/Job.ts"
import { DisputedRecord, heldFields, RecordChanged, UnseenDevice } from "../../domain/DeviceIdentity.ts"
import type { RunningJob } from "../engine/JobHandler.ts"
import { rareRetry } from "../../runtime/BackgroundWork.ts"
import { tooSlow } from "../../templates/DeviceChecks.ts"

/** How changes are confirmed: not at all, each device at once, or all devices together. */
export type ConfirmMode = 0 | 1 | 2

/** A change that a job wants on a device. */
export interface WantedChange {
  readonly jobId: number
  readonly candidate: string
  /** Becomes 0 where the platform has no commit timer. */
  readonly mode: ConfirmMode
  readonly dryRun: boolean
  readonly force: boolean
  /** The policy for lines that the device does not show. */
  readonly onMissingLines?: MissingLinesPolicy
  /** The result of a dry run on the device, to which the change is pinned. */
  readonly shown?: ShownChange
  /** Hash of the expected running configuration; null if any is accepted. */
  readonly expectedHash: string | null
  /** The source of a line of the candidate; called for refused lines. */
  readonly originOf?: GatedCandidate["originOf"]
  /** The checks of the device; none if they are skipped. */
  readonly checks?: ReadonlyArray<CheckOfChange>
}

/** The candidate holds lines that are not configuration. */
export type CandidateRefused = ReplaceConfigException | MergeConfigException

/** Lines that the configured time suffices for, and further lines for each additional second. */
const USUAL_LINES = 10_000
const LINES_IN_A_SECOND = 100

/**
 * Seconds of the commit timer for a candidate of so many lines. The proof, which loads the candidate again, must end before the
 * timer does.
 */
export const timerFor = (usual: number, lines: number): number =>
  usual + Math.ceil(Math.max(0, lines - USUAL_LINES) / LINES_IN_A_SECOND)

/**
 * Seconds of the commit timer of a change, as the device will count them; null without one. `usual` is COMMIT_CONFIRMED_TIMEOUT. The
 * row has this number, so that everything that waits for the timer waits for the one that runs.
 */
export const timerOf = (
  device: Device,
  { candidate, mode }: Pick<WantedChange, "candidate" | "mode">,
  usual: number
): number | null => {
  const rules = capabilitiesOf(device)?.timer ?? false
  return mode === 0 || rules === false ? null : timerSeconds(rules, timerFor(usual, lineCount(candidate)))
}

/** Attempts to continue a change that another replica seems to have taken over. */
const MOVED_ATTEMPTS = Schedule.spaced("3 seconds").pipe(Schedule.upTo({ times: 10 }))

/** The failure in the record of a change that was given up here, whatever its state on the device. */
export const BROKEN = "The change could not be carried through"

/** The report of a change that could not be run, for example after a defect of the actor: its state is unknown. */
export const broken = (text: string): ChangeReport => ({
  waiting: false,
  result: "unknown",
  runs: "unclear",
  ok: false,
  phase: "unknown",
  reason: null,
  message: BROKEN,
  failure: text,
  diff: "",
  hash: null
})

const notBegun = (reason: ChangeReason, message: string, failure: string | null): ChangeReport => ({
  waiting: false,
  result: "discarded",
  runs: "old",
  ok: false,
  phase: "discarded",
  reason,
  message,
  failure,
  diff: "",
  hash: null
})

/** The report of a change whose candidate was refused, so that nothing was stored or sent. */
export const refusedCandidate = (error: CandidateRefused): ChangeReport =>
  notBegun("rejected", error.message, renderError(error))

/** The report of a call that a moving actor may have refused; a permanent failure is reported as broken. */
const reported = <E extends CallError>(call: Effect.Effect<ChangeReport, E>): Effect.Effect<ChangeReport> =>
  rareRetry(call, Effect.retry({ while: (error) => error._tag === "ChangeMoved", schedule: MOVED_ATTEMPTS })).pipe(
    Effect.catch((error) => Effect.succeed(broken(callErrorText(error))))
  )

/** The errors of `storeChange` by which a device gets no change: nothing was sent to it. */
const notStored = ["UnmanageableDevice", "UnseenDevice", "DisputedRecord", "RecordChanged"] as const

/** The conditions of the caller's job. */
type JobConditions = Pick<BeginConditions, "notAborting" | "notPaused" | "newestSeen">

const NO_CONDITIONS: JobConditions = { notAborting: false, notPaused: false, newestSeen: null }

/**
 * Stores the job's change on the device, if the conditions of its job hold, and yields it or why there is none yet. Fails where the
 * device's record forbids a change, or has changed since it was read. A refused candidate is not stored.
 */
export const beginChange = Effect.fn("ChangeCalls.begin")(function* (
  device: Device,
  wanted: WantedChange,
  conditions: JobConditions
) {
  const config = yield* ServerConfig
  const changes = yield* ChangeStore

  yield* requireManageable(device)
  const platform = platformOf(device.platform)
  const { candidate, originOf } = wanted
  const { hostname } = device
  if (platform !== undefined) {
    const text = { hostname, platform, text: candidate, mode: "replace" } as const
    yield* passGate({ ...text, ...(originOf === undefined ? {} : { originOf }) })
  }
  const mode = can(device, "timer") ? wanted.mode : 0
  const timer = timerOf(device, wanted, config.COMMIT_CONFIRMED_TIMEOUT)
  const protocol = newChange({
    mode,
    dryRun: wanted.dryRun,
    force: wanted.force,
    sessionName: Candidate.ofJob(wanted.jobId),
    expectedHash: wanted.expectedHash,
    timerSeconds: timer,
    ...(wanted.checks === undefined || wanted.checks.length === 0 ? {} : { checks: wanted.checks }),
    ...(wanted.shown === undefined ? {} : { shown: wanted.shown }),
    ...(wanted.onMissingLines === undefined ? {} : { onMissingLines: wanted.onMissingLines })
  })
  const change = { job_id: wanted.jobId, device_id: device.id, protocol, candidate, load_mode: "replace" } as const
  const held = heldFields(device)
  const begun = yield* changes.begin({ change, conditions: { ...conditions, held, isCertain: !wanted.dryRun } })
  switch (begun._tag) {
    case "Unseen":
      return yield* new UnseenDevice({ hostname, backupOf: begun.backupOf })
    case "Disputed":
      return yield* new DisputedRecord({ hostname, role: begun.role, value: begun.value, other: begun.other })
    case "Changed":
      return yield* new RecordChanged({ hostname })
    default:
      return begun
  }
})

/** The job's change on the device, new or already stored, whatever its job and others do. */
const storeChange = Effect.fnUntraced(function* (device: Device, wanted: WantedChange) {
  const begun = yield* beginChange(device, wanted, NO_CONDITIONS)
  return begun._tag === "Stored"
    ? begun
    : yield* Effect.die(new Error(`A change waits without a condition: ${begun._tag}`))
})

/** Runs a stored change until it ends or waits for a verdict; an ended one is only reported. */
export const runChange = Effect.fnUntraced(function* (deviceId: number, changeId: number) {
  const actorOf = yield* DeviceEntity.client
  return yield* reported(patiently(actorOf(String(deviceId)).RunChange({ changeId })))
})

/** Sends the verdict over the other devices to a change that waits. */
export const settleChange = Effect.fnUntraced(function* (deviceId: number, changeId: number, verdict: Verdict) {
  const actorOf = yield* DeviceEntity.client
  return yield* reported(patiently(actorOf(String(deviceId)).SettleChange({ changeId, verdict })))
})

/** Ends a change for which nothing was sent yet; false if something was sent. */
export const cancelChange = Effect.fn("ChangeCalls.cancel")(function* (changeId: number) {
  const changes = yield* ChangeStore

  const found = yield* changes.get(changeId)
  const claim = Option.isNone(found) ? null : cancelled(found.value.protocol)
  return claim !== null && (yield* changes.claim(changeId, claim, null))
})

/** Keeps an abandoned change from reaching its new configuration; false if another process moves it. */
export const giveUpChange = Effect.fn("ChangeCalls.giveUp")(function* (changeId: number) {
  const changes = yield* ChangeStore

  const found = yield* changes.get(changeId)
  const claim = Option.isNone(found) ? null : abandon(found.value.protocol)
  return claim === null || (yield* changes.claim(changeId, claim, null))
})

// Devices that cannot be reached after their commit take it back by their own timers, which may run for minutes. A job waits for a
// device until its timer has ended, and a few seconds more; attempts to reach the device, and their time limits, do not prolong
// this. An aborted job does not wait. It records this for the device and continues, or ends; the end of the change is found and
// recorded later (`OpenChanges.ts`). A reachable device takes the change back at once, as without an abort. An abort cancels a
// change for which nothing was sent yet, for example if the server's machine opens no connection.

const LOOK_EVERY = "1 second"

/** Why a job no longer waits for a device. */
type Left = "aborted" | "silent"

const messageOf = (left: Left, { hostname, timer_end }: TimedChange, now: number): string =>
  left === "aborted"
    ? `The job was aborted while the device could not be reached. Its commit timer takes the change back within ${Math.max(0, Math.ceil(timer_end + EXPIRY_MARGIN_SECONDS - now / 1000))} s; what came of it is recorded then`
    : `The device could not be looked at since the commit. The timer of ${hostname} has ended, by which it takes the change back by itself; what came of it is recorded when it is known`

const leftReport = (left: Left, change: TimedChange, now: number): ChangeReport => ({
  waiting: false,
  result: "unknown",
  runs: "unclear",
  ok: false,
  phase: "expiring",
  reason: "unreachable",
  message: messageOf(left, change, now),
  failure: change.failure,
  diff: change.diff ?? "",
  hash: null
})

/** The report of a change that was cancelled because the job was aborted before anything was sent. */
const cancelledReport = notBegun("cancelled", "The job was aborted before anything was sent", null)

/** Gives up calls to devices' actors if only the device's timer remains, and the job is aborted or the timer has ended. */
export interface TimerWatch {
  /** The result of the call, or a report about the timer. */
  readonly orLeave: <R>(
    changeId: number,
    call: Effect.Effect<ChangeReport, never, R>
  ) => Effect.Effect<ChangeReport, never, R>
}

/** Checks for as long as the calling fiber lives. */
export const watchTimers = Effect.fn("TimerWaits.watch")(function* (job: RunningJob) {
  const changes = yield* ChangeStore

  const waiting = new Map<number, Deferred.Deferred<ChangeReport>>()

  /** Changes for which something was sent before the abort was seen. */
  const seen = new Set<number>()

  const leave = Effect.gen(function* () {
    if (waiting.size === 0) return
    const now = yield* Clock.currentTimeMillis
    const leaving = Effect.fnUntraced(function* (why: Left, found: ReadonlyArray<TimedChange>) {
      for (const change of found) {
        const left = waiting.get(change.id)
        if (left !== undefined) yield* Deferred.succeed(left, leftReport(why, change, now))
      }
    })
    yield* leaving("silent", yield* changes.overdue([...waiting.keys()]))
    if (!(yield* job.aborting)) return
    yield* leaving("aborted", yield* changes.expiring([...waiting.keys()]))
    for (const [id, left] of waiting) {
      if (seen.has(id)) continue
      if (yield* cancelChange(id)) yield* Deferred.succeed(left, cancelledReport)
      seen.add(id)
    }
  })

  yield* leave.pipe(
    Effect.tapCause((cause) => Effect.logWarning("The timers of the job's devices could not be looked at", cause)),
    Effect.ignore,
    Effect.repeat(Schedule.spaced(LOOK_EVERY)),
    Effect.forkChild
  )

  return {
    orLeave: (changeId, call) =>
      Effect.suspend(() => {
        const left = Deferred.makeUnsafe<ChangeReport>()
        waiting.set(changeId, left)
        return Effect.raceFirst(call, Deferred.await(left)).pipe(
          Effect.ensuring(Effect.sync(() => waiting.delete(changeId)))
        )
      })
  } satisfies TimerWatch
})

/** The check that could never be read within the commit timer, as a sentence; null if there is none, or if the change has begun. */
const slowCheck = Effect.fnUntraced(function* (device: Device, wanted: WantedChange) {
  const { COMMIT_CONFIRMED_TIMEOUT } = yield* ServerConfig
  const changes = yield* ChangeStore

  const slow = tooSlow(wanted.checks ?? [], timerOf(device, wanted, COMMIT_CONFIRMED_TIMEOUT))
  if (slow === null) return null
  // the checks of a change that has begun are those of its row
  const begun = yield* changes.progressOfJob(wanted.jobId)
  return begun.some(({ device_id }) => device_id === device.id) ? null : slow
})

/**
 * Carries out a change, whatever other jobs do: stores it, runs it, and reports its end. A change that was stored before is continued.
 * Also reports a change that could not begin.
 */
export const carryOut = Effect.fn("ChangeCalls.carryOut")(function* (
  device: Device,
  wanted: WantedChange,
  timers: TimerWatch
) {
  const slow = yield* slowCheck(device, wanted)
  if (slow !== null) return notBegun("checkRefused", slow, null)
  return yield* storeChange(device, wanted).pipe(
    Effect.flatMap(({ id }) => timers.orLeave(id, runChange(device.id, id))),
    Effect.catchTag(notStored, (error) => Effect.succeed(broken(callErrorText(error)))),
    Effect.catchTag(["ReplaceConfigException", "MergeConfigException"], (error) =>
      Effect.succeed(refusedCandidate(error))
    )
  )
})
