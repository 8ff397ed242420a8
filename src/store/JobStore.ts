/**
 * Rows of the job table and of what jobs did on devices. Status changes go through `jobs/JobEngine.ts`, which asks the
 * machine first; this store only reads and writes.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import {
  type DeviceResult,
  type Job,
  type JobException,
  JobNotFound,
  type JobStatus,
  type JobTask,
  type StartArguments
} from "../domain/Job.ts"
import { type JobCounts, noDevices, type Outcome } from "../domain/JobOutcome.ts"
import type { JobWaiting } from "../domain/JobWaiting.ts"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { grouping, makeGroupedFind, makeGroupedWrite } from "./GroupedStatement.ts"
import { TIMERS_LEFT, WAITING } from "./JobWaitingColumn.ts"

/** A job as it is created. `delaySeconds` from now until it is due. */
export interface NewJob {
  readonly function_name: string
  readonly scheduled_by: string
  readonly comment: string | null
  readonly ticket_ref: string | null
  readonly start_arguments: StartArguments | null
  readonly delaySeconds: number
}

/** A job's record without its result. */
export type JobHead = Pick<Job, "id" | "status" | "function_name" | "scheduled_by" | "start_arguments" | "next_job_id">

/** A job that has begun and not ended; `since` is ISO 8601 without a zone, UTC. */
export interface RunningSince extends Pick<Job, "id" | "function_name"> {
  readonly since: string
}

/** A sync that runs, and which of the devices that another one wants it wants too. */
export interface SyncBeside {
  readonly job_id: number
  readonly hostnames: ReadonlyArray<string>
}

/** One attempt at a job; one that is started again because nobody works on it gets the next number. */
export interface JobAttempt {
  readonly jobId: number
  readonly attempt: number
}

/** What may be written to a job's row; times are set to now where the flag is given. */
export interface JobPatch {
  readonly status?: JobStatus
  readonly started?: true
  readonly finished?: true
  readonly result?: unknown
  readonly exception?: JobException
  readonly next_job_id?: number | null
  readonly change_score?: number | null
  readonly outcome?: Outcome
}

/** Names of tasks that can be left out of results: those that hold the configuration and the difference. */
const LONG_TASKS = ["Generate device config", "Sync device config"] as const
export type SyncTaskName = (typeof LONG_TASKS)[number]

const isLong = ({ task_name }: JobTask): boolean => LONG_TASKS.some((name) => name === task_name)

/** What a job did on one device, as the checkpoint of a job that may be resumed. */
export interface JobDevice {
  readonly hostname: string
  readonly result: DeviceResult
  /** The main task ran to its end, whatever it found (contract engine.md §2.7). */
  readonly reachedEnd: boolean
  readonly changed: boolean
  readonly score: number | null
  /** Proved, but neither confirmed nor reverted yet: the row will be written again. Default false. */
  readonly waiting?: boolean
}

/** The same with its job. */
export interface JobDeviceRow extends JobDevice {
  readonly jobId: number
}

/** A job's record with this expression as its result. */
const columnsWith = (result: string): string => `job.id, job.status, iso_time(job.scheduled_time) as scheduled_time,
  iso_time(job.start_time) as start_time, iso_time(job.finish_time) as finish_time, job.function_name, job.scheduled_by,
  job.comment, job.ticket_ref, job.next_job_id, ${result} as result, job.exception,
  job.exception ->> 'traceback' as traceback, job.finished_devices, job.change_score,
  job.outcome, job.failed_devices, job.counts, job.start_arguments,
  job.settings_commit, job.templates_commit,
  ${WAITING} as waiting_for`

/**
 * `result` of a job with device rows is put together from them, so that it is stored once; an object that the job stored
 * itself adds its keys. Null without device rows.
 */
const fromDevices = (tasks: string): string => `(select jsonb_build_object('devices', jsonb_object_agg(d.hostname,
    jsonb_build_object('failed', d.failed, 'job_tasks', ${tasks})))
    || case jsonb_typeof(job.result) when 'object' then job.result else '{}' end
    from job_device d where d.job_id = job.id having count(*) > 0)`

