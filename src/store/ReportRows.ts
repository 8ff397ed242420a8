/** What the report of a change reads of its jobs, their devices and their audit (docs/reviewing.md#reports). */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { ReportedDevice, ReportedJob } from "../domain/jobs/ChangeReport.ts"
import type { AuditEvent } from "../domain/events/Event.ts"
import { AUDIT_COLUMNS } from "./EventStore.ts"
import { SIGNATURES } from "./JobResults.ts"

/** The most entries of the audit, and the most devices of all jobs together. */
export const MOST_EVENTS = 500
export const MOST_DEVICES = 20_000

/** The first characters of a failure. */
const LONGEST = 1000

type Row = Omit<ReportedJob, "canary" | "batch_size" | "emergency" | "waited_for_window" | "part"> & {
  readonly start_arguments: Readonly<Record<string, unknown>> | null
  readonly next_job_id: number | null
}

interface CommitsBefore {
  readonly settings_commit: string | null
  readonly templates_commit: string | null
}

/** A kept report: the entry of the audit about it. */
export interface KeptReport {
  readonly event_id: number
  readonly at: string
  readonly by: string
  readonly change: number
  readonly format: string
  readonly is_sealed: boolean
}

export const makeReportRows = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(`id, function_name, status, outcome, scheduled_by as by, comment, ticket_ref,
    iso_time(scheduled_time) as requested_at, iso_time(start_time) as began_at, iso_time(finish_time) as ended_at, settings_commit,
    templates_commit, change_score, ${SIGNATURES}, aborted_by, abort_reason, start_arguments, next_job_id`)
  return {
    /** The job with this number, its rollouts if it is a preview, what confirms them and what undoes them. */
    jobs: Effect.fn("ReportRows.jobs")(
      (id: number) => sql<Row>`with recursive own as (
          select id from job where id = ${id}
          union select job.id from job join own on job.start_arguments ->> 'dry_run_job' = own.id::text
            or job.start_arguments ->> 'prev_job_id' = own.id::text
            or (job.function_name = 'revert_job' and job.start_arguments ->> 'job_id' = own.id::text))
        select ${columns} from job where id in (select id from own) order by id`
    ),
    /** The devices of these jobs, with what proves their result. */
    devices: Effect.fn("ReportRows.devices")(
      (jobs: ReadonlyArray<number>) => sql<ReportedDevice>`
        select d.job_id, d.hostname, c.phase, c.protocol ->> 'reason' as reason, d.failed, d.changed,
          (select task ->> 'proof' from jsonb_array_elements(d.job_tasks) task
            where task ? 'proof' limit 1) as proof,
          iso_time(c.created_at) as began_at, iso_time(d.finished_at) as ended_at,
          case when d.failed then (select left(task ->> 'result', ${LONGEST}) from jsonb_array_elements(d.job_tasks) with ordinality
              listed (task, place) where (task ->> 'failed')::boolean and coalesce(task ->> 'result', '') <> ''
              order by place desc limit 1) end as why
        from job_device d left join device on device.hostname = d.hostname
          left join config_change c on c.job_id = d.job_id and c.device_id = device.id
        where d.job_id = any(${jobs}::integer[]) order by d.job_id, d.hostname limit ${MOST_DEVICES}`
    ),
    /** The newest entries of the audit about these jobs, the newest first. */
    events: Effect.fn("ReportRows.events")(
      (jobs: ReadonlyArray<number>) => sql<AuditEvent>`select ${sql.literal(AUDIT_COLUMNS)} from event
        where is_audit and kind <> 'report' and job_id = any(${jobs}::integer[]) order by event.id desc limit ${MOST_EVENTS}`
    ),
    /** The commits of the last rollout on any of the devices of a job, before it. */
    commitsBefore: Effect.fn("ReportRows.commitsBefore")((job: number) =>
      Effect.map(
        sql<CommitsBefore>`select before.settings_commit, before.templates_commit from job before
          where before.id < ${job} and before.function_name = 'sync_devices' and before.outcome in ('success', 'partial')
            and exists (select from job_device b join job_device d on d.hostname = b.hostname
              where b.job_id = before.id and d.job_id = ${job} and not b.failed)
          order by before.id desc limit 1`,
        ([row]) => row ?? null
      )
    ),
    /** Whether the audit has an entry about a report with this digest. */
    isKept: Effect.fn("ReportRows.isKept")((sha256: string) =>
      Effect.map(
        sql`select 1 from event where kind = 'report' and data ->> 'sha256' = ${sha256} limit 1`,
        (rows) => rows.length > 0
      )
    ),
    /** The entry of the audit about a report with this digest; undefined without one. */
    kept: Effect.fn("ReportRows.kept")((sha256: string) =>
      Effect.map(
        sql<KeptReport>`select id::float8 as event_id, iso_time(at) as at, actor as by, (data ->> 'change')::integer as change,
            data ->> 'format' as format, exists (select from event_seal where event_id = event.id) as is_sealed
          from event where kind = 'report' and is_audit and data ->> 'sha256' = ${sha256} order by event.id limit 1`,
        ([row]) => row
      )
    )
  }
})
