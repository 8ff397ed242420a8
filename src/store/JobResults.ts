/**
 * Results of jobs. The result of a job on a device is one row, which is also the checkpoint of the job. Its tasks are in
 * `DeviceTasks.ts`. The file also has the select lists of the job table, the commits that
 * a job works on, and the differences and the progress of its devices.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import { type DeviceResult, type JobCounts, type JobTask, noDevices, NOT_STARTED, SCHEDULER } from "../domain/Job.ts"
import { cleanedValue, faultText, valueFaults } from "../domain/Text.ts"
import { type DerivedSecretStore, REFERENCE, type SecretTexts } from "./SecretStore.ts"
import { textsOfStatement } from "./StoredTexts.ts"
import {
  clearTasks,
  type ConfigColumns,
  GENERATE_TASK,
  LONG_TASKS,
  storedTasks,
  type SyncTaskName,
  withConfig
} from "./DeviceTasks.ts"
import { type Grouping, lengthOfTexts, makeGroupedWrite } from "./GroupedStatement.ts"
import { SqlClient } from "effect/sql"
import { locks } from "./DatabaseClient.ts"
import type { SharedDiff } from "../domain/DiffGroups.ts"
import type { ChangePhase, ChangeReason } from "../../machines/change/ChangeRow.ts"
import { ANSWER_MARGIN_SECONDS, IS_SILENT, JOB_BEGUN, TIMER_END, WAITING } from "./StatusConditions.ts"
import type { CommitSet } from "../domain/Repository.ts"

// Select lists of the job table for API responses. The result of a job is composed from the rows of its devices.

/** The job was stopped before the turn of a row `d`. */
const NOT_BEGUN = `d.failed and starts_with(coalesce(d.job_tasks -> 0 ->> 'result', ''), '${NOT_STARTED}')`

/** The devices of a job, from its rows `d` of `job_device`. */
const FROM_ROWS = {
  finished_devices: "coalesce(jsonb_agg(d.hostname order by d.finished_at) filter (where d.reached_end), '[]')",
  failed_devices: "coalesce(jsonb_agg(d.hostname order by d.hostname) filter (where d.failed), '[]')",
  counts: `jsonb_build_object('devices', count(*), 'succeeded', count(*) filter (where not d.failed),
    'failed', count(*) filter (where d.failed), 'changed', count(*) filter (where d.changed and not d.failed))
    || case when bool_or(${NOT_BEGUN}) then jsonb_build_object('not_begun', count(*) filter (where ${NOT_BEGUN}))
      else '{}' end`
} as const
type DeviceColumn = keyof typeof FROM_ROWS

/** A select list of these columns, from rows `d`. */
export const DEVICE_COLUMNS = Object.entries(FROM_ROWS)
  .map(([column, rows]) => `${rows} as ${column}`)
  .join(", ")

/**
 * A column of a job about its devices. It is written when the job ends: a list that grows would be written anew each time. While the job
 * runs, its rows are read instead.
 */
export const deviceColumn = (column: DeviceColumn): string => `(case when job.status in ${JOB_BEGUN}
  then (select ${FROM_ROWS[column]} from job_device d where d.job_id = job.id) else job.${column} end)`

/** Who signed the commits of a row of `job`. */
export const SIGNATURES = `signature_of('settings', job.settings_commit) as settings_signature,
  signature_of('templates', job.templates_commit) as templates_signature`

/** A job's record with this expression as its result. */
const columnsWith = (result: string): string => `job.id, job.status, iso_time(job.scheduled_time) as scheduled_time,
  iso_time(job.start_time) as start_time, iso_time(job.finish_time) as finish_time, job.function_name, job.scheduled_by,
  job.comment, job.ticket_ref, job.next_job_id, ${result} as result, job.exception,
  job.exception ->> 'traceback' as traceback, ${deviceColumn("finished_devices")} as finished_devices, job.change_score,
  job.outcome, ${deviceColumn("failed_devices")} as failed_devices, ${deviceColumn("counts")} as counts, job.start_arguments,
  job.settings_commit, job.templates_commit, ${SIGNATURES}, job.abort_reason, job.aborted_by,
  ${WAITING} as waiting_for`

