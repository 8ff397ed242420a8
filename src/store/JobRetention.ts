/**
 * Removes old jobs and what they have done (docs/operations.md#retention), in batches of some hundred rows, each in a transaction of its
 * own that locks nothing but its rows. Which of them stay is decided by `domain/Retention.ts`.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import {
  type ChangeFacts,
  type ConfigFacts,
  type JobDeviceFacts,
  type JobFacts,
  keepsChange,
  keepsConfig,
  keepsJob,
  keepsJobDevice,
  keepsOperation,
  type OperationFacts,
  periodsOf,
  type RetainedKind,
  retainedKinds,
  type RetentionSettings
} from "../domain/Retention.ts"
import { JOB_ENDED, JOB_UNFINISHED } from "./JobStatusSql.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"
import { locks } from "./AdvisoryLocks.ts"

const BATCH = 500

/** Where to go on: id of the row, or of its job with its hostname. */
interface Cursor {
  readonly id: number
  readonly hostname: string
}

type Row<Facts> = Facts & Cursor
/** A batch: how many rows were looked at, which of them stay not, and where the next one begins. */
interface Found {
  readonly seen: number
  readonly gone: ReadonlyArray<Cursor>
  readonly next: Cursor
}

const START: Cursor = { id: 0, hostname: "" }
const foundOf = <Facts>(rows: ReadonlyArray<Row<Facts>>, keeps: (facts: Facts) => boolean): Found => ({
  seen: rows.length,
  gone: rows.filter((row) => !keeps(row)).map(({ hostname, id }) => ({ hostname, id })),
  next: rows.at(-1) ?? START
})

