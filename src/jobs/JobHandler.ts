/**
 * What a job function is: one file of this folder per function, each yielding a handler. A handler may be run again from its
 * start after a crash, so it keeps what it has decided in the database (device rows, change rows, the job's memo) and never
 * repeats what is there.
 */
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { JobFailure, JobFunction, StartArguments } from "../domain/Job.ts"

/** A running job, as its function sees it. */
export interface RunningJob {
  readonly id: number
  readonly args: StartArguments
  /** Who started it. */
  readonly user: string
  /** True once somebody has asked to abort: start nothing new, bring what is in flight to a known end. */
  readonly aborting: Effect.Effect<boolean>
}

/** How a job ended. A null `result` leaves what the device rows add up to. */
export interface JobOutcome {
  readonly result: unknown
  readonly next_job_id: number | null
  readonly change_score: number | null
}

/** The outcome of a job whose result is its device rows. */
export const deviceRows: JobOutcome = { result: null, next_job_id: null, change_score: null }

/**
 * Does the job's work. Fails with JobFailure for what makes the whole job end in EXCEPTION; failures of single devices are
 * part of a successful outcome. Retryable database errors are retried by the runner.
 */
export type JobHandler = (job: RunningJob) => Effect.Effect<JobOutcome, JobFailure | SqlError.SqlError>

/** The handlers of all functions that this server can run. */
export class JobHandlers extends Context.Service<JobHandlers, ReadonlyMap<JobFunction, JobHandler>>()(
  "switchyard/jobs/JobHandlers"
) {}
