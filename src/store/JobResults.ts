/**
 * What jobs did on devices: a row per device, as the checkpoint of a job and as its result. The tasks are stored without secrets, and
 * sealed beside it when they have some.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import { type DeviceResult, type JobCounts, type JobTask, noDevices, SCHEDULER } from "../domain/Job.ts"
import { cleanedValue, faultText, valueFaults } from "../domain/Text.ts"
import type { DerivedSecrets } from "../templates/TemplateSecrets.ts"
import { type DerivedSecretStore, readJson, type SecretTexts } from "./SecretStore.ts"
import { type Grouping, lengthOfTexts, makeGroupedWrite } from "./GroupedStatement.ts"
import { SqlClient, type SqlError } from "effect/sql"
import type { CommitSet } from "../domain/Repository.ts"
import { locks } from "./DatabaseClient.ts"
import type { SharedDiff } from "../domain/DiffGroups.ts"
import type { ChangePhase, ChangeReason } from "../../machines/change/ChangeRow.ts"
import { WAITING } from "./StatusConditions.ts"

// Cut.

// Select lists of the job table: the record as the API shows it, and its result put together from the rows of its devices.

/** Names of tasks that can be left out of results: those that hold the configuration and the difference. */
const LONG_TASKS = ["Generate device config", "Sync device config"] as const
export type SyncTaskName = (typeof LONG_TASKS)[number]

/** Whether the task can be left out. */
export const isLong = ({ task_name }: JobTask): boolean => LONG_TASKS.some((name) => name === task_name)

/** A job's record with this expression as its result. */
const columnsWith = (result: string): string => `job.id, job.status, iso_time(job.scheduled_time) as scheduled_time,
  iso_time(job.start_time) as start_time, iso_time(job.finish_time) as finish_time, job.function_name, job.scheduled_by,
  job.comment, job.ticket_ref, job.next_job_id, ${result} as result, job.exception,
  job.exception ->> 'traceback' as traceback, job.finished_devices, job.change_score,
  job.outcome, job.failed_devices, job.counts, job.start_arguments,
  job.settings_commit, job.templates_commit, job.abort_reason, job.aborted_by,
  ${WAITING} as waiting_for`

/**
 * `result` of a job with device rows is put together from them, so that it is stored once; an object that the job stored
 * itself adds its keys. Null without device rows.
 */
const FROM_DEVICES = `(select jsonb_build_object('devices', jsonb_object_agg(d.hostname,
    jsonb_build_object('failed', d.failed, 'job_tasks', d.job_tasks)))
    || case jsonb_typeof(job.result) when 'object' then job.result else '{}' end
    from job_device d where d.job_id = job.id having count(*) > 0)`

/** The select list that turns a row of `job` into a `Job`. */
export const COLUMNS = columnsWith(`coalesce(${FROM_DEVICES}, job.result)`)

/** The same with what the job stored itself as its result, without what it did on its devices. */
export const OWN_COLUMNS = columnsWith("job.result")

/** In whose turn a job begins; one of an earlier release is a person's, or the server's own. */
const SERVICE_CLASS = `coalesce(service_class, case scheduled_by when '${SCHEDULER}' then 'upkeep' else 'person' end)`

/** Without the result, which grows with the number of devices. */
export const HEAD = `id, status, function_name, scheduled_by, start_arguments, next_job_id, scheduled_way, scheduled_person, trace, ${SERVICE_CLASS} as service_class,
  coalesce(waiting_for ->> 'reason' = 'approval', false) as awaits_approval`

const leavesAllOut = (names: ReadonlyArray<SyncTaskName>) => LONG_TASKS.every((name) => names.includes(name))

/** The tasks of a device without those of these names. */
const tasksBut = (names: ReadonlyArray<SyncTaskName>) =>
  names.length === 0
    ? "d.job_tasks"
    : `case when ${leavesAllOut(names)} and d.brief_tasks is not null then d.brief_tasks else
      (select coalesce(jsonb_agg(task order by place), '[]')
        from jsonb_array_elements(d.job_tasks) with ordinality listed (task, place)
        where (task ->> 'task_name') is null or (task ->> 'task_name') <> all (array['${names.join("','")}'])) end`

/**
 * What a job did on the device of a row `d`, without the tasks of these names, as a member of an object in JSON. Texts are put together as
 * texts: as values they would be copied and sorted for each who asks.
 */
export const deviceMemberOf = (without: ReadonlyArray<SyncTaskName>): string =>
  `to_json(d.hostname)::text || ':{"failed":' || d.failed::text || ',"job_tasks":' || (${tasksBut(without)})::text || '}'`

/** Texts take so much less room where they are stored, at the most that is usual. */
const COMPRESSED = 8

