/**
 * What devices were brought to, newest first (docs/changes.md#earlier-configurations): what live synchronizations have rendered, as their jobs
 * keep it, and what an initialisation, a given configuration, a restore or an undo has left, as their changes keep it. Only jobs
 * that have ended count.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { ApplyConfig, RevertJob, SyncDevices } from "../domain/jobs/ChangeJobs.ts"
import { InitStep2 } from "../domain/jobs/InitJobs.ts"
import { SecretTexts } from "./SecretTexts.ts"

/** Which of the jobs; the n-th before the newest, or the newest that ended before a time (ISO 8601). */
export type HistoryChoice =
  | { readonly _tag: "Job"; readonly id: number }
  | { readonly _tag: "Previous"; readonly count: number }
  | { readonly _tag: "Before"; readonly time: string }

/** A job's entry for the device; `config`, with its secrets, is null when the job rendered none or it cannot be opened any more. `finish_time` has whole seconds. */
export interface HistoricConfig {
  readonly job_id: number
  readonly finish_time: string
  readonly failed: boolean
  readonly config: string | null
}

/** What a job was about, beside the configuration that it rendered. */
export interface HistoryEntry {
  readonly job_id: number
  readonly finish_time: string
  readonly failed: boolean
  /** Whether a configuration was stored; it may be sealed under a key that is gone. */
  readonly has_config: boolean
  readonly by: string | null
  /** Who started the job: the same as `by`. */
  readonly found_by: string | null
  /** Who gave the configuration; null when nobody knows. */
  readonly made_by: string | null
  readonly comment: string | null
  readonly settings_commit: string | null
  readonly templates_commit: string | null
}

/** An entry with its configuration, which could be opened. */
export interface StoredConfig extends HistoryEntry {
  readonly config: string
}

type Sealed<Row> = Row & { readonly sealed: string | null; readonly by_change: boolean }

/** Name of the task whose result is the configuration. */
const GENERATE_TASK = "Generate device config"

const Tasks = Schema.Array(
  Schema.Struct({ task_name: Schema.NullOr(Schema.String), failed: Schema.Boolean, result: Schema.Unknown })
)
const readTasks = Schema.decodeOption(Schema.fromJsonString(Tasks))

/** Other jobs than a synchronization that bring a device to a configuration; its text is that of their change. */
const BY_CHANGE: ReadonlyArray<string> = [ApplyConfig.name, RevertJob.name, InitStep2.name]

/** Jobs whose configuration is given by who started them; all others bring what others have committed. */
const GIVEN: ReadonlyArray<string> = [ApplyConfig.name]

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient

  const { open } = yield* SecretTexts

  /** What was sealed under another key is gone. */
  const opened = <Row extends { readonly config: string | null }>({ by_change, sealed, ...row }: Sealed<Row>) => {
    if (by_change) return { ...row, config: Option.getOrNull(Option.flatMap(Option.fromNullishOr(row.config), open)) }
    if (sealed === null || row.config === null) return row
    const task = Option.flatMap(Option.flatMap(open(sealed), readTasks), (tasks) =>
      Option.fromUndefinedOr(tasks.find(({ failed, task_name }) => task_name === GENERATE_TASK && !failed))
    )
    const config = Option.getOrNull(task)?.result
    return { ...row, config: typeof config === "string" ? config : null }
  }

  const chosen = (choice: HistoryChoice) => {
    switch (choice._tag) {
      case "Job":
        return sql`and job.id = ${choice.id} limit 1`
      case "Before":
        return sql`and job.finish_time < ${choice.time}::timestamptz order by job.finish_time desc, job.id desc limit 1`
      default:
        return sql`order by job.finish_time desc, job.id desc offset ${choice.count} limit 1`
    }
  }

  const time = sql`to_char(job.finish_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS') as finish_time`
  const byChange = sql`job.function_name in ${sql.in(BY_CHANGE)}`
  const rendered = sql`(case when ${byChange} then whole_text(c.candidate) else
    (select task ->> 'result' from jsonb_array_elements(d.job_tasks) task
      where task ->> 'task_name' = ${GENERATE_TASK} and not (task ->> 'failed')::boolean limit 1) end)`
  const entry = sql`job.id as job_id, ${time}, d.failed, ${rendered} is not null as has_config, job.scheduled_by as by,
    job.scheduled_by as found_by, case when job.function_name in ${sql.in(GIVEN)} then job.scheduled_by end as made_by, job.comment,
    job.settings_commit, job.templates_commit`
  const ofDevice = (hostname: string) => sql`from job_device d join job on job.id = d.job_id
    left join device on device.hostname = d.hostname
    left join config_change c on c.job_id = d.job_id and c.device_id = device.id and c.phase in ('confirmed', 'unchanged')
    where d.hostname = ${hostname} and job.finish_time is not null
      and (job.function_name = ${SyncDevices.name} or (${byChange} and c.id is not null and not d.failed))`

  const list = Effect.fn("ConfigHistoryStore.list")(
    (hostname: string, limit: number) =>
      sql<HistoryEntry>`select ${entry} ${ofDevice(hostname)} order by job.finish_time desc, job.id desc limit ${limit}`
  )

  const proved = Effect.fn("ConfigHistoryStore.proved")((hostname: string, limit: number) =>
    Effect.map(
      sql<Sealed<HistoryEntry & { readonly config: string | null }>>`select ${entry}, ${rendered} as config,
          whole_text(d.sealed_tasks) as sealed, ${byChange} as by_change ${ofDevice(hostname)} and not d.failed and ${rendered} is not null
        order by job.finish_time desc, job.id desc limit ${limit}`,
      (rows) =>
        rows.flatMap((row) => {
          const { config, ...others } = opened(row)
          return config === null ? [] : [{ ...others, config }]
        })
    )
  )

  const find = Effect.fn("ConfigHistoryStore.find")((hostname: string, choice: HistoryChoice) =>
    Effect.map(
      sql<Sealed<HistoricConfig>>`
        select job.id as job_id, ${time}, d.failed, whole_text(d.sealed_tasks) as sealed, ${rendered} as config,
          ${byChange} as by_change
        ${ofDevice(hostname)} ${chosen(choice)}`,
      ([row]) => Option.map(Option.fromUndefinedOr(row), opened)
    )
  )

  return ConfigHistoryStore.of({ find, list, proved })
})

/** Earlier configurations of devices. */
export class ConfigHistoryStore extends Context.Service<
  ConfigHistoryStore,
  {
    readonly find: (
      hostname: string,
      choice: HistoryChoice
    ) => Effect.Effect<Option.Option<HistoricConfig>, SqlError.SqlError>
    /** The newest jobs that ended for the device. */
    readonly list: (hostname: string, limit: number) => Effect.Effect<ReadonlyArray<HistoryEntry>, SqlError.SqlError>
    /** The newest configurations of jobs that did not fail on the device, with their secrets. */
    readonly proved: (hostname: string, limit: number) => Effect.Effect<ReadonlyArray<StoredConfig>, SqlError.SqlError>
  }
>()("switchyard/store/ConfigHistoryStore") {
  static readonly layer = Layer.effect(ConfigHistoryStore, make)
}