const COLUMNS = columnsWith(`coalesce(${fromDevices("d.job_tasks")}, job.result)`)

const OWN_COLUMNS = columnsWith("job.result")

/** Without the result, which grows with the number of devices. */
const HEAD = `id, status, function_name, scheduled_by, start_arguments, next_job_id`

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const grouped = yield* grouping
  const columns = sql.literal(COLUMNS)
  const one = (id: number) => (rows: ReadonlyArray<Job>) =>
    rows[0] === undefined ? Effect.fail(new JobNotFound({ id })) : Effect.succeed(rows[0])

  const update = Effect.fn("JobStore.update")(function* (id: number, patch: JobPatch) {
    const { exception, finished, result, started, ...fields } = patch
    const assignments = [
      ...Object.entries(fields).map(([name, value]) => sql`${sql(name)} = ${value}`),
      ...(started === true
        ? [sql`start_time = now(), finished_devices = '[]', failed_devices = '[]', counts = ${sql.json(noDevices)}`]
        : []),
      ...(finished === true ? [sql`finish_time = now()`] : []),
      ...(result === undefined || result === null ? [] : [sql`result = ${sql.json(result)}`]),
      ...(exception === undefined ? [] : [sql`exception = ${sql.json(exception)}`])
    ]
    if (assignments.length > 0) yield* sql`update job set ${sql.csv(assignments)} where id = ${id}`
  })

  /** The tasks of a device without those of these names. */
  const tasksBut = (names: ReadonlyArray<SyncTaskName>) =>
    names.length === 0
      ? "d.job_tasks"
      : `case when ${LONG_TASKS.every((name) => names.includes(name))} and d.brief_tasks is not null then d.brief_tasks else
        (select coalesce(jsonb_agg(task order by place), '[]')
          from jsonb_array_elements(d.job_tasks) with ordinality listed (task, place)
          where (task ->> 'task_name') is null or (task ->> 'task_name') <> all (array['${names.join("','")}'])) end`

  const addDevices = Effect.fnUntraced(function* (rows: ReadonlyArray<JobDeviceRow>) {
    if (rows.length === 0) return
    const given = rows.map(({ changed, hostname, jobId, reachedEnd, result, score, waiting = false }) => ({
      job_id: jobId,
      hostname,
      failed: result.failed,
      job_tasks: result.job_tasks,
      brief_tasks: result.job_tasks.some(isLong) ? result.job_tasks.filter((task) => !isLong(task)) : null,
      reached_end: reachedEnd,
      score,
      changed,
      waiting
    }))
    const names = sql.literal("job_id, hostname, failed, job_tasks, brief_tasks, reached_end, score, changed, waiting")
    yield* sql`insert into job_device (${names})
      select ${names} from jsonb_to_recordset(${sql.json(given)}) as given (job_id integer, hostname text, failed boolean,
        job_tasks jsonb, brief_tasks jsonb, reached_end boolean, score double precision, changed boolean, waiting boolean)
      on conflict (job_id, hostname) do update set failed = excluded.failed, job_tasks = excluded.job_tasks, brief_tasks = excluded.brief_tasks,
        reached_end = excluded.reached_end, score = excluded.score, changed = excluded.changed,
        waiting = excluded.waiting`
  })
  const addDevice = makeGroupedWrite(grouped, addDevices)

  const findStatus = makeGroupedFind(
    grouped,
    (ids) => sql<{ id: number; status: JobStatus }>`select id, status from job where id = any(${ids}::integer[])`,
    ({ id }) => id
  )

  return JobStore.of({
    columns: COLUMNS,
    ownColumns: OWN_COLUMNS,
    own: Effect.fn("JobStore.own")((id: number) =>
      Effect.flatMap(sql<Job>`select ${sql.literal(OWN_COLUMNS)} from job where id = ${id}`, one(id))
    ),
    deviceResults: Effect.fn("JobStore.deviceResults")(function* (
      ids: ReadonlyArray<number>,
      without: ReadonlyArray<SyncTaskName>
    ) {
      const rows = yield* sql<{ id: number; text: string }>`
        select id, text from (select job.id, ${sql.literal(fromDevices(tasksBut(without)))}::text as text
          from job where job.id = any(${ids}::integer[])) results where text is not null`
      return new Map(rows.map(({ id, text }) => [id, text]))
    }),
    insert: Effect.fn("JobStore.insert")(function* (job: NewJob) {
      const { delaySeconds, start_arguments, ...fields } = job
      const [row] = yield* sql<{ id: number }>`
        insert into job (function_name, scheduled_by, comment, ticket_ref, start_arguments, scheduled_time)
        values (${fields.function_name}, ${fields.scheduled_by}, ${fields.comment}, ${fields.ticket_ref},
          ${start_arguments === null ? null : sql.json(start_arguments)}, now() + make_interval(secs => ${delaySeconds}))
        returning id`
      return yield* Effect.orDie(Effect.fromNullishOr(row?.id))
    }),
    get: Effect.fn("JobStore.get")((id: number) =>
      Effect.flatMap(sql<Job>`select ${columns} from job where id = ${id}`, one(id))
    ),
    head: Effect.fn("JobStore.head")(function* (id: number) {
      const [row] = yield* sql<JobHead>`select ${sql.literal(HEAD)} from job where id = ${id}`
      return row === undefined ? yield* new JobNotFound({ id }) : row
    }),
    lockStatus: Effect.fn("JobStore.lockStatus")(function* (id: number) {
      const [row] = yield* sql<{ status: JobStatus }>`select status from job where id = ${id} for update`
      return row === undefined ? yield* new JobNotFound({ id }) : row.status
    }),
    status: Effect.fn("JobStore.status")(function* (id: number) {
      const found = yield* findStatus(id)
      return Option.isSome(found) ? found.value.status : yield* new JobNotFound({ id })
    }),
    millisUntilDue: Effect.fn("JobStore.millisUntilDue")(function* (id: number) {
      const [row] = yield* sql<{ millis: number }>`
        select greatest(0, ceil(extract(epoch from scheduled_time - now()) * 1000))::float8 as millis from job where id = ${id}`
      return row === undefined ? yield* new JobNotFound({ id }) : row.millis
    }),
    update,
    addDevice: Effect.fn("JobStore.addDevice")((jobId: number, device: JobDevice) => addDevice({ ...device, jobId })),
    addDevices: Effect.fn("JobStore.addDevices")(addDevices),
    devices: Effect.fn("JobStore.devices")((jobId: number) =>
      Effect.map(
        sql<JobDevice & DeviceResult>`select hostname, failed, reached_end as "reachedEnd", changed, score, waiting,
          '[]'::jsonb as job_tasks from job_device where job_id = ${jobId} order by finished_at`,
        (rows) => rows.map(({ failed, job_tasks, ...row }) => ({ ...row, result: { failed, job_tasks } }))
      )
    ),
    refreshFinished: Effect.fn("JobStore.refreshFinished")((jobId: number) =>
      Effect.map(
        sql<{
          counts: JobCounts
        }>`update job set finished_devices = d.finished, failed_devices = d.failed, counts = d.counts
          from (select coalesce(jsonb_agg(hostname order by finished_at) filter (where reached_end), '[]') as finished,
              coalesce(jsonb_agg(hostname order by hostname) filter (where failed), '[]') as failed,
              jsonb_build_object('devices', count(*), 'succeeded', count(*) filter (where not failed),
                'failed', count(*) filter (where failed),
                'changed', count(*) filter (where changed and not failed)) as counts
            from job_device where job_id = ${jobId}) d
          where id = ${jobId} returning job.counts`,
        ([row]) => row?.counts ?? noDevices
      )
    ),
    syncsBeside: Effect.fn("JobStore.syncsBeside")(
      (id: number, hostnames: ReadonlyArray<string>) => sql<SyncBeside>`select job.id as job_id,
          array(select name from jsonb_array_elements_text(job.memo -> 'hostnames') name
            where name = any(${hostnames}::text[]) order by name) as hostnames
        from job where status in ('RUNNING', 'ABORTING') and function_name = 'sync_devices' and id <> ${id}
          and (job.memo -> 'hostnames') ?| ${hostnames}::text[] order by id`
    ),
    memo: Effect.fn("JobStore.memo")(function* (id: number) {
      const [row] = yield* sql<{ memo: unknown }>`select memo from job where id = ${id}`
      return Option.fromNullishOr(row?.memo)
    }),
    remember: Effect.fn("JobStore.remember")((id: number, memo: unknown) =>
      Effect.asVoid(sql`update job set memo = ${sql.json(memo)} where id = ${id}`)
    ),
    stayAlive: Effect.fn("JobStore.stayAlive")((attempts: ReadonlyArray<JobAttempt>) => {
      const given = attempts.map(({ attempt, jobId }) => ({ attempt, jobId }))
      return Effect.map(
        sql<{ id: number }>`update job set alive_at = now()
          from jsonb_to_recordset(${sql.json(given)}) as given ("jobId" integer, attempt integer)
          where id = given."jobId" and job.attempt = given.attempt returning id`,
        (rows) => rows.map(({ id }) => id)
      )
    }),
    silent: Effect.fn("JobStore.silent")(
      (seconds: number) => sql<JobAttempt>`select id as "jobId", attempt from job
        where status in ('SCHEDULED', 'RUNNING', 'ABORTING')
          and greatest(alive_at, scheduled_time) < now() - make_interval(secs => ${seconds}) order by id`
    ),
    attempt: Effect.fn("JobStore.attempt")(function* (id: number) {
      const [row] = yield* sql<{ attempt: number }>`select attempt from job where id = ${id}`
      return row === undefined ? yield* new JobNotFound({ id }) : row.attempt
    }),
    waitFor: Effect.fn("JobStore.waitFor")((id: number, waiting: JobWaiting) =>
      Effect.asVoid(sql`update job set waiting_for = ${sql.json(waiting)} where id = ${id}`)
    ),
    refreshWaiting: Effect.fn("JobStore.refreshWaiting")((id: number) =>
      Effect.asVoid(sql`update job set waiting_for = ${sql.literal(TIMERS_LEFT)} where id = ${id}
        and (waiting_for ->> 'until') is distinct from (${sql.literal(TIMERS_LEFT)} ->> 'until')`)
    ),
    nextAttempt: Effect.fn("JobStore.nextAttempt")(function* ({ attempt, jobId }: JobAttempt, seconds: number) {
      const rows = yield* sql`update job set attempt = attempt + 1, alive_at = now()
        where id = ${jobId} and attempt = ${attempt} and status in ('SCHEDULED', 'RUNNING', 'ABORTING')
          and greatest(alive_at, scheduled_time) < now() - make_interval(secs => ${seconds}) returning id`
      return rows.length === 1
    }),
    running: Effect.withSpan(
      sql<RunningSince>`select id, function_name, iso_time(start_time) as since from job
        where status in ('RUNNING', 'ABORTING') order by id`,
      "JobStore.running"
    ),
    scheduledDiscovery: Effect.fn("JobStore.scheduledDiscovery")(function* (dhcpIp: string, otherThan: number) {
      const rows = yield* sql`select 1 from job where function_name = 'discover_device' and status = 'SCHEDULED'
        and start_arguments ->> 'dhcp_ip' = ${dhcpIp} and id <> ${otherThan} limit 1`
      return rows.length > 0
    })
  })
})