/** About how many bytes of text this part has, of a row `d`, told by what is stored: what long tasks say is compressed, the rest is not. */
export const textBytesOf = (without: ReadonlyArray<SyncTaskName>): string =>
  leavesAllOut(without)
    ? `case when d.brief_tasks is null then pg_column_size(d.job_tasks) * ${COMPRESSED} else pg_column_size(d.brief_tasks) end`
    : `pg_column_size(d.job_tasks) * ${COMPRESSED}`

/** What a job did on one device, as the checkpoint of a job that may be resumed. */
export interface JobDevice {
  readonly hostname: string
  readonly result: DeviceResult
  /** The main task ran to its end, whatever it found (docs/jobs.md#the-record). */
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

/** What a job did on a device, as a member of an object in JSON. */
export interface DeviceText {
  readonly hostname: string
  readonly text: string
}

/** The tasks as they are looked at, and sealed as they are when they have secrets. The result of some is a configuration. */
const stored = (
  { hide, hideIn, seal }: SecretTexts["Service"],
  tasks: DeviceResult["job_tasks"],
  derived?: DerivedSecrets
) => {
  const clear = JSON.stringify(tasks)
  const shown = tasks.map((task) =>
    isLong(task) && !task.failed && typeof task.result === "string"
      ? { ...task, result: hide(task.result, derived), diff: hide(task.diff, derived) }
      : hideIn(task, derived)
  )
  const isBrief = (place: number) => !tasks.slice(place, place + 1).some(isLong)
  return {
    job_tasks: shown,
    brief_tasks: tasks.some(isLong) ? shown.filter((_, place) => isBrief(place)) : null,
    sealed_tasks: JSON.stringify(shown) === clear ? null : seal(clear)
  }
}

/** What no column can hold would fail the job, and others whose rows go with it: it is taken out, and the log names device and key. */
const storable = Effect.fnUntraced(function* ({ hostname, jobId, result: { job_tasks } }: JobDeviceRow) {
  const faults = valueFaults(job_tasks, "result", () => "result")
  if (faults.length === 0) return job_tasks
  yield* Effect.logError(`Job ${jobId}: text from ${hostname} cannot be stored, so it was removed`, {
    found: faults.map((fault) => `job_tasks.${faultText(fault)}`)
  })
  return cleanedValue(job_tasks, "lines").value
})

/** What the rows are written and read with. */
export interface RowServices {
  readonly sql: PgClient.PgClient
  readonly grouped: Grouping
  readonly secrets: SecretTexts["Service"]
  readonly derivedSecrets: DerivedSecretStore["Service"]
}

/** The part of `JobStore` that is about devices. */
export const makeDeviceRows = ({ derivedSecrets, grouped, secrets, sql }: RowServices) => {
  const addDevices = Effect.fnUntraced(function* (rows: ReadonlyArray<JobDeviceRow>) {
    if (rows.length === 0) return
    const derived = yield* derivedSecrets.ofHosts(rows.map(({ hostname }) => hostname))
    const tasks = yield* Effect.forEach(rows, storable)
    const given = rows.map(({ changed, hostname, jobId, reachedEnd, result, score, waiting = false }, place) => ({
      job_id: jobId,
      hostname,
      failed: result.failed,
      ...stored(secrets, tasks[place] ?? [], derived.get(hostname)),
      reached_end: reachedEnd,
      score,
      changed,
      waiting
    }))
    const names = sql.literal(
      "job_id, hostname, failed, job_tasks, brief_tasks, sealed_tasks, reached_end, score, changed, waiting"
    )
    yield* sql`insert into job_device (${names})
      select ${names} from jsonb_to_recordset(${sql.json(given)}) as given (job_id integer, hostname text, failed boolean, job_tasks jsonb,
        brief_tasks jsonb, sealed_tasks text, reached_end boolean, score double precision, changed boolean, waiting boolean)
      on conflict (job_id, hostname) do update set failed = excluded.failed, job_tasks = excluded.job_tasks,
        brief_tasks = excluded.brief_tasks, sealed_tasks = excluded.sealed_tasks,
        reached_end = excluded.reached_end, score = excluded.score, changed = excluded.changed,
        waiting = excluded.waiting`
  })
  const addDevice = makeGroupedWrite(grouped, addDevices, ({ result }) =>
    lengthOfTexts(...result.job_tasks.flatMap(({ diff, result: text }) => [diff, typeof text === "string" ? text : ""]))
  )

  /** What was sealed under another key stays hidden. */
  const openedTasks = (sealed: string): unknown => Option.getOrNull(Option.flatMap(secrets.open(sealed), readJson))

  return {
    sealedTasks: Effect.fn("JobStore.sealedTasks")((id: number) =>
      Effect.map(
        sql<{
          hostname: string
          sealed_tasks: string
        }>`select hostname, whole_text(sealed_tasks) as sealed_tasks from job_device
          where job_id = ${id} and sealed_tasks is not null`,
        (rows) =>
          new Map(
            rows.flatMap(({ hostname, sealed_tasks }) => {
              const tasks = openedTasks(sealed_tasks)
              return tasks === null ? [] : [[hostname, tasks] as const]
            })
          )
      )
    ),
    deviceResults: Effect.fn("JobStore.deviceResults")(function* (
      ids: ReadonlyArray<number>,
      without: ReadonlyArray<SyncTaskName>
    ) {
      const rows = yield* sql<{ id: number; text: string }>`
        select job_id as id, string_agg(${sql.literal(deviceMemberOf(without))}, ',' order by d.hostname) as text from job_device d
          where job_id = any(${ids}::integer[]) group by job_id`
      return new Map(rows.map(({ id, text }) => [id, text]))
    }),
    textBytes: Effect.fn("JobStore.textBytes")(function* (
      ids: ReadonlyArray<number>,
      without: ReadonlyArray<SyncTaskName>
    ) {
      const rows = yield* sql<{ id: number; bytes: number }>`
        select job_id as id, sum(${sql.literal(textBytesOf(without))})::float8 as bytes from job_device d
          where job_id = any(${ids}::integer[]) group by job_id`
      return new Map(rows.map(({ bytes, id }) => [id, bytes]))
    }),
    resultsAfter: Effect.fn("JobStore.resultsAfter")(
      (jobId: number, after: string, count: number, without: ReadonlyArray<SyncTaskName>) =>
        sql<DeviceText>`select hostname, ${sql.literal(deviceMemberOf(without))} as text from job_device d
          where job_id = ${jobId} and hostname > ${after} order by hostname limit ${count}`
    ),
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
    )
  }
}