/** A change that says what ran afterwards. */
const IN_FORCE = `load_mode = 'replace' and b.phase in ('confirmed', 'unchanged') and b.protocol ->> 'dryRun' is distinct from 'true'`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const over =
    sql.literal(`(job.status in ${JOB_ENDED} and not exists (select from job w where w.status in ${JOB_UNFINISHED}
    and job.id::text in (w.start_arguments ->> 'dry_run_job', w.start_arguments ->> 'job_id', w.waiting_for ->> 'dry_run_job')))`)
  const open = sql.literal(`(c.${UNFINISHED} or c.phase = 'unknown')`)
  const before = (days: number) => sql`now() - make_interval(days => ${days})`

  const finders: Readonly<
    Record<RetainedKind, (days: number, after: Cursor, count: number) => Effect.Effect<Found, SqlError.SqlError>>
  > = {
    change: (days, after) =>
      Effect.map(
        sql<Row<ChangeFacts>>`select c.id, '' as hostname, ${over} as job_over, ${open} as is_open,
            c.id = newest.id as is_newest, coalesce(c.id = newest.confirmed, false) as is_undoable,
            coalesce(c.id = (select max(b.id) from config_change b where b.device_id = c.device_id and b.id < newest.confirmed
              and b.${sql.literal(IN_FORCE)}), false) as is_ground
          from config_change c join job on job.id = c.job_id cross join lateral
            (select max(n.id) as id, max(n.id) filter (where n.phase = 'confirmed') as confirmed
              from config_change n where n.device_id = c.device_id) newest
          where c.id > ${after.id} and c.updated_at < ${before(days)} order by c.id limit ${BATCH}`,
        (rows) => foundOf(rows, keepsChange)
      ),
    config: (days, after, count) =>
      Effect.map(
        sql<
          Row<ConfigFacts>
        >`select d.job_id as id, d.hostname, ${over} as job_over, d.waiting as is_waiting, d.failed, job.function_name = 'sync_devices' as is_live,
            exists (select from device where device.hostname = d.hostname) as device_exists,
            (select count(*)::integer from (select from job_device n join job later on later.id = n.job_id where n.hostname = d.hostname
              and n.job_id > d.job_id and n.brief_tasks is not null and not n.failed and later.function_name = 'sync_devices'
              limit ${count}) newest) as newer
          from job_device d join job on job.id = d.job_id
          where d.brief_tasks is not null and (d.hostname, d.job_id) > (${after.hostname}, ${after.id})
            and coalesce(job.finish_time, now()) < ${before(days)} order by d.hostname, d.job_id limit ${BATCH}`,
        (rows) => foundOf(rows, (facts) => keepsConfig(facts, count))
      ),
    job_device: (days, after) =>
      Effect.map(
        sql<Row<JobDeviceFacts>>`select d.job_id as id, d.hostname, ${over} as job_over, d.waiting as is_waiting,
            d.brief_tasks is not null as has_config,
            exists (select from config_change c join device on device.id = c.device_id
              where c.job_id = d.job_id and device.hostname = d.hostname) as has_change
          from job_device d join job on job.id = d.job_id
          where (d.job_id, d.hostname) > (${after.id}, ${after.hostname}) and job.finish_time < ${before(days)}
          order by d.job_id, d.hostname limit ${BATCH}`,
        (rows) => foundOf(rows, keepsJobDevice)
      ),
    operation: (days, after) =>
      Effect.map(
        sql<
          Row<OperationFacts>
        >`select o.id, '' as hostname, coalesce(${over}, true) as job_over, o.phase = 'done' as is_done
          from device_operation o left join job on job.id = o.job_id
          where o.id > ${after.id} and o.updated_at < ${before(days)} order by o.id limit ${BATCH}`,
        (rows) => foundOf(rows, keepsOperation)
      ),
    job: (days, after) =>
      Effect.map(
        sql<Row<JobFacts>>`select job.id, '' as hostname, ${over} as job_over,
            (exists (select from config_change p where p.job_id = job.id)::integer
              + exists (select from job_device p where p.job_id = job.id)::integer
              + exists (select from device_operation p where p.job_id = job.id)::integer) as parts
          from job where job.id > ${after.id} and job.finish_time < ${before(days)} order by job.id limit ${BATCH}`,
        (rows) => foundOf(rows, keepsJob)
      )
  }

  /** Rows of devices by job and name. */
  const named = (gone: ReadonlyArray<Cursor>) =>
    sql`jsonb_to_recordset(${JSON.stringify(gone)}::text::jsonb) as gone (id integer, hostname text)`
  const numbers = (gone: ReadonlyArray<Cursor>) => gone.map(({ id }) => id)

  const removers: Readonly<
    Record<RetainedKind, (gone: ReadonlyArray<Cursor>) => Effect.Effect<unknown, SqlError.SqlError>>
  > = {
    change: (gone) => sql`delete from config_change where id = any(${numbers(gone)}::integer[])`,
    // the tasks without their long texts stay, and those that have failed: what a job did, and why not, is still told
    config: (gone) => sql`update job_device d set brief_tasks = null, sealed_tasks = null, job_tasks = coalesce((
        select jsonb_agg(task order by place) from jsonb_array_elements(d.job_tasks) with ordinality listed (task, place)
        where (task ->> 'failed')::boolean or d.brief_tasks @> jsonb_build_array(task)), '[]')
      from ${named(gone)} where d.job_id = gone.id and d.hostname = gone.hostname`,
    job_device: (gone) => sql`delete from job_device d using ${named(gone)}
      where d.job_id = gone.id and d.hostname = gone.hostname`,
    operation: (gone) => sql`delete from device_operation where id = any(${numbers(gone)}::integer[])`,
    job: (gone) =>
      Effect.andThen(
        sql`update job set next_job_id = null where next_job_id = any(${numbers(gone)}::integer[])`,
        sql`delete from job where id = any(${numbers(gone)}::integer[])`
      )
  }

  const removeBatch = Effect.fnUntraced(function* (kind: RetainedKind, days: number, after: Cursor, count: number) {
    const [lock] = yield* sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.jobRemoval}) as taken`
    if (lock?.taken !== true) return { seen: 0, gone: [], next: after }
    const found = yield* finders[kind](days, after, count)
    if (found.gone.length === 0) return found
    yield* sql`select set_config('switchyard.retention', 'on', true)`
    yield* removers[kind](found.gone)
    return found
  }, sql.withTransaction)

  /** Goes through all old rows of a kind; yields how many were removed. */
  const removeKind = Effect.fnUntraced(function* (kind: RetainedKind, days: number, count: number) {
    let after = START
    let removed = 0
    for (;;) {
      const { gone, next, seen } = yield* removeBatch(kind, days, after, count)
      removed += gone.length
      if (seen < BATCH) return removed
      after = next
    }
  })

  const due = Effect.fnUntraced(function* (kind: RetainedKind, days: number, count: number) {
    let after = START
    let total = 0
    for (;;) {
      const { gone, next, seen } = yield* finders[kind](Math.max(days - 1, 0), after, count)
      total += gone.length
      if (seen < BATCH) return total
      after = next
    }
  })

  return JobRetention.of({
    remove: Effect.fn("JobRetention.remove")(function* (settings: RetentionSettings) {
      const periods = periodsOf(settings)
      const removed: Record<RetainedKind, number> = { change: 0, config: 0, job_device: 0, operation: 0, job: 0 }
      for (const kind of retainedKinds) {
        const days = periods[kind]
        if (days !== null) removed[kind] = yield* removeKind(kind, days, Math.max(settings.CONFIG_COUNT, 1))
      }
      return removed
    }),
    due: Effect.fn("JobRetention.due")(function* (settings: RetentionSettings, kind: RetainedKind) {
      const days = periodsOf(settings)[kind]
      return days === null ? 0 : yield* due(kind, days, Math.max(settings.CONFIG_COUNT, 1))
    })
  })
})

/** The end of jobs. */
export class JobRetention extends Context.Service<
  JobRetention,
  {
    /** Removes what is older than its kind is kept and not needed any more, unless another replica does so now; yields how many of each. */
    readonly remove: (
      settings: RetentionSettings
    ) => Effect.Effect<Readonly<Record<RetainedKind, number>>, SqlError.SqlError>
    /** How many of the kind go within a day, as far as that can be told today. */
    readonly due: (settings: RetentionSettings, kind: RetainedKind) => Effect.Effect<number, SqlError.SqlError>
  }
>()("switchyard/store/JobRetention") {
  static readonly layer = Layer.effect(JobRetention, make)
}
