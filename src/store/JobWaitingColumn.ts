/**
 * `waiting_for` of a job's record. Before the job begins it is what it waits for, as whoever has it wait has written. Later it is written every two
 * seconds: whether nothing is left of the job but devices whose commit timers run. Reading it costs nothing then, however many
 * devices the job has.
 */
import { EXPIRY_MARGIN_SECONDS } from "../../machines/change/ChangeDecision.ts"
import { JOB_BEGUN } from "./JobStatusSql.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"

const SECONDS_LEFT = `greatest(0, ceil((job.waiting_for ->> 'until')::float8 - extract(epoch from now())))::int`

/** The value as the API shows it. */
export const WAITING = `case
  when job.status = 'SCHEDULED' and job.waiting_for ->> 'reason' in ('lock', 'approval', 'window', 'place') then job.waiting_for
  when job.status = 'RUNNING' and job.pause is not null then job.pause
  when job.status in ${JOB_BEGUN} and job.waiting_for ->> 'reason' = 'timer' then
    jsonb_build_object('reason', 'timer', 'devices', job.waiting_for -> 'devices', 'seconds', ${SECONDS_LEFT},
      'message', 'Only waits until devices that cannot be reached have taken the change back by their timers: '
        || ${SECONDS_LEFT} || ' s left') end`

/** Epoch seconds at which the last of the timers must have run out. */
const UNTIL = `max(coalesce((c.protocol ->> 'committedAt')::float8 / 1000, extract(epoch from c.updated_at))
  + coalesce((c.protocol ->> 'timerSeconds')::float8, 0) + ${EXPIRY_MARGIN_SECONDS})`

/** What a job that runs waits for now, as it is stored: null while there is anything else to do. */
export const TIMERS_LEFT = `(select jsonb_build_object('reason', 'timer', 'devices', jsonb_agg(d.hostname order by d.hostname),
    'until', ${UNTIL})
  from config_change c join device d on d.id = c.device_id where c.job_id = job.id and c.${UNFINISHED}
  having bool_and(c.phase = 'expiring') and count(*)
    + (select count(*) from job_device r where r.job_id = job.id and not r.waiting)
    >= coalesce(jsonb_array_length(job.memo -> 'hostnames'), 0))`
