/** Leaves parts of sync results out, for clients that only look at the rest (docs/api.md#job-records). Pure. */
import type { Job } from "../../domain/Job.ts"
import { isObject } from "../../domain/fields/Values.ts"
import type { SyncTaskName } from "../../store/JobResults.ts"

/** Task names by the part that a client names. */
const TASKS: Readonly<Record<string, SyncTaskName>> = { config: "Generate device config", diff: "Sync device config" }

/** The tasks of these parts (`config`, `diff`, separated by commas); other parts are ignored. */
export const droppedTasks = (parts: string | undefined): ReadonlyArray<SyncTaskName> => [
  ...new Set(
    (parts ?? "").split(",").flatMap((part) => {
      const name = part.trim()
      return Object.hasOwn(TASKS, name) ? (TASKS[name] ?? []) : []
    })
  )
]

/** True for jobs whose results have such tasks. */
export const isSync = ({ function_name }: Pick<Job, "function_name">): boolean =>
  function_name.startsWith("sync_devices")

/** The job without these tasks in its result. */
export const withoutTasks = (job: Job, dropped: ReadonlyArray<string>): Job => {
  const { result } = job
  if (dropped.length === 0 || !isSync(job) || !isObject(result)) return job
  const { devices } = result
  if (!isObject(devices)) return job
  const filtered = Object.entries(devices).map(([hostname, device]) => {
    if (!isObject(device) || !Array.isArray(device["job_tasks"])) return [hostname, device]
    const job_tasks = device["job_tasks"].filter(
      (task: unknown) =>
        !isObject(task) || typeof task["task_name"] !== "string" || !dropped.includes(task["task_name"])
    )
    return [hostname, { ...device, job_tasks }]
  })
  return { ...job, result: { ...result, devices: Object.fromEntries(filtered) } }
}
