/**
 * Starts and aborts jobs, and waits for them. A job is one row of the job table and one workflow execution (`JobLaunch.ts`);
 * what functions there are is in `src/domain/jobs`, and `JobRunner.ts` runs them. See docs/jobs.md#abort.
 */
import { Context, Effect, Layer } from "effect"
import { Sharding } from "effect/cluster"
import { SqlClient, type SqlError } from "effect/sql"
import { WorkflowEngine } from "effect/workflow"
import { abortReason } from "../../../machines/job/JobLifecycle.ts"
import { finalStatuses, type Job, JobNotAbortable, JobNotFound } from "../../domain/Job.ts"
import type { AnyJob, SentArgs } from "../../domain/jobs/JobDefinition.ts"
import { type JobAttempt, JobAttemptStore, type NewTime, type PutOffJob } from "../../store/JobScheduling.ts"
import { JobStore } from "../../store/JobStore.ts"
import { JobLaunch, type StartOptions } from "./JobLaunch.ts"
import { JobStates } from "./JobStates.ts"
import { JobWorkflow } from "./JobWorkflow.ts"

/** How often a request that waits for its job looks at the row. */
const POLL = "50 millis"
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const attempts = yield* JobAttemptStore
  const states = yield* JobStates
  const launches = yield* JobLaunch
  const sharding = yield* Sharding.Sharding
  const engine = yield* WorkflowEngine.WorkflowEngine

  const start = Effect.fn("JobEngine.start")(function* <J extends AnyJob>(
    job: J,
    args: SentArgs<J>,
    options: StartOptions<J>
  ) {
    const id = yield* launches.launch(job, args, options)
    yield* sharding.pollStorage
    return id
  })

  /** An execution that does not hear of it finds out when it is due that nothing is left to do for it. */
  const cancelAttempt = Effect.fnUntraced(
    function* (jobId: number, attempt: Effect.Effect<number, SqlError.SqlError | JobNotFound>) {
      const executionId = yield* JobWorkflow.executionId({ jobId, attempt: yield* attempt })
      yield* engine.interruptUnsafe(JobWorkflow, executionId)
    },
    Effect.catchCause((cause) => Effect.logDebug("A job that is not to begin keeps its timer", cause))
  )

  const abort = Effect.fn("JobEngine.abort")(function* (id: number, user: string, reason?: string) {
    const status = yield* states
      .apply(id, { type: "ABORT_REQUESTED", reason: reason ?? null, by: user })
      .pipe(Effect.catchTag("JobEventRefused", ({ status }) => Effect.fail(new JobNotAbortable({ id, status }))))
    yield* Effect.logInfo(`Job ${id}: ${abortReason(reason ?? null, user)}`)
    // a job that waits for its time would keep its timer; running ones end by themselves and say how far they came
    if (status === "ABORTED") yield* cancelAttempt(id, attempts.current(id))
  })

  const linkFollowUp = Effect.fnUntraced(function* <J extends AnyJob>(
    id: number,
    job: J,
    args: SentArgs<J>,
    options: StartOptions<J>
  ) {
    yield* jobs.lockStatus(id)
    const { next_job_id, service_class } = yield* jobs.head(id)
    if (next_job_id !== null) return next_job_id
    const next = yield* launches.launch(job, args, { serviceClass: service_class, ...options })
    yield* jobs.update(id, { next_job_id: next })
    return next
  }, sql.withTransaction)

  const follow = Effect.fn("JobEngine.follow")(function* <J extends AnyJob>(
    id: number,
    job: J,
    args: SentArgs<J>,
    options: StartOptions<J>
  ) {
    const next = yield* Effect.catchTag(linkFollowUp(id, job, args, options), "JobNotFound", Effect.die)
    yield* sharding.pollStorage
    return next
  })

  const startAt = Effect.fn("JobEngine.startAt")(function* (job: PutOffJob, time: NewTime) {
    const isMoved = yield* launches.launchAt(job, time)
    if (isMoved) yield* cancelAttempt(job.id, Effect.succeed(job.attempt))
    return isMoved
  })

  const ended = Effect.fn("JobEngine.ended")(function* (id: number) {
    while (!finalStatuses.includes(yield* jobs.status(id))) yield* Effect.sleep(POLL)
    return yield* jobs.get(id)
  })

  return JobEngine.of({ start, startAgain: launches.launchAgain, startAt, follow, abort, ended })
})

/** Starts and aborts jobs. */
export class JobEngine extends Context.Service<
  JobEngine,
  {
    /**
     * Inserts the job with these arguments and starts its workflow, inside the caller's transaction when there is one.
     * Yields the job id; the job is durable when the transaction is committed.
     */
    readonly start: <J extends AnyJob>(
      job: J,
      args: SentArgs<J>,
      options: StartOptions<J>
    ) => Effect.Effect<number, SqlError.SqlError>
    /** Starts the next attempt at a job that nobody works on; false when somebody does or has done so already. */
    readonly startAgain: (left: JobAttempt) => Effect.Effect<boolean, SqlError.SqlError>
    /** Has a job that its windows put off begin at another time; false when it is due or somebody else has done so already. */
    readonly startAt: (job: PutOffJob, time: NewTime) => Effect.Effect<boolean, SqlError.SqlError>
    /** Starts the follow-up of a job and links it as `next_job_id`; a job that runs again after a crash finds it started. */
    readonly follow: <J extends AnyJob>(
      id: number,
      job: J,
      args: SentArgs<J>,
      options: StartOptions<J>
    ) => Effect.Effect<number, SqlError.SqlError>
    /** Waits until the job has ended and yields its record. */
    readonly ended: (id: number) => Effect.Effect<Job, SqlError.SqlError | JobNotFound>
    /**
     * Aborts a job: one that waits is ABORTED at once, a running one is ABORTING until its devices in flight have ended.
     */
    readonly abort: (
      id: number,
      user: string,
      reason?: string
    ) => Effect.Effect<void, SqlError.SqlError | JobNotFound | JobNotAbortable>
  }
>()("switchyard/jobs/JobEngine") {
  static readonly layer = Layer.effect(JobEngine, make)
}