type Done = Effect.Effect<void, SqlError.SqlError>
type Read<A> = Effect.Effect<A, SqlError.SqlError | JobNotFound>

/** Jobs by id. */
export class JobStore extends Context.Service<
  JobStore,
  {
    /** The select list that turns a row of `job` into a `Job`. */
    readonly columns: string
    /** The same with what the job stored itself as its result, without what it did on its devices. */
    readonly ownColumns: string
    /** The record with `ownColumns`. */
    readonly own: (id: number) => Read<Job>
    /**
     * The whole results of those of these jobs that worked on devices, as JSON text: it can be many megabytes. Tasks of the
     * names in `without` are left out of it.
     */
    readonly deviceResults: (
      ids: ReadonlyArray<number>,
      without: ReadonlyArray<SyncTaskName>
    ) => Effect.Effect<ReadonlyMap<number, string>, SqlError.SqlError>
    readonly insert: (job: NewJob) => Effect.Effect<number, SqlError.SqlError>
    readonly get: (id: number) => Read<Job>
    /** What the engine needs to know of a job; small, however many devices it is about. */
    readonly head: (id: number) => Read<JobHead>
    readonly status: (id: number) => Read<JobStatus>
    /** The status, with the row locked until the transaction ends. */
    readonly lockStatus: (id: number) => Read<JobStatus>
    /** Milliseconds until the job is due by the database's clock, 0 when it is. */
    readonly millisUntilDue: (id: number) => Read<number>
    readonly update: (id: number, patch: JobPatch) => Done
    /** Writes what was done on one device, new or again. */
    readonly addDevice: (jobId: number, device: JobDevice) => Done
    /** The same for many devices in one statement; no device of a job twice. */
    readonly addDevices: (rows: ReadonlyArray<JobDeviceRow>) => Done
    /** Devices that are done, without their task texts. */
    readonly devices: (jobId: number) => Effect.Effect<ReadonlyArray<JobDevice>, SqlError.SqlError>
    /** Brings the names and numbers of devices in the job's row up to date and yields the numbers. */
    readonly refreshFinished: (jobId: number) => Effect.Effect<JobCounts, SqlError.SqlError>
    /** Live syncs that run beside this job and want some of these devices as well. */
    readonly syncsBeside: (
      id: number,
      hostnames: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SyncBeside>, SqlError.SqlError>
    /** What the function remembered for a restart. */
    readonly memo: (id: number) => Effect.Effect<Option.Option<unknown>, SqlError.SqlError>
    readonly remember: (id: number, memo: unknown) => Done
    /** Writes that these attempts are worked on; yields the jobs of those that no newer one has replaced. */
    readonly stayAlive: (attempts: ReadonlyArray<JobAttempt>) => Effect.Effect<ReadonlyArray<number>, SqlError.SqlError>
    /** Jobs that are due and have not ended, and of which nobody has said for so many seconds that they are worked on. */
    readonly silent: (seconds: number) => Effect.Effect<ReadonlyArray<JobAttempt>, SqlError.SqlError>
    /** The number of the attempt that may work on the job. */
    readonly attempt: (id: number) => Read<number>
    /** Writes what the job waits for before it begins. */
    readonly waitFor: (id: number, waiting: JobWaiting) => Done
    /** Writes whether a job that runs waits for nothing but the commit timers of its devices. */
    readonly refreshWaiting: (id: number) => Done
    /** Replaces the attempt of a job that still is silent; false when it is not, or somebody else has done it. */
    readonly nextAttempt: (left: JobAttempt, seconds: number) => Effect.Effect<boolean, SqlError.SqlError>
    /** Jobs that have begun and not ended. */
    readonly running: Effect.Effect<ReadonlyArray<RunningSince>, SqlError.SqlError>
    /** Another discovery of this address is waiting (contract engine.md §2.8). */
    readonly scheduledDiscovery: (dhcpIp: string, otherThan: number) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("switchyard/store/JobStore") {
  static readonly layer = Layer.effect(JobStore, make).pipe(Layer.provide(BackgroundWork.layer))
}
