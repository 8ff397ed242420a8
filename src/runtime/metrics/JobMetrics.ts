/** Jobs, those that have ended in this process and those that wait or run by the database. */
import { jobOutcomes } from "../../domain/Job.ts"
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
/** `class`: person, schedule or upkeep. */
export const jobsWaiting = gauge(
  "switchyard_jobs_waiting_for_a_place",
  "Jobs of this process that wait for a place, by kind of work and class of service",
  "kind",
  "class"
)

/** `repository`: settings or templates; `result`: accepted or refused. */
export const repositoryCommits = counter(
  "switchyard_repository_commits_total",
  "Commits of repositories that refreshes of this process brought into force or refused for what they say",
  "repository",
  "result"
)

export const jobMetrics = [jobsEnded, jobDevices, jobsUnfinished, queueAge, jobsWaiting, repositoryCommits]

/** Lets the jobs of these functions be counted from zero on, because Prometheus does not see a counter's first value as an increase. */
export const countJobsFromZero = (functions: ReadonlyArray<string>): void => {
  for (const name of functions) {
    for (const outcome of jobOutcomes) jobsEnded.add(0, name, outcome)
    for (const result of ["succeeded", "failed"]) jobDevices.add(0, name, result)
  }
  for (const repository of ["settings", "templates"]) {
    for (const result of ["accepted", "refused"]) repositoryCommits.add(0, repository, result)
  }
}
