/**
 * What a job function is: one file of this folder per function, each yielding a handler. A handler may be run again from its
 * start after a crash, so it keeps what it has decided in the database (device rows, change rows, the job's memo) and never
 * repeats what is there.
 */
import { Context, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { JobFailure, type JobFunction, type StartArguments } from "../../domain/Job.ts"

/** A running job, as its function sees it. */
export interface RunningJob {
  readonly id: number
  readonly args: StartArguments
  /** Who started it. */
  readonly user: string
  /** True once somebody has asked to abort: start nothing new, bring what is in flight to a known end. */
  readonly aborting: Effect.Effect<boolean>
}

/** How a job ended. A null `result` leaves what the device rows add up to; a follow-up job is linked by `JobEngine.follow`. */
export interface JobOutcome {
  readonly result: unknown
  readonly change_score: number | null
  /** Why the work came to nothing, where neither an exception nor a failed device says it. */
  readonly failure?: string
}

/** The function has written the job's final status itself. */
export interface Settled {
  readonly settled: true
}
export const settled: Settled = { settled: true }

/** The outcome of a job whose result is its device rows. */
export const deviceRows: JobOutcome = { result: null, change_score: null }

/**
 * Does the job's work. Fails with JobFailure for what makes the whole job end in EXCEPTION; failures of single devices are
 * part of a successful outcome. Retryable database errors are retried by the runner.
 */
export type JobHandler = (job: RunningJob) => Effect.Effect<JobOutcome | Settled, JobFailure | SqlError.SqlError>

/** The handlers of all functions that this server can run. */
export class JobHandlers extends Context.Service<JobHandlers, ReadonlyMap<JobFunction, JobHandler>>()(
  "switchyard/jobs/JobHandlers"
) {}

/** Reads the arguments of a job; wrong ones end it. */
export const decodeArguments =
  <A, I>(schema: Schema.Codec<A, I>) =>
  (job: RunningJob): Effect.Effect<A, JobFailure> =>
    Effect.mapError(
      Schema.decodeUnknownEffect(schema)(job.args),
      (error) => new JobFailure({ type: "ValueError", message: error.message })
    )

interface Tagged {
  readonly _tag: string
  readonly message: string
}

const isOwn = (error: Tagged | JobFailure | SqlError.SqlError): error is JobFailure | SqlError.SqlError =>
  error._tag === "JobFailure" || error._tag === "SqlError"

/** Turns the errors of rules (a refused state, a missing device …) into the failure of the job, under their own names. */
export const refusedAsFailure = <A, E extends Tagged, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, JobFailure | SqlError.SqlError, R> =>
  Effect.mapError(effect, (error) =>
    isOwn(error) ? error : new JobFailure({ type: error._tag, message: error.message })
  )
