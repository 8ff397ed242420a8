/** What dry runs have shown, for live runs that may push nothing else (docs/changes.md#fencing). */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { SecretTexts } from "./SecretTexts.ts"

/** What a dry run has shown of a device. */
export interface ShownDevice {
  /** What was rendered; null when it was sealed under another key. */
  readonly candidate: string | null
  /** Hash of what ran, lower-case hexadecimal; null when it was not read. */
  readonly running: string | null
  readonly diff: string | null
  /** The dry run failed on the device. */
  readonly failed: boolean
}

/** A job as the dry run of a live one. */
export interface ShownJob {
  readonly function_name: string
  readonly status: string
  readonly dry_run: boolean
  readonly settings_commit: string | null
  readonly templates_commit: string | null
}

interface StoredDevice extends ShownDevice {
  readonly candidate: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* SecretTexts
  const readable = (sealed: string | null) => (sealed === null ? null : Option.getOrNull(secrets.open(sealed)))
  const opened = ({ candidate, diff, ...row }: StoredDevice): ShownDevice => ({
    ...row,
    candidate: readable(candidate),
    diff: readable(diff)
  })
  return ShownChangeStore.of({
    job: Effect.fn("ShownChangeStore.job")((id: number) =>
      Effect.map(
        sql<ShownJob>`select function_name, status, settings_commit, templates_commit,
          coalesce(start_arguments ->> 'dry_run', 'true') = 'true' as dry_run from job where id = ${id}`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    ),
    device: Effect.fn("ShownChangeStore.device")((jobId: number, deviceId: number) =>
      Effect.map(
        sql<StoredDevice>`select whole_text(c.candidate) as candidate, c.protocol ->> 'oldHash' as running, whole_text(c.diff) as diff, r.failed
          from config_change c join device d on d.id = c.device_id
          join job_device r on r.job_id = c.job_id and r.hostname = d.hostname
          where c.job_id = ${jobId} and c.device_id = ${deviceId}`,
        (rows) => Option.map(Option.fromUndefinedOr(rows[0]), opened)
      )
    )
  })
})

/** Dry runs, as live runs are pinned to them. */
export class ShownChangeStore extends Context.Service<
  ShownChangeStore,
  {
    readonly job: (id: number) => Effect.Effect<Option.Option<ShownJob>, SqlError.SqlError>
    /** None for a device that the dry run was not about, or could not render. */
    readonly device: (jobId: number, deviceId: number) => Effect.Effect<Option.Option<ShownDevice>, SqlError.SqlError>
  }
>()("switchyard/store/ShownChangeStore") {
  static readonly layer = Layer.effect(ShownChangeStore, make)
}
