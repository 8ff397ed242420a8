/** The records of a sync about each device when its change has ended: the task list of the job and the device's sync status. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { callErrorText, type ChangeReport, isOpen } from "../../devices/DeviceCalls.ts"
import type { Device } from "../../domain/Device.ts"
import { deviceScore } from "../../domain/ChangeRisk.ts"
import { platformOf, type UnmanageableDevice, unmanageableText } from "../../domain/platforms/Platforms.ts"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import { grouping, lengthOfTexts, makeGroupedWrite, PATIENT_MILLIS } from "../../store/GroupedStatement.ts"
import { type JobDeviceRow, JobStore } from "../../store/JobStore.ts"
import type { SyncCause } from "../../domain/SyncCause.ts"
import { SyncEventStore } from "../../store/DeviceStore.ts"
import {
  type DeviceResult,
  deviceResult,
  type JobTask,
  NOT_STARTED,
  subtaskFailed,
  taskFailed,
  taskOk
} from "../../domain/Job.ts"
import type { DisputedRecord, RecordChanged, UnseenDevice } from "../../domain/DeviceIdentity.ts"
import type { ChangeReason } from "../../../machines/change/ChangeRow.ts"
import type { Stop } from "../../domain/jobs/ChangeJobs.ts"

// The task list of one device in a sync job: rendering, difference and outcome, in the order and with the names that clients know
// (docs/changes.md#entries-of-the-result). Pure.

export const MAIN_TASK = "push_sync_device"
const GENERATE_TASK = "Generate device config"
const SYNC_TASK = "Sync device config"
const REACHABLE_TASK = "Verify reachability"

/** Reasons that may be known before anything was sent to the switch, if nothing was committed. */
const early: ReadonlySet<string> = new Set<ChangeReason>(["unreachable", "cancelled", "connectionLost"])

/** There is no third entry then. */
const endedEarly = ({ reason, result }: ChangeReport): boolean =>
  result === "discarded" && reason !== null && early.has(reason)

/** The error name of an end that has no error of its own. */
const typeOf: Partial<Record<string, string>> = {
  hashMismatch: "ConfigHashMismatch",
  otherRunning: "Fenced",
  otherDiff: "Fenced",
  locked: "SessionLockedException",
  rejected: "ReplaceConfigException",
  leftConfiguration: "LeftConfiguration",
  cancelled: "JobAborted",
  checkRefused: "CheckRefused",
  checkFailed: "CheckFailed",
  checkUnread: "CheckUnread"
} satisfies Partial<Record<ChangeReason, string>>

const whereItIs: Readonly<Record<ChangeReport["runs"], string>> = {
  new: "The device runs the new configuration.",
  old: "The device runs the configuration that it had before.",
  unclear: "It is not certain which configuration the device runs."
}

/** What a restart of the device does, where that is not what it runs. */
const afterRestart: Partial<Record<string, string>> = {
  notSaved: "The device runs the new configuration, but a restart may bring the old one back.",
  notRestored: "The device runs the configuration that it had before, but a restart may bring the new one back."
} satisfies Partial<Record<ChangeReason, string>>

const ALTERED =
  "Nothing was sent to it. A dry run with force shows the difference; a live run with force overwrites what was altered."

const ALTERED_BY_LINE =
  "The device does not run the configuration that it had before: the line has altered it, and nothing takes that back by itself."

const stateOf = ({ reason, result, runs }: ChangeReport): string => {
  if (reason === "hashMismatch") return ALTERED
  if (reason === "leftConfiguration" && result === "unknown") return ALTERED_BY_LINE
  return (reason === null ? undefined : afterRestart[reason]) ?? whereItIs[runs]
}

/** The whole text of a failed change: the device's error, its present configuration, and the sentence of the outcome. */
export const failureText = (report: ChangeReport): string => {
  const said = report.failure?.trimEnd() ?? ""
  const isSaid = endedEarly(report) || report.reason === "rejected" || report.reason === "locked"
  if (isSaid && said !== "") return `${said}\n`
  const type = (report.reason === null ? undefined : typeOf[report.reason]) ?? "CommitError"
  return `${said === "" ? "" : `${said}\n`}${stateOf(report)}\n${type}: ${report.message}\n`
}

/** The device could not be rendered: entries 0 and 1, nothing was sent. `text` ends in `Type: message` and a newline. */
export const renderFailed = (text: string): DeviceResult =>
  deviceResult([taskFailed(MAIN_TASK, subtaskFailed(GENERATE_TASK)), taskFailed(GENERATE_TASK, text)])

