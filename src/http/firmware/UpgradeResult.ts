/**
 * The result of an upgrade job as its clients read it (docs/jobs.md#device_upgrade): the `devices` shape, and beside it one
 * task list per hostname and `_totals`. Pure.
 */
import { functionOf, type Job } from "../../domain/Job.ts"
import { isObject } from "../../domain/fields/Values.ts"

const withNames = (tasks: unknown): ReadonlyArray<unknown> =>
  Array.isArray(tasks)
    ? tasks.map((task: unknown) => (isObject(task) ? { name: task["task_name"], ...task } : task))
    : []

/** The job with both shapes when it is an upgrade that has begun; other jobs as they are. */
export const withUpgradeShapes = (job: Job): Job => {
  const { result, start_time, status } = job
  const isEnded = status === "EXCEPTION" || status === "FINISHED" || (status === "ABORTED" && start_time !== null)
  if (functionOf(job.function_name) !== "device_upgrade" || (result === null && !isEnded)) return job
  if (isObject(result) && !isObject(result["devices"])) return job
  const stored = isObject(result) && isObject(result["devices"]) ? Object.entries(result["devices"]) : []
  const devices = stored.map(([hostname, device]) => {
    const failed = isObject(device) && device["failed"] === true
    return [hostname, { failed, job_tasks: withNames(isObject(device) ? device["job_tasks"] : []) }] as const
  })
  const lists = devices.map(([hostname, { job_tasks }]) => [hostname, job_tasks] as const)
  return {
    ...job,
    result: {
      ...Object.fromEntries(lists),
      devices: Object.fromEntries(devices),
      _totals: { selected_devices: devices.length }
    }
  }
}
