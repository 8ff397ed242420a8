/** Leaves parts of sync results out, for clients that only look at the rest (contract api-rest.md §5.4). Pure. */
import type { Job } from "../../domain/Job.ts"
import { isObject } from "../core/Values.ts"

/** Task names by the part that a client names. */
const TASKS: Readonly<Record<string, string>> = { config: "Generate device config", diff: "Sync device config" }

/** The job without the tasks of these parts (`config`, `diff`, separated by commas); other parts are ignored. */
export const withoutParts = (job: Job, parts: string | undefined): Job => {
  const dropped = new Set((parts ?? "").split(",").flatMap((part) => TASKS[part.trim()] ?? []))
  const { function_name, result } = job
  if (dropped.size === 0 || !function_name.startsWith("sync_devices") || !isObject(result)) return job
  const { devices } = result
  if (!isObject(devices)) return job
  const filtered = Object.entries(devices).map(([hostname, device]) => {
    if (!isObject(device) || !Array.isArray(device["job_tasks"])) return [hostname, device]
    const job_tasks = device["job_tasks"].filter(
      (task: unknown) => !isObject(task) || typeof task["task_name"] !== "string" || !dropped.has(task["task_name"])
    )
    return [hostname, { ...device, job_tasks }]
  })
  return { ...job, result: { ...result, devices: Object.fromEntries(filtered) } }
}