/** A check could never be read within the commit timer: nothing was sent. */
export const uncheckable = (config: string, message: string): DeviceResult =>
  deviceResult([
    taskFailed(MAIN_TASK, subtaskFailed(SYNC_TASK)),
    taskOk(GENERATE_TASK, config),
    taskFailed(SYNC_TASK, `Nothing was sent to it.\nCheckRefused: ${message}\n`)
  ])

/** The configuration differs from the one of the dry run: nothing was sent. */
export const fenced = (config: string, message: string): DeviceResult =>
  deviceResult([
    taskFailed(MAIN_TASK, subtaskFailed(SYNC_TASK)),
    taskOk(GENERATE_TASK, config),
    taskFailed(SYNC_TASK, `Nothing was sent to it.\nFenced: ${message}\n`)
  ])

/** No driver can log in to the device: nothing was rendered or sent. */
export const unmanageable = (error: UnmanageableDevice): DeviceResult =>
  deviceResult([taskFailed(MAIN_TASK, unmanageableText(error))])

/** The device's record forbids a push, or has changed: nothing was sent. */
export const forbidden = (error: DisputedRecord | RecordChanged | UnseenDevice): DeviceResult =>
  deviceResult([taskFailed(MAIN_TASK, callErrorText(error))])

/** The report of a device that was taken back without a failure of its own, with the reason of the rollout. */
export const becauseOf = (stop: Stop, report: ChangeReport): ChangeReport =>
  report.reason === "othersFailed" ? { ...report, message: `${stop.message}, so the change was taken back` } : report

/** The sentence that the device answered after a mode-2 commit, if it gave its name. */
const reachable = ({ fqdn }: ChangeReport): ReadonlyArray<JobTask> =>
  fqdn === undefined ? [] : [taskOk(REACHABLE_TASK, { facts: { fqdn } })]

/** The proof of the device, lines that could not be compared, and its checks. */
export const foundOut = ({
  checks,
  notes,
  plannedChecks,
  proof,
  remarks
}: ChangeReport): Pick<JobTask, "proof" | "remarks" | "said" | "not_shown" | "checks" | "planned_checks"> => ({
  ...(checks === undefined ? {} : { checks }),
  ...(plannedChecks === undefined ? {} : { planned_checks: plannedChecks }),
  ...(proof === undefined ? {} : { proof }),
  ...(remarks === undefined ? {} : { remarks }),
  ...(notes === undefined || notes.said.length === 0 ? {} : { said: notes.said }),
  ...(notes === undefined || notes.not_shown.length === 0 ? {} : { not_shown: notes.not_shown })
})

/** The entries of a device that is proved to run the rendered configuration, confirmed or waiting for the others. */
const doneResult = (config: string, report: ChangeReport): DeviceResult =>
  deviceResult([
    taskOk(MAIN_TASK),
    taskOk(GENERATE_TASK, config),
    { ...taskOk(SYNC_TASK, null, report.diff), ...foundOut(report) },
    ...reachable(report)
  ])

/** The entries of a device whose change has come to its end. `config` is the configuration that was rendered for it. */
export const syncResult = (config: string, report: ChangeReport): DeviceResult => {
  const generated = taskOk(GENERATE_TASK, config)
  if (report.ok) return doneResult(config, report)
  const text = failureText(report)
  if (endedEarly(report)) return deviceResult([taskFailed(MAIN_TASK, text), generated])
  const sync: JobTask = { ...taskFailed(SYNC_TASK, text, report.diff), ...foundOut(report) }
  return deviceResult([taskFailed(MAIN_TASK, subtaskFailed(SYNC_TASK)), generated, sync])
}

// The sync status of devices after their changes (docs/changes.md#sync-status-after-a-change, promise 5): `synchronized` becomes
// true only if the device was seen to run the configuration of the settings, and only without a later event since the job began.
// Writes many devices with one statement for each kind of outcome; rows are locked in the order of their ids.

/** The circumstances of a device's change. */
export interface SyncRun {
  readonly jobId: number
  readonly user: string
  readonly dryRun: boolean
  readonly eventsSeen: number
}

/** A change on a device that has ended. */
interface EndedChange {
  readonly device: Device
  readonly run: SyncRun
  readonly report: ChangeReport
}

/** The sync status to write: in sync, a difference found by a dry run, nothing, or a cause of being out of sync. */
type Finding = "inSync" | "differs" | "nothing" | SyncCause

const findingOf = ({ report, run }: EndedChange): Finding => {
  if (report.reason === "hashMismatch") return "confighash"
  if (report.ok) return run.dryRun && report.diff !== "" ? "differs" : "inSync"
  // a check has failed, and nothing could take the change back: the device was proved to run it
  if (report.result === "confirmed") return "inSync"
  // nothing was committed, so the previous status of the device still holds
  return report.result === "discarded" ? "nothing" : failureOf(report)
}

