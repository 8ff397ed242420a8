/** Rows of the device_upgrade table: what an upgrade job has done on a device so far. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { JobTask } from "../domain/Job.ts"
import { JOB_UNFINISHED } from "./StatusConditions.ts"

/** Times are epoch seconds of the server. */
export const UpgradeProgress = Schema.Struct({
  /** The image for this device, when it is known. */
  file: Schema.NullOr(Schema.String),
  /** Version that the device was known to run when the job began. */
  versionBefore: Schema.NullOr(Schema.String),
  /** Entries of the steps that have ended. */
  tasks: Schema.Array(JobTask),
  /** Name of the step that has begun and not ended; it may have changed the switch. */
  begun: Schema.NullOr(Schema.String),
  /** The image was active already, so nothing is rebooted. */
  alreadyActive: Schema.Boolean,
  /** When the reload was about to be sent, and how long the switch had been up then, if it says so. */
  reboot: Schema.NullOr(Schema.Struct({ at: Schema.Finite, uptime: Schema.NullOr(Schema.Finite) })),
  /** Since when the switch is waited for. */
  waitingSince: Schema.NullOr(Schema.Finite)
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
    /** Writes the progress, new or again. */
    readonly put: (jobId: number, hostname: string, progress: UpgradeProgress) => Effect.Effect<void, SqlError.SqlError>
    /** The device answered now. */
    readonly seen: (deviceId: number) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/UpgradeStore") {
  static readonly layer = Layer.effect(UpgradeStore, make)
}

// What the database knows of firmware for people: versions, downloads that are under way, and the devices of an upgrade.

/** A download that has not ended, with its arguments and what it remembers. */
export interface RunningDownload {
  readonly job_id: number
  readonly status: string
  readonly by: string | null
  readonly args: unknown
  readonly memo: unknown
}

/** An upgrade job with its arguments and what it remembers. */
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
/** A device as an upgrade has left it; `failed` null until the job has a result for it. */
export type UpgradeDeviceRow = typeof DeviceRow.Type

const readRows = Schema.decodeUnknownEffect(Schema.Array(DeviceRow))

const makeViews = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  return FirmwareViewStore.of({
    downloads:
      sql<RunningDownload>`select id as job_id, status, scheduled_by as by, start_arguments as args, memo from job
      where function_name = 'get_firmware' and status in ${sql.literal(JOB_UNFINISHED)} order by id`.pipe(
        Effect.withSpan("FirmwareViewStore.downloads")
      ),
    upgrade: Effect.fn("FirmwareViewStore.upgrade")((jobId: number) =>
      Effect.map(
        sql<UpgradeJobRow>`select status, start_arguments as args, memo from job
          where id = ${jobId} and function_name = 'device_upgrade'`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    ),
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
  })
})

/** Rows for views of firmware. */
export class FirmwareViewStore extends Context.Service<
  FirmwareViewStore,
  {
    /** Downloads of images that have not ended. */
    readonly downloads: Effect.Effect<ReadonlyArray<RunningDownload>, SqlError.SqlError>
    /** An upgrade job; none for another job. */
    readonly upgrade: (jobId: number) => Effect.Effect<Option.Option<UpgradeJobRow>, SqlError.SqlError>
    /** Its devices by name: these, and all that it has worked on. */
    readonly devices: (
      jobId: number,
      hostnames: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<UpgradeDeviceRow>, SqlError.SqlError>
  }
>()("switchyard/store/FirmwareViewStore") {
  static readonly layer = Layer.effect(FirmwareViewStore, makeViews)
}