// Fixes the commits that a job works on (docs/jobs.md#refresh_repo and docs/changes.md#commits-of-a-job), together with the
// newest sync event of that moment: a later event is news that the job's proof does not cover.

/** What a job works on. */
export interface PinnedCommits extends CommitSet {
  /** Number of the newest sync event when the commits were fixed. */
  readonly eventsSeen: number
}

interface PinnedRow {
  readonly settings_commit: string | null
  readonly templates_commit: string | null
  readonly pinned: Pick<PinnedCommits, "branches" | "eventsSeen"> | null
}

const makeCommits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const read = Effect.fnUntraced(function* (jobId: number) {
    const [row] = yield* sql<PinnedRow>`select settings_commit, templates_commit, pinned from job where id = ${jobId}`
    if (row === undefined || row.pinned === null) return null
    const { pinned, settings_commit: settings, templates_commit: templates } = row
    return { settings, templates, ...pinned } satisfies PinnedCommits
  })

  /**
   * The locks wait for everybody who is about to write an event or to bring a commit into force, so that the numbers of all
   * events that these commits do not know are higher.
   */
  const fix = Effect.fnUntraced(function* (jobId: number) {
    yield* sql`select pg_advisory_xact_lock_shared(${locks.commits})`
    yield* sql`lock table sync_event in share mode`
    yield* sql`update job set
        settings_commit = (select commit from repository where name = 'settings' and ref = ''),
        templates_commit = (select commit from repository where name = 'templates' and ref = ''),
        pinned = jsonb_build_object(
          'branches', (select coalesce(jsonb_object_agg(ref, commit), '{}') from repository
            where name = 'templates' and ref <> ''),
          'eventsSeen', (select coalesce(max(id), 0) from sync_event))
      where id = ${jobId} and pinned is null`
  }, sql.withTransaction)

  const pin = Effect.fn("JobCommitStore.pin")(function* (jobId: number) {
    const known = yield* read(jobId)
    if (known !== null) return known
    yield* fix(jobId)
    return yield* Effect.orDie(Effect.flatMap(read(jobId), Effect.fromNullishOr))
  })

  return JobCommitStore.of({ pin })
})

/** The commits of jobs. */
export class JobCommitStore extends Context.Service<
  JobCommitStore,
  {
    /** The commits that the job works on: those that are in force when it asks for the first time. */
    readonly pin: (jobId: number) => Effect.Effect<PinnedCommits, SqlError.SqlError>
  }
>()("switchyard/store/JobCommitStore") {
  static readonly layer = Layer.effect(JobCommitStore, makeCommits)
}

// The differences of a job's devices. Equal ones are put together by the database, so that a thousand equal ones are read once.

/** Characters of all differences that are read; what is beyond is left out, the longest first. */
const MOST_CHARACTERS = 20_000_000

/** What was found. */
export interface FoundDiffs {
  readonly diffs: ReadonlyArray<SharedDiff>
  readonly unchanged: number
  readonly failed: number
  readonly left_out: number
}

