/** The select list and the source of the audit as it is read (docs/security.md#audit). */

/** An event of the audit as the API shows it. */
export const AUDIT_COLUMNS = `event.id::float8 as id, iso_time(event.at) as at, event.kind, event.action, event.actor, event.way,
  event.address, event.device_id, event.hostname, event.job_id, event.data`

/** The rows that are part of it. */
export const AUDIT_ROWS = "(select * from event where is_audit) event"
