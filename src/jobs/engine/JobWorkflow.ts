/** The workflow of jobs: what the cluster stores and executes. */
import { Schema } from "effect"
import { Workflow } from "effect/workflow"

/**
 * One execution per attempt at a job; its payload is nothing but their numbers, because the row is the truth. Further attempts
 * are made by `JobSweep.ts` only.
 */
export const JobWorkflow = Workflow.make("Job", {
  payload: { jobId: Schema.Int, attempt: Schema.optionalKey(Schema.Int) },
  idempotencyKey: ({ attempt = 0, jobId }) => (attempt === 0 ? String(jobId) : `${jobId}.${attempt}`),
  success: Schema.Void
})