/**
 * Composes `result` from the rows of the devices, so it is stored once; the keys of an object that the job itself stored
 * are added. Null without device rows.
 */
const FROM_DEVICES = `(select jsonb_build_object('devices', jsonb_object_agg(d.hostname,
    jsonb_build_object('failed', d.failed, 'job_tasks', d.job_tasks)))
    || case jsonb_typeof(job.result) when 'object' then job.result else '{}' end
    from job_device d where d.job_id = job.id having count(*) > 0)`

/** The select list that turns a row of `job` into a `Job`. */
export const COLUMNS = columnsWith(`coalesce(${FROM_DEVICES}, job.result)`)

/** The same with only the result that the job itself stored, without the results of its devices. */
export const OWN_COLUMNS = columnsWith("job.result")

/** The service class of a job; a job of an earlier release is a person's, or the server's own. */
const SERVICE_CLASS = `coalesce(service_class, case scheduled_by when '${SCHEDULER}' then 'upkeep' else 'person' end)`

/** The record without the result, which grows with the number of devices. */
export const HEAD = `id, status, function_name, scheduled_by, start_arguments, next_job_id, scheduled_way, scheduled_person, trace, ${SERVICE_CLASS} as service_class,
  coalesce(waiting_for ->> 'reason' = 'approval', false) as awaits_approval`

const leavesAllOut = (names: ReadonlyArray<SyncTaskName>) => LONG_TASKS.every((name) => names.includes(name))

/** The tasks of a device except those with these names. */
const tasksBut = (names: ReadonlyArray<SyncTaskName>) =>
  names.length === 0
    ? "d.job_tasks"
    : `case when ${leavesAllOut(names)} and d.brief_tasks is not null then d.brief_tasks else
      (select coalesce(jsonb_agg(task order by place), '[]')
        from jsonb_array_elements(d.job_tasks) with ordinality listed (task, place)
        where (task ->> 'task_name') is null or (task ->> 'task_name') <> all (array['${names.join("','")}'])) end`

/**
 * The result of a job on the device of a row `d`, without the tasks of these names, as a member of a JSON object. It is concatenated as
 * text: as a JSON value it would be copied and sorted for each request.
 */
const deviceMemberOf = (without: ReadonlyArray<SyncTaskName>): string =>
  `to_json(d.hostname)::text || ':{"failed":' || d.failed::text || ',"job_tasks":' || (${tasksBut(without)})::text || '}'`

/** The usual largest ratio of a text's length to its stored size. */
const COMPRESSED = 8

const CONFIG_BYTES = `coalesce((select octet_length(packed) from stored_text where hash = substr(d.config, ${REFERENCE.length + 1})), 0)`

/** Estimates the bytes of text in this part of a row `d` from its stored size: long tasks are compressed, other parts are not. */
const textBytesOf = (without: ReadonlyArray<SyncTaskName>): string => {
  if (leavesAllOut(without)) {
    return `case when d.brief_tasks is null then pg_column_size(d.job_tasks) * ${COMPRESSED} else pg_column_size(d.brief_tasks) end`
  }
  return `(pg_column_size(d.job_tasks) + ${without.includes(GENERATE_TASK) ? 0 : CONFIG_BYTES}) * ${COMPRESSED}`
}

/** The stored configuration of a row `d`, unless its task is left out. */
const configOf = (without: ReadonlyArray<SyncTaskName>): string =>
  without.includes(GENERATE_TASK)
    ? "null as config, null as config_hidden"
    : "whole_text(d.config) as config, d.config_hidden"

/** The result of a job on one device, and its checkpoint if the job is resumed. */
export interface JobDevice {
  readonly hostname: string
  readonly result: DeviceResult
  /** The main task ran to its end, with any result (docs/jobs.md#the-record). */
  readonly reachedEnd: boolean
  readonly changed: boolean
  readonly score: number | null
  /** Proved, but not yet confirmed or reverted: the row will be written again. Default false. */
  readonly waiting?: boolean
}

/** The same with its job. */
export interface JobDeviceRow extends JobDevice {
  readonly jobId: number
}

/** The result of a job on a device, as a member of a JSON object. */
export interface DeviceText {
  readonly hostname: string
  readonly text: string
}

