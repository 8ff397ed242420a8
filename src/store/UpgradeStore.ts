/** Upgrades: the progress of an upgrade job on each device, and the views of firmware for the page. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { JobTask } from "../domain/Job.ts"
import { KeptChecks } from "../domain/checks/KeptChecks.ts"
import { JOB_UNFINISHED } from "./StatusConditions.ts"

/** Times are epoch seconds of the server. */
export const UpgradeProgress = Schema.Struct({
  /** The image for this device, if known. */
  file: Schema.NullOr(Schema.String),
  /** The known version of the device when the job began. */
  versionBefore: Schema.NullOr(Schema.String),
  /** Entries of the steps that have ended. */
  tasks: Schema.Array(JobTask),
  /** Name of the unfinished step, which may have changed the switch. */
  begun: Schema.NullOr(Schema.String),
  /** The image was already active, so the device is not rebooted. */
  alreadyActive: Schema.Boolean,
  /** The time right before the reload was sent, and the uptime of the switch at that time, if it reports one. */
  reboot: Schema.NullOr(Schema.Struct({ at: Schema.Finite, uptime: Schema.NullOr(Schema.Finite) })),
  /** The begin of the wait for the switch. */
  waitingSince: Schema.NullOr(Schema.Finite),
  /** The checks after the reload, with what was read before it; absent without any. */
  checks: Schema.optionalKey(KeptChecks)
})
export type UpgradeProgress = typeof UpgradeProgress.Type

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return UpgradeStore.of({
    find: Effect.fn("UpgradeStore.find")(function* (jobId: number, hostname: string) {
      const [row] = yield* sql<{ progress: unknown }>`
        select progress from device_upgrade where job_id = ${jobId} and hostname = ${hostname}`
      return row === undefined
        ? Option.none()
        : Option.some(yield* Effect.orDie(Schema.decodeUnknownEffect(UpgradeProgress)(row.progress)))
    }),
    put: Effect.fn("UpgradeStore.put")((jobId: number, hostname: string, progress: UpgradeProgress) =>
      Effect.asVoid(sql`
        insert into device_upgrade (job_id, hostname, progress) values (${jobId}, ${hostname}, ${sql.json(progress)})
        on conflict (job_id, hostname) do update set progress = excluded.progress`)
    ),
    seen: Effect.fn("UpgradeStore.seen")((deviceId: number) =>
      Effect.asVoid(sql`update device set last_seen = now() where id = ${deviceId}`)
    )
  })
})

/** Progress by job and hostname. */
export class UpgradeStore extends Context.Service<
  UpgradeStore,
  {
    readonly find: (jobId: number, hostname: string) => Effect.Effect<Option.Option<UpgradeProgress>, SqlError.SqlError>
    /** Inserts or updates the progress. */
    readonly put: (jobId: number, hostname: string, progress: UpgradeProgress) => Effect.Effect<void, SqlError.SqlError>
    /** The device answered now. */
    readonly seen: (deviceId: number) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/UpgradeStore") {
  static readonly layer = Layer.effect(UpgradeStore, make)
}

// Firmware on the page: versions, running downloads, and the devices of an upgrade.

/** An unfinished download, with its arguments and its stored state. */
export interface RunningDownload {
  readonly job_id: number
  readonly status: string
  readonly by: string | null
  readonly args: unknown
  readonly memo: unknown
}

/** An upgrade job with its arguments and its stored state. */
export interface UpgradeJobRow {
  readonly status: string
  readonly args: unknown
  readonly memo: unknown
}

const DeviceRow = Schema.Struct({
  hostname: Schema.String,
  os_version: Schema.NullOr(Schema.String),
  progress: Schema.NullOr(UpgradeProgress),
  failed: Schema.NullOr(Schema.Boolean),
  tasks: Schema.Array(JobTask)
})
/** A device after an upgrade; `failed` is null until the job has a result for it. */
export type UpgradeDeviceRow = typeof DeviceRow.Type

const readRows = Schema.decodeUnknownEffect(Schema.Array(DeviceRow))

/** Rows for views of firmware. */
export const makeUpgradeViews = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return {
    /** Unfinished downloads of images. */
    downloads:
      sql<RunningDownload>`select id as job_id, status, scheduled_by as by, start_arguments as args, memo from job
      where function_name = 'get_firmware' and status in ${sql.literal(JOB_UNFINISHED)} order by id`.pipe(
        Effect.withSpan("FirmwareViewStore.downloads")
      ),
    /** The median of seconds from the reload of a switch to the end of its upgrade, in the last year; null without any. */
    restartSeconds: sql<{ readonly seconds: number | null }>`
      select round(percentile_cont(0.5) within group
        (order by extract(epoch from d.finished_at) - (u.progress -> 'reboot' ->> 'at')::float8))::integer as seconds
      from device_upgrade u join job_device d on d.job_id = u.job_id and d.hostname = u.hostname
      where not d.failed and u.progress -> 'reboot' ->> 'at' is not null and d.finished_at > now() - interval '1 year'`.pipe(
      Effect.map(([row]) => row?.seconds ?? null),
      Effect.withSpan("FirmwareViewStore.restartSeconds")
    ),
    /** An upgrade job; `None` for another job. */
    upgrade: Effect.fn("FirmwareViewStore.upgrade")((jobId: number) =>
      Effect.map(
        sql<UpgradeJobRow>`select status, start_arguments as args, memo from job
          where id = ${jobId} and function_name = 'device_upgrade'`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    ),
    /** The devices of an upgrade by name: the given ones, and all that it has worked on. */
    devices: Effect.fn("FirmwareViewStore.devices")(function* (jobId: number, hostnames: ReadonlyArray<string>) {
      const rows = yield* sql<{ readonly row: unknown }>`
        select jsonb_build_object('hostname', names.hostname, 'os_version', device.os_version, 'progress', u.progress,
          'failed', d.failed, 'tasks', coalesce(d.job_tasks, '[]')) as row
        from (select unnest(${hostnames}::text[]) as hostname
          union select hostname from device_upgrade where job_id = ${jobId}
          union select hostname from job_device where job_id = ${jobId}) names
        left join device on device.hostname = names.hostname
        left join device_upgrade u on u.job_id = ${jobId} and u.hostname = names.hostname
        left join job_device d on d.job_id = ${jobId} and d.hostname = names.hostname
        order by names.hostname`
      return yield* Effect.orDie(readRows(rows.map(({ row }) => row)))
    })
  }
})
