/**
 * What a sync writes to a device's row, from what was proved (contract engine.md §7.7, promise 5): `synchronized` becomes
 * true only when the device was seen to run what the settings say, and only if nothing has happened to it since the job
 * began.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { ChangeReport } from "../devices/ChangeExecutor.ts"
import type { Device } from "../domain/Device.ts"
import { deviceScore } from "../domain/ChangeScore.ts"
import type { SyncCause } from "../domain/SyncEvent.ts"
import { JobStore } from "../store/JobStore.ts"
import { SyncEventStore } from "../store/SyncEventStore.ts"
import { doneResult, NOT_STARTED, syncResult } from "./SyncTasks.ts"

/** The circumstances of a device's change. */
export interface SyncRun {
  readonly jobId: number
  readonly user: string
  readonly dryRun: boolean
  readonly eventsSeen: number
}

/** Hostnames, sorted. */
export interface StoppedDevices {
  readonly reverted: ReadonlyArray<string>
  readonly not_started: ReadonlyArray<string>
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const jobs = yield* JobStore
  const events = yield* SyncEventStore

  /** The device is proved to run what was rendered; events that are newer than the job keep it unsynchronized. */
  const inSync = Effect.fnUntraced(function* (device: Device, run: SyncRun, hash: string | null) {
    const { hostname, id } = device
    yield* sql`with seen as (delete from sync_event where hostname = ${hostname} and id <= ${run.eventsSeen})
      update device set synchronized = not exists
        (select 1 from sync_event where hostname = ${hostname} and id > ${run.eventsSeen}),
      confhash = coalesce(${hash}, confhash), last_seen = now() where id = ${id}`
  })

  const outOfSync = Effect.fnUntraced(function* (device: Device, run: SyncRun, cause: SyncCause) {
    yield* sql`update device set synchronized = false where id = ${device.id} and synchronized`
    yield* events.append([device.hostname], { cause, by: run.user, job_id: run.jobId })
  })

  /** A dry run has found a difference; of a device that was known to differ that is no news. */
  const differs = Effect.fnUntraced(function* (device: Device, run: SyncRun) {
    const { hostname, id } = device
    const [before] = yield* sql<{ synchronized: boolean }>`
      with before as (select id, synchronized from device where id = ${id} for update)
      update device set synchronized = false, last_seen = now() from before
      where device.id = before.id returning before.synchronized`
    if (before?.synchronized !== true) return
    yield* events.append([hostname], { cause: "syncto_dryrun", by: run.user, job_id: run.jobId })
  })

  const write = Effect.fnUntraced(function* (device: Device, run: SyncRun, report: ChangeReport) {
    if (report.reason === "hashMismatch") return yield* outOfSync(device, run, "confighash")
    const changed = report.diff !== ""
    if (report.ok && run.dryRun && changed) return yield* differs(device, run)
    if (report.ok) return yield* inSync(device, run, report.hash)
    // nothing was committed, so what was known of the device still holds
    if (report.result === "discarded") return
    yield* outOfSync(device, run, "commit_confirm_failed")
  })

  const reachedEnd = ({ reason, result }: ChangeReport) =>
    result !== null && !(reason === "unreachable" && result === "discarded")

  const record = Effect.fn("SyncOutcome.record")(function* (
    device: Device,
    run: SyncRun,
    config: string,
    report: ChangeReport
  ) {
    const task = jobs.addDevice(run.jobId, {
      hostname: device.hostname,
      result: syncResult(config, report),
      reachedEnd: reachedEnd(report),
      changed: report.diff !== "",
      score: report.ok ? deviceScore(config, report.diff) : null
    })
    const both = Effect.andThen(write(device, run, report), task)
    // when all went well each can be written again after a crash, which spares a transaction for each device
    yield* report.ok && !run.dryRun ? both : sql.withTransaction(both)
  })

  const recordWaiting = Effect.fn("SyncOutcome.recordWaiting")(
    (device: Device, run: SyncRun, config: string, report: ChangeReport) =>
      jobs.addDevice(run.jobId, {
        hostname: device.hostname,
        result: doneResult(config, report),
        reachedEnd: true,
        changed: true,
        score: deviceScore(config, report.diff),
        waiting: true
      })
  )

  const recordVerdict = Effect.fn("SyncOutcome.recordVerdict")(function* (
    device: Device,
    run: SyncRun,
    config: string,
    report: ChangeReport
  ) {
    if (!report.ok) return yield* record(device, run, config, report)
    const { hostname } = device
    const rows = yield* sql`update job_device set waiting = false
      where job_id = ${run.jobId} and hostname = ${hostname} and waiting returning hostname`
    yield* rows.length === 0 ? record(device, run, config, report) : write(device, run, report)
  }, sql.withTransaction)

  const recordRestored = Effect.fn("SyncOutcome.recordRestored")(function* (
    device: Device,
    run: SyncRun,
    report: ChangeReport
  ) {
    if (run.dryRun || report.result === "discarded") return
    if (!report.ok) return yield* outOfSync(device, run, "commit_confirm_failed")
    yield* sql`update device set confhash = coalesce(${report.hash}, confhash), last_seen = now() where id = ${device.id}`
    yield* outOfSync(device, run, "revert_job")
  })

  const stopped = Effect.fn("SyncOutcome.stopped")(function* (jobId: number) {
    const reverted = yield* sql<{ hostname: string }>`select hostname from config_change c
      join device on device.id = c.device_id where c.job_id = ${jobId} and c.phase = 'reverted'
      and c.protocol ->> 'reason' = 'othersFailed' order by hostname`
    const not_started = yield* sql<{ hostname: string }>`select hostname from job_device where job_id = ${jobId}
      and starts_with(job_tasks -> 0 ->> 'result', ${NOT_STARTED}) order by hostname`
    const names = (rows: ReadonlyArray<{ hostname: string }>) => rows.map(({ hostname }) => hostname)
    return { reverted: names(reverted), not_started: names(not_started) }
  })

  const newest = Effect.map(
    sql<{ id: number }>`select coalesce(max(id), 0)::int as id from sync_event`,
    (rows) => rows[0]?.id ?? 0
  )

  return SyncOutcome.of({ record, recordWaiting, recordVerdict, recordRestored, stopped, newestEvent: newest })
})

/** Writes what became of a device. `config` is what was rendered for it. */
type Recorded = (
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
    readonly record: Recorded
    /** Writes the task list of a device that is proved and waits for the others; its sync status is not decided yet. */
    readonly recordWaiting: Recorded
    /** The same as `record` for a device that may have a row as waiting. */
    readonly recordVerdict: Recorded
    /** Writes the sync status of a device that was put back to an older configuration. */
    readonly recordRestored: (
      device: Device,
      run: SyncRun,
      report: ChangeReport
    ) => Effect.Effect<void, SqlError.SqlError>
    /** The devices that a stopped rollout has taken back although they were fine, and those that it has not begun. */
    readonly stopped: (jobId: number) => Effect.Effect<StoppedDevices, SqlError.SqlError>
    /** Number of the newest sync event. */
    readonly newestEvent: Effect.Effect<number, SqlError.SqlError>
  }
>()("switchyard/jobs/SyncOutcome") {
  static readonly layer = Layer.effect(SyncOutcome, make)
}
