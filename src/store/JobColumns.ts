/** Select lists of the job table: the record as the API shows it, and its result put together from the rows of its devices. */
import { type JobTask, SCHEDULER } from "../domain/Job.ts"
import { WAITING } from "./JobWaitingColumn.ts"

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
