/**
 * Whether the cause of an alert has ended (docs/alerts.md#ends-of-alerts), read from the records of its switch, its job or its repository.
 * An alert ends only on evidence: a record that is gone or unknown ends nothing.
 */
import type { ReadyRuleName } from "../domain/events/alerts/AlertRule.ts"
import { NOT_STARTED } from "../domain/Job.ts"

/** When the newest event of the alert happened. */
const SINCE = "((alert.events -> -1 ->> 'at') || 'Z')::timestamptz"

/** A function without the mark of a preview: a rollout that succeeds ends the alert of a preview that failed. */
const functionOf = (job: string): string => `split_part(${job}.function_name, ' ', 1)`

/** Devices that failed in the job, and that neither a later job of its kind has done nor are in sync after a rollout. */
const UNDONE = `select from job_device d join device on device.hostname = d.hostname
  where d.job_id = job.id and d.failed and not starts_with(coalesce(d.job_tasks -> 0 ->> 'result', ''), '${NOT_STARTED}')
    and not (device.synchronized and ${functionOf("job")} in ('sync_devices', 'apply_config', 'revert_job'))
    and not exists (select from job_device n join job later on later.id = n.job_id where n.hostname = d.hostname
      and n.job_id > job.id and not n.failed and ${functionOf("later")} = ${functionOf("job")})`

const FAILED = `select from job_device d where d.job_id = job.id and d.failed
  and not starts_with(coalesce(d.job_tasks -> 0 ->> 'result', ''), '${NOT_STARTED}')`

/** A job of the same kind, about the same switch or repository, has succeeded since. */
const REPEATED = `select from job later where later.id > job.id and later.outcome = 'success'
  and ${functionOf("later")} = ${functionOf("job")}
  and later.memo ->> 'repository' is not distinct from job.memo ->> 'repository'
  and later.start_arguments ->> 'hostname' is not distinct from job.start_arguments ->> 'hostname'`

const ofSwitch = (condition: string): string =>
  `exists (select from device where device.hostname = subject and ${condition})`

/** The branch of the templates that the newest event of the alert names; empty for the repository's own. */
const BRANCH = "coalesce(alert.events -> -1 -> 'data' ->> 'ref', '')"

/** Some job has read or changed the switch since, so it answers as the one that the record has. */
const DONE_SINCE = `exists (select from job_device n where n.hostname = subject and not n.failed and n.reached_end
  and n.finished_at > ${SINCE})`

/** By rule: an expression over an `alert` and one `subject` of it, which is true once the cause has ended. */
const overs = {
  job_not_success: `exists (select from job where job.finish_time is not null and 'job ' || job.id = subject
    and case when exists (${FAILED}) then not exists (${UNDONE}) else exists (${REPEATED}) end)`,
  check_failed: `exists (select from job_device n join job later on later.id = n.job_id where n.hostname = subject and not n.failed
    and n.finished_at > ${SINCE} and later.function_name in ('sync_devices', 'apply_config', 'revert_job'))`,
  drift: `${ofSwitch("not exists (select from sync_event e where e.hostname = device.hostname and e.cause = 'drift')")}
    or exists (select from job_device n join job later on later.id = n.job_id where n.hostname = subject and not n.failed
      and not n.changed and n.reached_end and n.finished_at > ${SINCE} and later.function_name = 'device_drift')`,
  refused_commit: `exists (select from job later where later.function_name = 'refresh_repo' and later.outcome = 'success'
    and later.memo ->> 'repository' = subject and later.memo -> 'refused' is null and later.finish_time > ${SINCE})
    and not exists (select from waiting_commit w where w.repository = subject)`,
  unsigned_commit: `exists (select from repository r join commit_signature s on s.repository = r.name and s.commit = r.commit
    where r.name = subject and r.ref = ${BRANCH} and s.state = 'signed' and r.applied_at > ${SINCE})`,
  host_key_changed: ofSwitch(
    "exists (select from host_key k where k.device_id = device.id and k.refused_fingerprint is null)"
  ),
  wrong_device: `${ofSwitch(`device.last_seen > ${SINCE}`)} or ${DONE_SINCE}`,
  certificate_ends: ofSwitch(`exists (select from certificate c where c.device_id = device.id and c.revoked_at is null
    and c.issued_at > ${SINCE})`)
} as const satisfies Partial<Record<ReadyRuleName, string>>

/** Alerts and subjects whose cause has ended. An alert that is due is sent first, so that no cause ends unheard. */
export const OVER = `select alert.id::float8 as id, subject from alert cross join unnest(alert.subjects) subject
  where alert.resolved_at is null and (alert.sent_at is not null or alert.send_at > now()) and case alert.rule
    ${Object.entries(overs)
      .map(([rule, over]) => `when '${rule}' then (${over})`)
      .join("\n    ")}
    else false end
  order by alert.id`
