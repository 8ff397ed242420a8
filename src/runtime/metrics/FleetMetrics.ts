/** Devices and their certificates, by the database. */
import { gauge } from "./Family.ts"

export const devices = gauge(
  "switchyard_devices",
  "Devices by state, type and whether they are synchronized",
  "state",
  "type",
  "synchronized"
)
export const certificateEnd = gauge(
  "switchyard_certificate_end_timestamp_seconds",
  "When the first device is without a valid certificate; absent when no device has one"
)
export const unreachableDevices = gauge(
  "switchyard_devices_unreachable",
  "Managed devices that did not answer when the server last wanted something of them"
)
export const retainedRows = gauge(
  "switchyard_retained_rows",
  "Rows of a kind that has an end: audit, change, config, event, job, job_device, operation, stored_text",
  "kind"
)
export const retainedBytes = gauge(
  "switchyard_retained_bytes",
  "Size of the table of a kind with its indexes; absent for kinds in the table of another one",
  "kind"
)
export const retainedOldest = gauge(
  "switchyard_retained_oldest_timestamp_seconds",
  "When the oldest row of a kind was written; absent when there is none",
  "kind"
)
export const retainedDue = gauge(
  "switchyard_retained_due_rows",
  "Rows of a kind that retention removes within a day",
  "kind"
)

export const fleetMetrics = [
  devices,
  certificateEnd,
  unreachableDevices,
  retainedRows,
  retainedBytes,
  retainedOldest,
  retainedDue
]
