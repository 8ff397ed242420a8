/**
 * What jobs ask of device actors about configuration changes: store one, run it, tell a waiting one the verdict. Failures of
 * the way to the actor become reports like any other, because a job has to record something about every device.
 */
import { Context, Effect, Layer, Option, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import { abandon, cancel as cancelled, newChange } from "../../../machines/change/ChangeDecision.ts"
import type { ShownChange } from "../../../machines/change/ChangeRow.ts"
import type { ChangeReport, Verdict } from "../../devices/ChangeExecutor.ts"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import { patiently } from "../../devices/PatientCall.ts"
import { lineCount } from "../../domain/ConfigLines.ts"
import type { MissingLinesPolicy } from "../../domain/Job.ts"
import type { Device } from "../../domain/Device.ts"
import { can, platformOf, requireManageable, type UnmanageableDevice } from "../../domain/platforms/Platforms.ts"
import { type DisputedRecord, isOtherDevice, RecordChanged, type UnseenDevice } from "../../domain/DeviceIdentity.ts"
import * as Candidate from "../../drivers/Candidate.ts"
import { type MergeConfigException, renderError, type ReplaceConfigException } from "../../drivers/DriverErrors.ts"
import { rareRetry } from "../../runtime/RareRetry.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ChangeStore, type ChangeToRun } from "../../store/ChangeStore.ts"
import { DeviceStore, UnseenDeviceStore } from "../../store/DeviceStore.ts"
import { type CallError, callErrorText } from "../engine/CallErrorText.ts"
import { type GatedCandidate, passGate } from "../../drivers/LoadChecks.ts"
import { UniqueFieldStore } from "../../store/DeviceIdentifiers.ts"

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
  /** What lines that the device does not show mean. */
  readonly onMissingLines?: MissingLinesPolicy
  /** What a dry run has shown of the device, to which the change is pinned. */
  readonly shown?: ShownChange
  /** Hash of what the device is expected to run; null when anything is fine. */
  readonly expectedHash: string | null
  /** Where a line of the candidate comes from; asked of lines that are refused. */
  readonly originOf?: GatedCandidate["originOf"]
}

/** The candidate holds lines that are no configuration. */
export type CandidateRefused = ReplaceConfigException | MergeConfigException

/** Lines that the time of the setting is enough for, and further ones that need another second of it. */
const USUAL_LINES = 10_000
const LINES_IN_A_SECOND = 100

/**
 * Seconds of the commit timer for a candidate of so many lines. The proof, for which the switch loads it once more, has to end
 * before the timer does.
 */
export const timerFor = (usual: number, lines: number): number =>
  usual + Math.ceil(Math.max(0, lines - USUAL_LINES) / LINES_IN_A_SECOND)

/** Attempts to go on with a change that another replica seemed to have taken. */
const MOVED_ATTEMPTS = Schedule.spaced("3 seconds").pipe(Schedule.upTo({ times: 10 }))

/** Stands in the record of a change that was given up here, whatever has become of it on the device. */
export const BROKEN = "The change could not be carried through"

/** A change that could not be carried out at all, such as when the actor met a defect: nothing certain is known. */
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

/** The report of a change whose candidate was refused, so that nothing was stored or sent. */
export const refusedCandidate = (error: CandidateRefused): ChangeReport => ({
  waiting: false,
  result: "discarded",
  runs: "old",
  ok: false,
  phase: "discarded",
  reason: "rejected",
  message: error.message,
  failure: renderError(error),
  diff: "",
  hash: null
})

/** The report of a call that a moving actor may have refused; a call that fails for good is reported as broken. */
const reported = <E extends CallError>(call: Effect.Effect<ChangeReport, E>): Effect.Effect<ChangeReport> =>
  rareRetry(call, Effect.retry({ while: (error) => error._tag === "ChangeMoved", schedule: MOVED_ATTEMPTS })).pipe(
    Effect.catch((error) => Effect.succeed(broken(callErrorText(error))))
  )

/** The device was deleted, and a job is not while it runs. */
const isReferenceGone = (error: SqlError.SqlError): boolean => error.reason._tag === "ConstraintError"

/** Why a device gets no change; nothing was sent to it. */
type NotStored = UnmanageableDevice | UnseenDevice | DisputedRecord | RecordChanged

