/** Jobs, those that have ended in this process and those that wait or run by the database. */
import { counter, gauge } from "./Family.ts"

export const jobsEnded = counter(
  "switchyard_jobs_ended_total",
  "Jobs that have ended in this process",
  "function",
  "outcome"
)
export const jobDevices = counter(
  "switchyard_job_devices_total",
  "Devices that jobs of this process have worked on",
  "function",
  "result"
)
export const jobsUnfinished = gauge("switchyard_jobs_unfinished", "Jobs that wait or run", "function", "status")
export const queueAge = gauge(
  "switchyard_job_queue_age_seconds",
  "For how long the oldest job that is due has not begun; 0 when none waits"
)

export const jobMetrics = [jobsEnded, jobDevices, jobsUnfinished, queueAge]