/** Why the device is out of sync after a change that has failed. */
export const failureOf = ({ reason }: ChangeReport): SyncCause =>
  reason === "leftConfiguration" ? "command_in_configuration" : "commit_confirm_failed"

/** Writers of the sync status of devices, in the caller's transaction. */
export const makeSyncStatus = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const events = yield* SyncEventStore
  // the proof is already stored; this adds a record that was lost
  const provedHash = sql`coalesce((select p.hash from proved_config p where p.device_id = device.id), device.confhash)`

  /** The devices are proved to run the rendered configuration; events that are newer than the job keep them unsynchronized. */
  const inSync = Effect.fnUntraced(function* (changes: ReadonlyArray<EndedChange>) {
    if (changes.length === 0) return
    const rows = changes.map(({ device: { hostname, id }, run }) => ({ id, hostname, seen: run.eventsSeen }))
    // a separate statement: after waiting for a refresh that marks devices, it must see the events of that refresh
    yield* sql`select 1 from device where id = any(${rows.map(({ id }) => id)}::integer[]) order by id for update`
    yield* sql`with given as (select * from jsonb_to_recordset(${sql.json(rows)})
        as given (id integer, hostname text, seen integer)),
      forgotten as (delete from sync_event using given
        where sync_event.hostname = given.hostname and sync_event.id <= given.seen)
      update device set synchronized = not exists
          (select 1 from sync_event where sync_event.hostname = given.hostname and sync_event.id > given.seen),
        confhash = ${provedHash}, last_seen = now()
      from given where device.id = given.id`
  })

  const outOfSync = (device: Device, run: SyncRun, cause: SyncCause) =>
    events.unsynchronize([device], { cause, by: run.user, job_id: run.jobId })

  /** A dry run has found differences; a device that was known to differ gets no new event. */
  const differs = Effect.fnUntraced(function* (changes: ReadonlyArray<EndedChange>) {
    if (changes.length === 0) return
    const ids = changes.map(({ device }) => device.id)
    const rows = yield* sql<{ id: number; synchronized: boolean }>`
      select id, synchronized from device where id = any(${ids}::integer[]) order by id for update`
    const news = new Set(rows.filter((row) => row.synchronized).map(({ id }) => id))
    for (const [{ jobId, user }, found] of Map.groupBy(changes, ({ run }) => run)) {
      const hostnames = found.filter(({ device }) => news.has(device.id)).map(({ device }) => device.hostname)
      yield* events.append(hostnames, { cause: "syncto_dryrun", by: user, job_id: jobId })
    }
    yield* sql`update device set synchronized = false, last_seen = now() where id = any(${ids}::integer[])`
  })

  const write = Effect.fnUntraced(function* (changes: ReadonlyArray<EndedChange>) {
    const byFinding = Map.groupBy(changes, findingOf)
    for (const [finding, found] of byFinding) {
      if (finding === "inSync") yield* inSync(found)
      else if (finding === "differs") yield* differs(found)
      else if (finding !== "nothing") {
        yield* Effect.forEach(found, ({ device, run }) => outOfSync(device, run, finding), { discard: true })
      }
    }
  })

  const writeRestored = Effect.fnUntraced(function* ({ device, report, run }: EndedChange) {
    if (report.result === "discarded" || (run.dryRun && report.reason !== "leftConfiguration")) return
    if (!report.ok) return yield* outOfSync(device, run, failureOf(report))
    yield* outOfSync(device, run, "revert_job")
    yield* sql`update device set confhash = ${provedHash}, last_seen = now() where id = ${device.id}`
  })

  return { write, writeRestored }
})

/** A change that has ended, with the configuration that was rendered for it. */
interface Outcome extends EndedChange {
  readonly config: string
  /** Whether the device may have a row as waiting. */
  readonly mayWait: boolean
}

/** Hostnames, sorted. */
interface StoppedDevices {
  readonly reverted: ReadonlyArray<string>
  readonly not_started: ReadonlyArray<string>
}

