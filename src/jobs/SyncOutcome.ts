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
import { syncResult } from "./SyncTasks.ts"

/** The circumstances of a device's change. */
export interface SyncRun {
  readonly jobId: number
  readonly user: string
  readonly dryRun: boolean
  readonly eventsSeen: number
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const jobs = yield* JobStore
  const events = yield* SyncEventStore

  /** The device is proved to run what was rendered; events that are newer than the job keep it unsynchronized. */
  const inSync = Effect.fnUntraced(function* (device: Device, run: SyncRun, hash: string | null) {
    yield* sql`delete from sync_event where hostname = ${device.hostname} and id <= ${run.eventsSeen}`
    yield* sql`update device set synchronized = not exists (select 1 from sync_event where hostname = ${device.hostname}),
      confhash = coalesce(${hash}, confhash), last_seen = now() where id = ${device.id}`
  })

  const outOfSync = Effect.fnUntraced(function* (device: Device, run: SyncRun, cause: SyncCause) {
    const rows =
      yield* sql`update device set synchronized = false where id = ${device.id} and synchronized returning id`
    if (rows.length === 0 && cause === "syncto_dryrun") return
    yield* events.append([device.hostname], { cause, by: run.user, job_id: run.jobId })
  })

  const touch = (device: Device) => sql`update device set last_seen = now() where id = ${device.id}`

  const write = Effect.fnUntraced(function* (device: Device, run: SyncRun, report: ChangeReport) {
    if (report.reason === "hashMismatch") return yield* outOfSync(device, run, "confighash")
    const changed = report.diff !== ""
    if (report.ok && run.dryRun && changed) {
      yield* touch(device)
      return yield* outOfSync(device, run, "syncto_dryrun")
    }
    if (report.ok) return yield* inSync(device, run, report.hash)
    // nothing was committed, so what was known of the device still holds
    if (report.result === "discarded") return
    yield* outOfSync(device, run, "commit_confirm_failed")
  })

  const record = Effect.fn("SyncOutcome.record")(function* (
    device: Device,
    run: SyncRun,
    config: string,
    report: ChangeReport
  ) {
    const result = syncResult(config, report)
    yield* jobs.addDevice(run.jobId, {
      hostname: device.hostname,
      result,
      reachedEnd: report.result !== null && !(report.reason === "unreachable" && report.result === "discarded"),
      changed: report.diff !== "",
      score: report.ok ? deviceScore(config, report.diff) : null
    })
    yield* write(device, run, report)
  }, sql.withTransaction)

  const newest = Effect.map(
    sql<{ id: number }>`select coalesce(max(id), 0)::int as id from sync_event`,
    (rows) => rows[0]?.id ?? 0
  )

  return SyncOutcome.of({ record, newestEvent: newest })
})

/** Writes how a device fared. */
export class SyncOutcome extends Context.Service<
  SyncOutcome,
  {
    /** Writes the device's task list and its sync status in one transaction. `config` is what was rendered. */
    readonly record: (
      device: Device,
      run: SyncRun,
      config: string,
      report: ChangeReport
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Number of the newest sync event. */
    readonly newestEvent: Effect.Effect<number, SqlError.SqlError>
  }
>()("switchyard/jobs/SyncOutcome") {
  static readonly layer = Layer.effect(SyncOutcome, make)
}