/** Removes characters that no column can hold, and logs the device and the key. They would fail this job, and other jobs that share the statement. */
const storable = Effect.fnUntraced(function* ({ hostname, jobId, result: { job_tasks } }: JobDeviceRow) {
  const faults = valueFaults(job_tasks, "result", () => "result")
  if (faults.length === 0) return job_tasks
  yield* Effect.logError(`Job ${jobId}: text from ${hostname} cannot be stored, so it was removed`, {
    found: faults.map((fault) => `job_tasks.${faultText(fault)}`)
  })
  return cleanedValue(job_tasks, "lines").value
})

/** Configurations that are opened in one turn. */
const AT_ONCE = 20

/** Services that write and read the rows. */
interface RowServices {
  readonly sql: PgClient.PgClient
  readonly grouped: Grouping
  readonly secrets: SecretTexts["Service"]
  readonly derivedSecrets: DerivedSecretStore["Service"]
}

/** The part of `JobStore` for rows of devices. */
export const makeDeviceRows = ({ derivedSecrets, grouped, secrets, sql }: RowServices) => {
  const addDevices = Effect.fnUntraced(function* (rows: ReadonlyArray<JobDeviceRow>) {
    if (rows.length === 0) return
    const derived = yield* derivedSecrets.ofHosts(rows.map(({ hostname }) => hostname))
    const tasks = yield* Effect.forEach(rows, storable)
    const texts = textsOfStatement(sql, secrets)
    const given = rows.map(({ changed, hostname, jobId, reachedEnd, result, score, waiting = false }, place) => ({
      job_id: jobId,
      hostname,
      failed: result.failed,
      ...storedTasks(secrets, texts, tasks[place] ?? [], derived.get(hostname)),
      reached_end: reachedEnd,
      score,
      changed,
      waiting
    }))
    const names = sql.literal(
      "job_id, hostname, failed, job_tasks, brief_tasks, sealed_tasks, config, config_hidden, reached_end, score, changed, waiting"
    )
    yield* sql`with ${texts.stored()}given as (select * from jsonb_to_recordset(${sql.json(given)}) as given (job_id integer,
        hostname text, failed boolean, job_tasks jsonb, brief_tasks jsonb, sealed_tasks text, config text, config_hidden jsonb,
        reached_end boolean, score double precision, changed boolean, waiting boolean))
      insert into job_device (${names}) select ${names} from given
      on conflict (job_id, hostname) do update set failed = excluded.failed, job_tasks = excluded.job_tasks,
        brief_tasks = excluded.brief_tasks, sealed_tasks = excluded.sealed_tasks,
        config = excluded.config, config_hidden = excluded.config_hidden,
        reached_end = excluded.reached_end, score = excluded.score, changed = excluded.changed,
        waiting = excluded.waiting`
  })
  const addDevice = makeGroupedWrite(grouped, addDevices, ({ result }) =>
    lengthOfTexts(...result.job_tasks.flatMap(({ diff, result: text }) => [diff, typeof text === "string" ? text : ""]))
  )

  /** The texts of rows with their configurations; other work gets its turn in between. */
  const filled = Effect.fnUntraced(function* <Row extends ConfigColumns & { readonly text: string }>(
    rows: ReadonlyArray<Row>
  ) {
    const done: Array<Omit<Row, keyof ConfigColumns>> = []
    for (const [place, { config, config_hidden, ...row }] of rows.entries()) {
      if (place % AT_ONCE === AT_ONCE - 1) yield* Effect.yieldNow
      done.push({ ...row, text: withConfig(secrets, row.text, { config, config_hidden }) })
    }
    return done
  })

  return {
    sealedTasks: Effect.fn("JobStore.sealedTasks")((id: number) =>
      Effect.map(
        sql<{
          hostname: string
          job_tasks: string
          sealed_tasks: string | null
          config: string | null
        }>`select hostname, job_tasks::text as job_tasks, whole_text(sealed_tasks) as sealed_tasks, whole_text(config) as config
          from job_device where job_id = ${id} and (sealed_tasks is not null or config_hidden is not null)`,
        (rows) =>
          // tasks that were sealed under another key stay hidden
          new Map(
            rows.flatMap(({ hostname, ...row }) =>
              Option.toArray(Option.map(clearTasks(secrets, row), (tasks) => [hostname, tasks] as const))
            )
          )
      )
    ),
    deviceResults: Effect.fn("JobStore.deviceResults")(function* (
      ids: ReadonlyArray<number>,
      without: ReadonlyArray<SyncTaskName>
    ) {
      const member = sql.literal(deviceMemberOf(without))
      if (without.includes(GENERATE_TASK)) {
        const rows = yield* sql<{ id: number; text: string }>`
          select job_id as id, string_agg(${member}, ',' order by d.hostname) as text from job_device d
            where job_id = any(${ids}::integer[]) group by job_id`
        return new Map(rows.map(({ id, text }) => [id, text]))
      }
      const rows = yield* sql<ConfigColumns & { readonly id: number; readonly text: string }>`
        select job_id as id, ${member} as text, ${sql.literal(configOf(without))} from job_device d
          where job_id = any(${ids}::integer[]) order by job_id, d.hostname`
      const ofJobs = Map.groupBy(yield* filled(rows), ({ id }) => id)
      return new Map([...ofJobs].map(([id, texts]) => [id, texts.map(({ text }) => text).join(",")]))
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
        Effect.flatMap(
          sql<
            ConfigColumns & DeviceText
          >`select hostname, ${sql.literal(deviceMemberOf(without))} as text, ${sql.literal(configOf(without))}
            from job_device d where job_id = ${jobId} and hostname > ${after} order by hostname limit ${count}`,
          filled
        )
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
    writeFinished: Effect.fn("JobStore.writeFinished")((jobId: number) =>
      Effect.map(
        sql<{ counts: JobCounts }>`update job set (finished_devices, failed_devices, counts) =
            (select ${sql.literal(DEVICE_COLUMNS)} from job_device d where d.job_id = ${jobId})
          where id = ${jobId} returning counts`,
        ([row]) => row?.counts ?? noDevices
      )
    )
  }
}

// The commits that a job works on (docs/jobs.md#refresh_repo and docs/changes.md#commits-of-a-job), fixed together with the newest sync
// event of that moment: the job's proof does not cover a later event.

/** The commits that a job works on. */
interface PinnedCommits extends CommitSet {
  /** Id of the newest sync event when the commits were fixed. */
  readonly eventsSeen: number
}

interface PinnedRow {
  readonly settings_commit: string | null
  readonly templates_commit: string | null
  readonly pinned: Pick<PinnedCommits, "branches" | "eventsSeen"> | null
}

/** The commits of jobs. */
export const makeJobCommits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const read = Effect.fnUntraced(function* (jobId: number) {
    const [row] = yield* sql<PinnedRow>`select settings_commit, templates_commit, pinned from job where id = ${jobId}`
    if (row === undefined || row.pinned === null) return null
    const { pinned, settings_commit: settings, templates_commit: templates } = row
    return { settings, templates, ...pinned } satisfies PinnedCommits
  })

  /**
   * The locks wait for every transaction that writes an event or brings a commit into force, so all events
   * that these commits do not cover get higher ids.
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

  return {
    /** The commits that the job works on: those in force at its first call. */
    pin
  }
})