const scoreOf = ({ platform }: Device, config: string, { diff }: ChangeReport): number =>
  deviceScore(config, diff, platformOf(platform)?.risk)

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const jobs = yield* JobStore
  const status = yield* makeSyncStatus

  const reachedEnd = ({ reason, result }: ChangeReport) =>
    result !== null && !(reason === "unreachable" && result === "discarded")

  const rowOf = ({ config, device, report, run }: Outcome): JobDeviceRow => ({
    jobId: run.jobId,
    hostname: device.hostname,
    result: syncResult(config, report),
    reachedEnd: reachedEnd(report),
    changed: report.diff !== "",
    score: report.ok ? scoreOf(device, config, report) : null,
    waiting: isOpen(report)
  })

  /** Confirms the waiting rows of proved devices, whose task lists are already final; yields their outcomes. */
  const endWaiting = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
    const confirmed = outcomes.filter(({ mayWait, report }) => mayWait && report.ok)
    if (confirmed.length === 0) return new Set<Outcome>()
    const given = confirmed.map(({ device: { hostname }, run: { jobId } }, place) => ({ jobId, hostname, place }))
    const rows = yield* sql<{ place: number }>`update job_device set waiting = false
      from jsonb_to_recordset(${sql.json(given)}) as given ("jobId" integer, hostname text, place integer)
      where job_id = given."jobId" and job_device.hostname = given.hostname and waiting and not failed returning given.place`
    const places = new Set(rows.map(({ place }) => place))
    return new Set(confirmed.filter((_, place) => places.has(place)))
  })

  /** The devices' sync status and their task lists together, so a finished device has both. */
  const recordAll = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
    const waited = yield* endWaiting(outcomes)
    yield* status.write(outcomes)
    yield* jobs.addDevices(outcomes.filter((outcome) => !waited.has(outcome)).map(rowOf))
  }, sql.withTransaction)
  const recordGrouped = makeGroupedWrite(
    yield* grouping,
    recordAll,
    ({ config, report }) => lengthOfTexts(config, report.diff),
    PATIENT_MILLIS
  )

  const record = Effect.fn("SyncOutcome.record")((device: Device, run: SyncRun, config: string, report: ChangeReport) =>
    recordGrouped({ device, run, config, report, mayWait: false })
  )

  const recordVerdict = Effect.fn("SyncOutcome.recordVerdict")(
    (device: Device, run: SyncRun, config: string, report: ChangeReport) =>
      recordGrouped({ device, run, config, report, mayWait: true })
  )

  const recordWaiting = Effect.fn("SyncOutcome.recordWaiting")(
    (device: Device, run: SyncRun, config: string, report: ChangeReport) =>
      jobs.addDevice(run.jobId, {
        hostname: device.hostname,
        result: doneResult(config, report),
        reachedEnd: true,
        changed: true,
        score: scoreOf(device, config, report),
        waiting: true
      })
  )

  const recordTasks = Effect.fn("SyncOutcome.recordTasks")(
    (device: Device, run: SyncRun, config: string, report: ChangeReport) =>
      jobs.addDevices([rowOf({ device, run, config, report, mayWait: true })])
  )

  const recordRestored = Effect.fn("SyncOutcome.recordRestored")((device: Device, run: SyncRun, report: ChangeReport) =>
    status.writeRestored({ device, run, report })
  )

  const stopped = Effect.fn("SyncOutcome.stopped")(function* (jobId: number) {
    const reverted = yield* sql<{ hostname: string }>`select hostname from config_change c
      join device on device.id = c.device_id where c.job_id = ${jobId} and c.phase = 'reverted'
      and c.protocol ->> 'reason' = 'othersFailed' order by hostname`
    const not_started = yield* sql<{ hostname: string }>`select hostname from job_device where job_id = ${jobId}
      and starts_with(job_tasks -> 0 ->> 'result', ${NOT_STARTED}) order by hostname`
    const names = (rows: ReadonlyArray<{ hostname: string }>) => rows.map(({ hostname }) => hostname)
    return { reverted: names(reverted), not_started: names(not_started) }
  })

  return SyncOutcome.of({ record, recordWaiting, recordVerdict, recordTasks, recordRestored, stopped })
})

/** Writes the outcome of a device. `config` is its rendered configuration. */
type Recorder = (
  device: Device,
  run: SyncRun,
  config: string,
  report: ChangeReport
) => Effect.Effect<void, SqlError.SqlError>

/** Writes the outcome of a device. */
export class SyncOutcome extends Context.Service<
  SyncOutcome,
  {
    /** Writes the device's sync status, then its task list, so a finished job has both. */
    readonly record: Recorder
    /** Writes the task list of a device that is proved and waits for the others; its sync status is not decided yet. */
    readonly recordWaiting: Recorder
    /** The same as `record` for a device that may have a row as waiting. */
    readonly recordVerdict: Recorder
    /** Writes only the task list: the device's status is newer than this change. */
    readonly recordTasks: Recorder
    /** Writes the sync status of a device that was restored to an older configuration. */
    readonly recordRestored: (
      device: Device,
      run: SyncRun,
      report: ChangeReport
    ) => Effect.Effect<void, SqlError.SqlError>
    /** The devices that a stopped rollout has taken back without a failure of their own, and those that it has not begun. */
    readonly stopped: (jobId: number) => Effect.Effect<StoppedDevices, SqlError.SqlError>
  }
>()("switchyard/jobs/SyncOutcome") {
  static readonly layer = Layer.effect(SyncOutcome, make).pipe(Layer.provide(BackgroundWork.layer))
}