/** Their names, for those who record them. */
export const notStored = ["UnmanageableDevice", "UnseenDevice", "DisputedRecord", "RecordChanged"] as const

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const changes = yield* ChangeStore
  const devices = yield* DeviceStore
  const identities = yield* UniqueFieldStore
  const unseen = yield* UnseenDeviceStore
  const actorOf = yield* DeviceEntity.client

  /** From the moment that the change is stored its record stays as it is; before, it may have been changed or deleted. */
  const requireSame = Effect.fnUntraced(function* (device: Device, changeId: number) {
    const now = yield* Effect.option(devices.get(device.id))
    if (Option.exists(now, (record) => !isOtherDevice(device, record))) return
    if (yield* cancel(changeId)) return yield* new RecordChanged({ hostname: device.hostname })
  })

  const store = Effect.fn("ChangeCalls.store")(function* (device: Device, wanted: WantedChange) {
    yield* requireManageable(device)
    const platform = platformOf(device.platform)
    const { candidate: text, originOf } = wanted
    if (platform !== undefined) {
      const { hostname } = device
      yield* passGate({ hostname, platform, text, mode: "replace", ...(originOf === undefined ? {} : { originOf }) })
    }
    if (!wanted.dryRun) {
      yield* unseen.requireSeen(device.id)
      yield* identities.requireUndisputed(device.id)
    }
    const mode = can(device, "timer") ? wanted.mode : 0
    const protocol = newChange({
      mode,
      dryRun: wanted.dryRun,
      force: wanted.force,
      sessionName: Candidate.ofJob(wanted.jobId),
      expectedHash: wanted.expectedHash,
      timerSeconds: mode === 0 ? null : timerFor(config.COMMIT_CONFIRMED_TIMEOUT, lineCount(wanted.candidate)),
      ...(wanted.shown === undefined ? {} : { shown: wanted.shown }),
      ...(wanted.onMissingLines === undefined ? {} : { onMissingLines: wanted.onMissingLines })
    })
    const stored = changes.findOrInsert({
      job_id: wanted.jobId,
      device_id: device.id,
      protocol,
      candidate: wanted.candidate,
      load_mode: "replace"
    })
    const change = yield* Effect.catchIf(stored, isReferenceGone, () =>
      Effect.fail(new RecordChanged({ hostname: device.hostname }))
    )
    yield* requireSame(device, change.id)
    return change
  })

  const run = (deviceId: number, changeId: number): Effect.Effect<ChangeReport> =>
    reported(patiently(actorOf(String(deviceId)).RunChange({ changeId })))

  const settle = (deviceId: number, changeId: number, verdict: Verdict): Effect.Effect<ChangeReport> =>
    reported(patiently(actorOf(String(deviceId)).SettleChange({ changeId, verdict })))

  const cancel = Effect.fn("ChangeCalls.cancel")(function* (changeId: number) {
    const found = yield* changes.get(changeId)
    const claim = Option.isNone(found) ? null : cancelled(found.value.protocol)
    return claim !== null && (yield* changes.claim(changeId, claim, null))
  })

  const giveUp = Effect.fn("ChangeCalls.giveUp")(function* (changeId: number) {
    const found = yield* changes.get(changeId)
    const claim = Option.isNone(found) ? null : abandon(found.value.protocol)
    return claim === null || (yield* changes.claim(changeId, claim, null))
  })

  return ChangeCalls.of({ store, run, settle, cancel, giveUp })
})

/** Changes of configuration, as jobs have them carried out. */
export class ChangeCalls extends Context.Service<
  ChangeCalls,
  {
    /** The job's change on the device, new or as it was stored before. Nothing is stored of a candidate that is refused. */
    readonly store: (
      device: Device,
      wanted: WantedChange
    ) => Effect.Effect<ChangeToRun, NotStored | CandidateRefused | SqlError.SqlError>
    /** Runs a stored change to its end or to where it waits for a verdict; one that has ended only reports. */
    readonly run: (deviceId: number, changeId: number) => Effect.Effect<ChangeReport>
    /** Tells a change that waits how the others fared. */
    readonly settle: (deviceId: number, changeId: number, verdict: Verdict) => Effect.Effect<ChangeReport>
    /** Ends a change for which nothing was sent yet; false when something was. */
    readonly cancel: (changeId: number) => Effect.Effect<boolean, SqlError.SqlError>
    /** Keeps a change that was left behind from going on to its new configuration; false when somebody else moves it. */
    readonly giveUp: (changeId: number) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("switchyard/jobs/ChangeCalls") {
  static readonly layer = Layer.effect(ChangeCalls, make)
}
