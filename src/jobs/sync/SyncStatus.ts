/**
 * The sync status of devices after their changes (docs/changes.md#sync-status-after-a-change, promise 5): `synchronized`
 * becomes true only when the device was seen to run what the settings say, and only if nothing has happened to it since the job
 * began. Writes many devices with a statement for each way to end; rows are locked in the order of their ids.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { ChangeReport } from "../../devices/ChangeExecutor.ts"
import type { Device } from "../../domain/Device.ts"
import type { SyncCause } from "../../domain/SyncCause.ts"
import { SyncEventStore } from "../../store/DeviceStore.ts"

/** The circumstances of a device's change. */
export interface SyncRun {
  readonly jobId: number
  readonly user: string
  readonly dryRun: boolean
  readonly eventsSeen: number
}

/** What a change on a device came to. */
export interface EndedChange {
  readonly device: Device
  readonly run: SyncRun
  readonly report: ChangeReport
}

/** What is to be written of a device: it is as it should be, a dry run has found a difference, or a cause of being out of sync. */
type Finding = "inSync" | "differs" | "nothing" | SyncCause

const findingOf = ({ report, run }: EndedChange): Finding => {
  if (report.reason === "hashMismatch") return "confighash"
  if (report.ok) return run.dryRun && report.diff !== "" ? "differs" : "inSync"
  // nothing was committed, so what was known of the device still holds
  return report.result === "discarded" ? "nothing" : failureOf(report)
}

/** Why the device is out of sync after a change that has failed. */
export const failureOf = ({ reason }: ChangeReport): SyncCause =>
  reason === "leftConfiguration" ? "command_in_configuration" : "commit_confirm_failed"

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const events = yield* SyncEventStore
  // what was proved is known already; a record that was lost on the way follows it here
  const provedHash = sql`coalesce((select p.hash from proved_config p where p.device_id = device.id), device.confhash)`

  /** The devices are proved to run what was rendered; events that are newer than the job keep them unsynchronized. */
  const inSync = Effect.fnUntraced(function* (changes: ReadonlyArray<EndedChange>) {
    if (changes.length === 0) return
    const rows = changes.map(({ device: { hostname, id }, run }) => ({ id, hostname, seen: run.eventsSeen }))
    // a statement of its own: what waits for a refresh that is marking devices must see the events of that refresh afterwards
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

  /** A dry run has found differences; of a device that was known to differ that is no news. */
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

  return SyncStatus.of({ write, writeRestored })
})

/** Sync statuses of devices. */
export class SyncStatus extends Context.Service<
  SyncStatus,
  {
    /** Writes what changes that were rendered from the settings say of their devices. In a transaction of the caller's. */
    readonly write: (changes: ReadonlyArray<EndedChange>) => Effect.Effect<void, SqlError.SqlError>
    /** The same for a device that was put back to an older configuration. */
    readonly writeRestored: (change: EndedChange) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/jobs/SyncStatus") {
  static readonly layer = Layer.effect(SyncStatus, make)
}