// The differences of a job's devices. The database groups equal ones, so a thousand equal differences are read once.

/** The tasks that have the difference of a synchronization, of an undo, of a given configuration, and of a drift check. */
const DIFF_TASKS = ["Sync device config", "Restore device config", "Push static config", "device_drift"]
const WITH_DIFF = `$[*] ? (${DIFF_TASKS.map((name) => `@.task_name == "${name}"`).join(" || ")}).diff`

/** The largest number of characters in all differences; beyond it the longest differences are omitted first. */
const MOST_CHARACTERS = 20_000_000

/** The differences of a job. */
interface FoundDiffs {
  readonly diffs: ReadonlyArray<SharedDiff>
  readonly unchanged: number
  readonly failed: number
  readonly left_out: number
}

type DiffRow = SharedDiff & { readonly is_failed: boolean; readonly is_read: boolean }

export const makeJobDiffs = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const of = Effect.fn("JobDiffStore.of")((jobId: number) =>
    Effect.map(
      sql<DiffRow>`
        with each as (select hostname, score, failed,
            coalesce(jsonb_path_query_first(job_tasks, ${WITH_DIFF}::jsonpath) #>> '{}', '') as diff
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
  return {
    of
  }
})

// The progress of a job on each of its devices: its selection, the phase of each change, failures, and running timers.

/** A device of a job. */
export interface DeviceProgress {
  readonly hostname: string
  /** The phase of its change; null for a job that changes no configuration, and before the change is planned. */
  readonly phase: ChangePhase | null
  readonly reason: ChangeReason | null
  /** Null until the job has a result for it. */
  readonly failed: boolean | null
  readonly changed: boolean
  readonly score: number | null
  /** Time at which the switch automatically takes its commit back, ISO 8601 without a zone, UTC; null if no timer is known to run. */
  readonly timer_until: string | null
  /** Since when the switch has not answered after its commit, and the time at which it has certainly rolled back; null while it answers. */
  readonly silent_since: string | null
  readonly certain_until: string | null
  /** The time from the beginning of its change to its result; null without both. */
  readonly seconds: number | null
  /** The failed tasks without their differences, each text cut to some thousand characters. */
  readonly failures: ReadonlyArray<Pick<JobTask, "task_name" | "result">>
}

/** The number of characters of a text that are shown. */
const LONGEST = 4000

export const makeJobProgress = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const silent = sql.literal(IS_SILENT)
  const timerEnd = sql.literal(TIMER_END)
  const of = Effect.fn("JobProgressStore.of")(
    (jobId: number) => sql<DeviceProgress>`
      with changes as (select device.hostname, c.phase, c.protocol, c.created_at, ${silent} as is_silent, c.updated_at, ${timerEnd} as timer_end
          from config_change c join device on device.id = c.device_id where c.job_id = ${jobId}),
      names as (select jsonb_array_elements_text(case when jsonb_typeof(memo -> 'hostnames') = 'array' then memo -> 'hostnames' else '[]' end) as hostname
          from job where id = ${jobId}
        union select hostname from job_device where job_id = ${jobId}
        union select hostname from changes)
      select names.hostname, c.phase, c.protocol ->> 'reason' as reason, d.failed, coalesce(d.changed, false) as changed, d.score,
        case when c.phase in ('committing', 'committed', 'checking', 'proved', 'confirming', 'outlasting', 'looking', 'withdrawing', 'expiring')
          then iso_time(to_timestamp(((c.protocol ->> 'committedAt')::double precision) / 1000)
            + make_interval(secs => (c.protocol ->> 'timerSeconds')::double precision)) end as timer_until,
        case when c.is_silent then iso_time(c.updated_at) end as silent_since,
        case when c.is_silent then iso_time(to_timestamp(c.timer_end + ${ANSWER_MARGIN_SECONDS})) end as certain_until,
        extract(epoch from d.finished_at - c.created_at)::float8 as seconds,
        coalesce((select jsonb_agg(jsonb_build_object('task_name', task ->> 'task_name',
            'result', left(task ->> 'result', ${LONGEST})) order by place)
          from jsonb_array_elements(d.job_tasks) with ordinality listed (task, place)
          where d.failed and (task ->> 'failed')::boolean), '[]') as failures
      from names left join changes c using (hostname)
        left join job_device d on d.job_id = ${jobId} and d.hostname = names.hostname
      order by names.hostname`
  )
  const undoneBy = Effect.fn("JobProgressStore.undoneBy")((jobId: number) =>
    Effect.map(
      sql<{ id: number }>`select id from job where id > ${jobId} and function_name = 'revert_job'
        and start_arguments ->> 'job_id' = ${String(jobId)} and status <> 'ABORTED' order by id`,
      (rows) => rows.map(({ id }) => id)
    )
  )
  const memoOf = Effect.fn("JobProgressStore.memoOf")((jobId: number) =>
    Effect.map(sql<{ memo: unknown }>`select memo from job where id = ${jobId}`, ([row]) => row?.memo ?? null)
  )
  return {
    /** The devices of a job by name; empty for a job without selected devices. */
    of,
    /** What a job has noted about its work. */
    memoOf,
    /** The jobs that undo, or have undone, the changes of a job. */
    undoneBy
  }
})
