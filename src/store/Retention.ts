/**
 * The retention of old records (docs/operations.md#retention). Old jobs and their work are removed in batches of some hundred rows, each in a
 * transaction that locks only its own rows; `domain/Retention.ts` decides which rows stay. Records are counted.
 */
import { Effect, Struct } from "effect"
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
import { JOB_ENDED, JOB_UNFINISHED, UNFINISHED } from "./StatusConditions.ts"
import { locks } from "./DatabaseClient.ts"
import { ServerConfig } from "../ServerConfig.ts"

const BATCH = 500

/** Where the next batch begins: the id of the row, or of its job with its hostname. */
interface Cursor {
  readonly id: number
  readonly hostname: string
}

type Row<Facts> = Facts & Cursor
/** A batch: the number of rows that were checked, the rows to be removed, and where the next batch begins. */
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

/** A change that determines the configuration after it. */
const IN_FORCE = `load_mode = 'replace' and b.phase in ('confirmed', 'unchanged') and b.protocol ->> 'dryRun' is distinct from 'true'`

/** The removal of old jobs and their work. */
export const makeJobRetention = Effect.gen(function* () {
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
    // failed tasks stay, and the others without their long texts: the job's actions and failures can still be shown
    config: (
      gone
    ) => sql`update job_device d set brief_tasks = null, sealed_tasks = null, config = null, config_hidden = null, job_tasks = coalesce((
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

  /** Removes old rows of a kind; yields their number. */
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

  return {
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
  } satisfies JobRetention
})

/** The removal of old jobs and their work. */
export interface JobRetention {
  /** Removes records that are older than the period of their kind and not needed, unless another replica does so now; yields numbers by kind. */
  readonly remove: (
    settings: RetentionSettings
  ) => Effect.Effect<Readonly<Record<RetainedKind, number>>, SqlError.SqlError>
  /** The number of records of the kind that will be removed within a day, as far as known today. */
  readonly due: (settings: RetentionSettings, kind: RetainedKind) => Effect.Effect<number, SqlError.SqlError>
}

// The number of records of each kind that are removed with age (docs/operations.md#retention): one replica counts them every hour and
// stores the result, so reading it is cheap.

/** Rows, time and table of each kind; configurations are in the table of `job_device`, the audit in that of `event`. */
const SOURCES = {
  job: { of: "job", time: "finish_time", size: "job" },
  job_device: { of: "job_device", time: "finished_at", size: "job_device" },
  config: { of: "job_device where brief_tasks is not null", time: "finished_at", size: "" },
  change: { of: "config_change", time: "created_at", size: "config_change" },
  stored_text: { of: "stored_text", time: "stored_at", size: "stored_text" },
  operation: { of: "device_operation", time: "created_at", size: "device_operation" },
  event: { of: "event where not is_audit", time: "at", size: "event" },
  audit: { of: "event where is_audit", time: "at", size: "event_seal" }
} as const
type RowKind = keyof typeof SOURCES
const KINDS = Struct.keys(SOURCES)

/** Counts of retained records. */
export const makeRetainedFigures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const config = yield* ServerConfig
  const retention = yield* makeJobRetention

  const oldEvents = (days: number, isAudit: boolean) =>
    days === 0
      ? Effect.succeed(0)
      : Effect.map(
          sql<{ due: number }>`select count(*)::float8 as due from event
            where is_audit = ${isAudit} and at < now() - make_interval(days => ${Math.max(days - 1, 0)})`,
          ([row]) => row?.due ?? 0
        )

  const dueOf = (kind: RowKind) => {
    const own = retainedKinds.find((one) => one === kind)
    if (own !== undefined) return retention.due(config, own)
    if (kind === "stored_text") return Effect.succeed(0)
    return kind === "audit" ? oldEvents(config.AUDIT_DAYS, true) : oldEvents(config.EVENT_DAYS, false)
  }

  const lookAt = Effect.fnUntraced(function* (kind: RowKind) {
    const { of, size, time } = SOURCES[kind]
    const due = yield* dueOf(kind)
    yield* sql`insert into retained (kind, rows, bytes, oldest, due)
      select ${kind}, count(*), pg_total_relation_size(to_regclass(nullif(${size}, ''))), min(${sql.literal(time)}), ${due}
        from ${sql.literal(of)}
      on conflict (kind) do update set rows = excluded.rows, bytes = excluded.bytes, oldest = excluded.oldest, due = excluded.due,
        looked_at = now()`
  })

  const begin = Effect.fn("RetainedFigures.begin")(function* (seconds: number) {
    const [lock] = yield* sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.retentionRound}) as taken`
    if (lock?.taken !== true) return false
    const [known] = yield* sql<{
      is_young: boolean
    }>`select looked_at > now() - make_interval(secs => ${seconds}) as is_young
      from retained where kind = 'job'`
    if (known?.is_young === true) return false
    // this count shows other replicas that a round has begun
    yield* lookAt("job")
    return true
  }, sql.withTransaction)

  return {
    /**
     * Whether this replica does a round of removal and counting: no replica has begun one within this number of seconds or begins one
     * now. Other replicas see the begin.
     */
    begin,
    /** Counts all kinds and stores the result. */
    look: Effect.forEach(KINDS, lookAt, { discard: true }).pipe(Effect.withSpan("RetainedFigures.look")),
    noteRemoved: Effect.fn("RetainedFigures.noteRemoved")((removed: Readonly<Record<RetainedKind, number>>) =>
      Effect.forEach(
        retainedKinds,
        (kind) =>
          sql`update retained set removed = removed + ${removed[kind]} where kind = ${kind} and ${removed[kind]} > 0`,
        { discard: true }
      )
    )
  }
})
