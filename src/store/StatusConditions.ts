/**
 * Statuses of jobs and changes as conditions of statements, stated once: `status in ${JOB_ENDED}`. They are plain text, so PostgreSQL
 * recognizes partial indexes.
 */
import { begunStates, endedStates, unfinishedStates } from "../../machines/job/JobStatuses.ts"
import { EXPIRY_MARGIN_SECONDS } from "../../machines/change/ChangeSetup.ts"

const listOf = (statuses: ReadonlyArray<string>): string => `(${statuses.map((status) => `'${status}'`).join(", ")})`

/** Statuses of jobs that have begun and not ended. */
export const JOB_BEGUN = listOf(begunStates)
/** Statuses of jobs that have not ended. */
export const JOB_UNFINISHED = listOf(unfinishedStates)
/** Statuses of jobs that have ended. */
export const JOB_ENDED = listOf(endedStates)

/**
 * Seconds after the end of the timer for which a job waits for a silent device. The device may take the change back late, it is reachable
 * only after routes and spanning trees have converged again, and a look takes time. Looks that reach their time limits take longer; the
 * record is updated when they end.
 */
export const ANSWER_MARGIN_SECONDS = EXPIRY_MARGIN_SECONDS + 10

/** Phases of a change `c` whose commit was sent and not proved: the device must answer, or its timer must end. */
export const UNHEARD = "c.phase in ('committing', 'committed', 'looking', 'withdrawing', 'expiring')"

/** The latest end of the timer of a change `c`, in epoch seconds. */
export const TIMER_END = `(coalesce((c.protocol ->> 'committedAt')::float8 / 1000, extract(epoch from coalesce(c.sent_at, c.updated_at)))
  + coalesce((c.protocol ->> 'timerSeconds')::float8, 0))::float8`

/** Changes that have not ended, as a condition of statements; follows the name of the table. */
export const UNFINISHED = "phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')"

// `waiting_for` of a job's record. Before the job begins it holds the reason why the job waits. A running job writes into it every two seconds
// which of its devices do not answer after their commit. So reading it is cheap, however many devices the job has.

const SECONDS_LEFT = `greatest(0, ceil((job.waiting_for ->> 'until')::float8 - extract(epoch from now())))::int`

const DEVICES = "jsonb_array_length(job.waiting_for -> 'devices')"
const SILENT_DEVICES = `(job.waiting_for -> 'devices' ->> 0) || case ${DEVICES} when 1 then ' does not answer; its timer ends in '
  else ' and ' || ${DEVICES} - 1 || ' more do not answer; their timers end in ' end`

/** The value in API responses. */
export const WAITING = `case
  when job.status = 'SCHEDULED' and job.waiting_for ->> 'reason' in ('lock', 'approval', 'window', 'place') then job.waiting_for
  when job.status = 'RUNNING' and job.pause is not null then job.pause
  when job.status in ${JOB_BEGUN} and job.waiting_for ->> 'reason' = 'timer' then
    jsonb_build_object('reason', 'timer', 'devices', job.waiting_for -> 'devices', 'seconds', ${SECONDS_LEFT},
      'message', ${SILENT_DEVICES} || ${SECONDS_LEFT} || ' s at the latest') end`

/** Seconds without an answer after which a device counts as silent: a commit and its proof take time. */
const QUIET_SECONDS = `case when c.phase = 'expiring' then 0 when c.phase in ('committing', 'committed')
  then greatest(10, (c.protocol ->> 'timerSeconds')::float8 / 10) else 3 end`

/** A change `c` whose device has not answered for too long since its commit. */
export const IS_SILENT = `(${UNHEARD} and c.protocol ->> 'timerSeconds' is not null
    and extract(epoch from now() - c.updated_at) > ${QUIET_SECONDS})`

/** The stored value of a running job: the devices that it waits for and the latest end of the wait; null if all devices answer. */
export const TIMERS_LEFT = `(select jsonb_build_object('reason', 'timer', 'devices', jsonb_agg(d.hostname order by d.hostname),
    'until', max(${TIMER_END}) + ${ANSWER_MARGIN_SECONDS})
  from config_change c join device d on d.id = c.device_id where c.job_id = job.id
    and ${IS_SILENT}
    and ${TIMER_END} + ${ANSWER_MARGIN_SECONDS} > extract(epoch from now())
  having count(*) > 0)`
