/**
 * How a job went, beside its status: a job whose devices all failed is FINISHED as clients know it, but no success. Pure; the
 * status, the devices and what the function says of itself decide (docs/jobs.md#outcome).
 */
import { Schema } from "effect"
import type { JobStatus, JobTask } from "./Job.ts"

/** `partial`: some devices are done and others are not. `failed`: nothing that was asked for came about. */
export const jobOutcomes = ["success", "partial", "failed", "aborted"] as const
export const Outcome = Schema.Literals(jobOutcomes)
export type Outcome = typeof Outcome.Type

/** Devices of a job. `changed`: succeeded with a difference, which a dry run has only shown. */
export const JobCounts = Schema.Struct({
  devices: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  changed: Schema.Int
})
export type JobCounts = typeof JobCounts.Type

/** The counts of a job that has done nothing yet. */
export const noDevices: JobCounts = { devices: 0, succeeded: 0, failed: 0, changed: 0 }

/** A job at its end. */
export interface EndedJob {
  readonly status: JobStatus
  readonly counts: JobCounts
  /** Why the work as a whole came to nothing although nothing was thrown; null when it did not. */
  readonly failure: string | null
}

/** The outcome of a job; null while it has not ended. */
export const outcomeOf = ({ counts, failure, status }: EndedJob): Outcome | null => {
  switch (status) {
    case "ABORTED":
      return "aborted"
    case "EXCEPTION":
      return counts.succeeded > 0 ? "partial" : "failed"
    case "FINISHED":
      if (counts.failed === 0 && failure === null) return "success"
      return counts.succeeded > 0 ? "partial" : "failed"
    default:
      return null
  }
}

/** Where a device failed: the name of the task, and the last thing that was said about it. */
export interface FailedStep {
  readonly step: string
  readonly reason: string
}

const SUBTASK = /^Subtask: .* \(failed\)$/
const TYPED = /^[A-Z]\w*: /

/** Texts of failed tasks end in `Type: message`, which further lines may explain. */
const reasonIn = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  return lines.findLast((line) => TYPED.test(line)) ?? lines.at(-1)?.trim() ?? ""
}

/** The step that failed among the failed tasks of a device, in their order; a main task often only points to its child. */
export const failedStep = (tasks: ReadonlyArray<Pick<JobTask, "task_name" | "result">>): FailedStep => {
  const texts = tasks.map(({ result, task_name }) => ({ step: task_name, text: String(result ?? "").trim() }))
  const found = texts.findLast(({ text }) => text !== "" && !SUBTASK.test(text)) ?? texts.at(-1)
  return { step: found?.step ?? "", reason: reasonIn(found?.text ?? "") }
}

const inOneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, "; ")

const failedDevices = ({ devices, failed }: JobCounts): string | null =>
  failed === 0 ? null : `${failed} of ${devices} ${devices === 1 ? "device" : "devices"} failed`

/** What the log says of a job that is not a success; `reason` is why it ended, when that is known. */
export const outcomeText = (
  jobFunction: string,
  { counts, failure, status }: EndedJob,
  reason: string | null
): string => {
  const why = [reason ?? failure, failedDevices(counts)].flatMap((part) => (part === null ? [] : [inOneLine(part)]))
  const rest = why.length === 0 ? "" : `: ${why.join(", ")}`
  if (status === "ABORTED") return `${jobFunction} was aborted${rest}`
  if (status === "EXCEPTION") return `${jobFunction} ended EXCEPTION${rest}`
  return `${jobFunction} ended ${status}, but ${counts.succeeded > 0 ? "only partly" : "failed"}${rest}`
}
