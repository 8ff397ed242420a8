/** What a sync writes about each device when its change has ended: the task list of the job and the device's sync status. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { type ChangeReport, isOpen } from "../../devices/ChangeExecutor.ts"
import type { Device } from "../../domain/Device.ts"
import { deviceScore } from "../../domain/ChangeRisk.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import { grouping, lengthOfTexts, makeGroupedWrite } from "../../store/GroupedStatement.ts"
import { type JobDeviceRow, JobStore } from "../../store/JobStore.ts"
import { type EndedChange, type SyncRun, SyncStatus } from "./SyncStatus.ts"
import { doneResult, NOT_STARTED, syncResult } from "./SyncTasks.ts"

/** A change that has ended, with the configuration that was rendered for it. */
interface Outcome extends EndedChange {
  readonly config: string
  /** Whether the device may have a row as waiting. */
  readonly mayWait: boolean
}

/** Hostnames, sorted. */
export interface StoppedDevices {
  readonly reverted: ReadonlyArray<string>
  readonly not_started: ReadonlyArray<string>
}

const scoreOf = ({ platform }: Device, config: string, { diff }: ChangeReport): number =>
  deviceScore(config, diff, platformOf(platform)?.risk)

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const jobs = yield* JobStore
  const status = yield* SyncStatus

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

  /** Those of the outcomes whose rows waited for nothing but this; the rows are as they have to be. */
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

  /** The devices' sync status and their task lists together, so that a device that is done has both. */
  const recordAll = Effect.fnUntraced(function* (outcomes: ReadonlyArray<Outcome>) {
    const waited = yield* endWaiting(outcomes)
    yield* status.write(outcomes)
    yield* jobs.addDevices(outcomes.filter((outcome) => !waited.has(outcome)).map(rowOf))
  }, sql.withTransaction)
  const recordGrouped = makeGroupedWrite(yield* grouping, recordAll, ({ config, report }) =>
    lengthOfTexts(config, report.diff)
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

/** Writes what became of a device. `config` is what was rendered for it. */
type Recorder = (
  device: Device,
  run: SyncRun,
  config: string,
  report: ChangeReport
) => Effect.Effect<void, SqlError.SqlError>

/** Writes how a device fared. */
export class SyncOutcome extends Context.Service<
  SyncOutcome,
  {
    /** Writes the device's sync status, then its task list, so that a job that is done has both. */
    readonly record: Recorder
    /** Writes the task list of a device that is proved and waits for the others; its sync status is not decided yet. */
    readonly recordWaiting: Recorder
    /** The same as `record` for a device that may have a row as waiting. */
    readonly recordVerdict: Recorder
    /** Writes the task list alone: what is known of the device by now is newer than this change. */
    readonly recordTasks: Recorder
    /** Writes the sync status of a device that was put back to an older configuration. */
    readonly recordRestored: (
      device: Device,
      run: SyncRun,
      report: ChangeReport
    ) => Effect.Effect<void, SqlError.SqlError>
    /** The devices that a stopped rollout has taken back although they were fine, and those that it has not begun. */
    readonly stopped: (jobId: number) => Effect.Effect<StoppedDevices, SqlError.SqlError>
  }
>()("switchyard/jobs/SyncOutcome") {
  static readonly layer = Layer.effect(SyncOutcome, make).pipe(Layer.provide(BackgroundWork.layer))
}