type DiffRow = SharedDiff & { readonly is_failed: boolean; readonly is_read: boolean }

const makeDiffs = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const of = Effect.fn("JobDiffStore.of")((jobId: number) =>
    Effect.map(
      sql<DiffRow>`
        with each as (select hostname, score, failed,
            coalesce(jsonb_path_query_first(job_tasks, '$[*] ? (@.task_name == "Sync device config").diff') #>> '{}', '') as diff
          from job_device where job_id = ${jobId}),
        shared as (select md5(diff) as hash, failed and diff = '' as is_failed, min(length(diff)) as long, min(hostname) as one,
            jsonb_agg(hostname order by hostname) as hostnames, max(score) as score
          from each group by 1, 2),
        counted as (select *, sum(long) over (order by long, hash, is_failed) <= ${MOST_CHARACTERS} as is_read from shared)
        select case when c.is_read then each.diff else '' end as diff, c.hostnames, c.score, c.is_failed, c.is_read
        from counted c join each on each.hostname = c.one order by c.one`,
      (rows): FoundDiffs => {
        const count = (matches: (row: DiffRow) => boolean) =>
          rows.filter(matches).reduce((sum, { hostnames }) => sum + hostnames.length, 0)
        return {
          diffs: rows.filter(({ diff }) => diff !== ""),
          failed: count(({ is_failed }) => is_failed),
          unchanged: count(({ diff, is_failed, is_read }) => diff === "" && is_read && !is_failed),
          left_out: count(({ is_read }) => !is_read)
        }
      }
    )
  )
  return JobDiffStore.of({ of })
})

interface JobDiffShape {
  readonly of: (jobId: number) => Effect.Effect<FoundDiffs, SqlError.SqlError>
}

export class JobDiffStore extends Context.Service<JobDiffStore, JobDiffShape>()("switchyard/store/JobDiffStore") {
  static readonly layer = Layer.effect(JobDiffStore, makeDiffs)
}

// How far a job is with each of its devices: what it has selected, the phase of each change, what failed, and the timers that run.

/** A device of a job. */
export interface DeviceProgress {
  readonly hostname: string
  /** Where its change stands; null for a job that changes no configuration, and before the change was planned. */
  readonly phase: ChangePhase | null
  readonly reason: ChangeReason | null
  /** Null until the job has a result for it. */
  readonly failed: boolean | null
  readonly changed: boolean
  readonly score: number | null
  /** Moment at which the switch takes its commit back by itself, ISO 8601 without a zone, UTC; null when no timer is known to run. */
  readonly timer_until: string | null
  /** The failed tasks without their differences, each text cut to some thousand characters. */
  readonly failures: ReadonlyArray<Pick<JobTask, "task_name" | "result">>
}

/** Characters of a text that are shown. */
const LONGEST = 4000

const makeProgress = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const of = Effect.fn("JobProgressStore.of")(
    (jobId: number) => sql<DeviceProgress>`
      with changes as (select device.hostname, c.phase, c.protocol from config_change c
          join device on device.id = c.device_id where c.job_id = ${jobId}),
      names as (select jsonb_array_elements_text(case when jsonb_typeof(memo -> 'hostnames') = 'array' then memo -> 'hostnames' else '[]' end) as hostname
          from job where id = ${jobId}
        union select hostname from job_device where job_id = ${jobId}
        union select hostname from changes)
      select names.hostname, c.phase, c.protocol ->> 'reason' as reason, d.failed, coalesce(d.changed, false) as changed, d.score,
        case when c.phase in ('committing', 'committed', 'proved', 'confirming', 'outlasting', 'looking', 'withdrawing', 'expiring')
          then iso_time(to_timestamp(((c.protocol ->> 'committedAt')::double precision) / 1000)
            + make_interval(secs => (c.protocol ->> 'timerSeconds')::double precision)) end as timer_until,
        coalesce((select jsonb_agg(jsonb_build_object('task_name', task ->> 'task_name',
            'result', left(task ->> 'result', ${LONGEST})) order by place)
          from jsonb_array_elements(d.job_tasks) with ordinality listed (task, place)
          where d.failed and (task ->> 'failed')::boolean), '[]') as failures
      from names left join changes c using (hostname)
        left join job_device d on d.job_id = ${jobId} and d.hostname = names.hostname
      order by names.hostname`
  )
  return JobProgressStore.of({ of })
})

interface JobProgressShape {
  /** The devices of a job by name; empty for a job that has selected none. */
  readonly of: (jobId: number) => Effect.Effect<ReadonlyArray<DeviceProgress>, SqlError.SqlError>
}

export class JobProgressStore extends Context.Service<JobProgressStore, JobProgressShape>()(
  "switchyard/store/JobProgressStore"
) {
  static readonly layer = Layer.effect(JobProgressStore, makeProgress)
}
