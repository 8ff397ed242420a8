/** Rows of the device_upgrade table: what an upgrade job has done on a device so far. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { JobTask } from "../domain/Job.ts"

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
