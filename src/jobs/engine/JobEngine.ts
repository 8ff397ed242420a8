/**
 * Starts and aborts jobs, and waits for them. A job is one row of the job table and one workflow execution; the functions are
 * defined in `src/domain/jobs`, and `JobRunner.ts` runs them. See docs/jobs.md#abort.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Sharding } from "effect/cluster"
import { SqlClient, type SqlError } from "effect/sql"
import { Workflow, WorkflowEngine } from "effect/workflow"
import { abortReason } from "../../../machines/job/JobLifecycle.ts"
import { finalStatuses, functionName, type Job, JobNotAbortable, JobNotFound, SCHEDULER } from "../../domain/Job.ts"
import type { AnyJob, Discovery, MemoOf, SentArgs } from "../../domain/jobs/JobDefinition.ts"
import { JobStore } from "../../store/JobStore.ts"
import { type JobAttempt, JobScheduleStore, type NewTime, type PutOffJob } from "../../store/JobScheduling.ts"
import { JobStates } from "./JobStates.ts"
import type { ServiceClass } from "../../domain/jobs/ServiceClasses.ts"
import { currentTrace } from "../../runtime/Spans.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { memoOf } from "./JobHandler.ts"
import { SILENT_JOB } from "../../domain/TakeOver.ts"

/**
 * One execution per attempt at a job; its payload is only their numbers, because the row is authoritative. Only `LiveJobs.ts` makes
 * further attempts.
 */
export const JobWorkflow = Workflow.make("Job", {
  payload: { jobId: Schema.Int, attempt: Schema.optionalKey(Schema.Int) },
  idempotencyKey: ({ attempt = 0, jobId }) => (attempt === 0 ? String(jobId) : `${jobId}.${attempt}`),
  success: Schema.Void
})

// Writes a job's row and the execution of its workflow, both in one transaction, so every accepted job runs (promise 4). See
// docs/jobs.md#when-a-job-runs and docs/provisioning.md#discovery.

/** Options of a start: the user, and how the job starts. `delaySeconds` defaults to the server's JOB_DELAY. */
export interface StartOptions<J extends AnyJob = AnyJob> {
  readonly user: string
  readonly comment?: string | null
  readonly ticketRef?: string | null
  readonly delaySeconds?: number
  /** Seconds until its windows open, if it must wait for them. */
  readonly opensInSeconds?: number
  /** Default: `upkeep` for jobs that the server starts automatically, otherwise `person`. */
  readonly serviceClass?: ServiceClass
  /** Facts that the function needs and the record does not show. */
  readonly memo?: MemoOf<J>
}

const COMMENT_LENGTH = 255
const TICKET_LENGTH = 32

const makeJobLaunch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const { attempts, waits } = yield* JobScheduleStore
  const states = yield* JobStates
  const config = yield* ServerConfig
  const engine = yield* WorkflowEngine.WorkflowEngine

  /** Only one discovery of an address may wait; a second one is not queued (docs/provisioning.md#discovery). */
  const isPending = Effect.fnUntraced(function* (id: number, { dhcp_ip, ztp_mac }: Discovery) {
    // two simultaneous requests must not both find no other discovery
    yield* sql`select pg_advisory_xact_lock(hashtext(${`discover ${dhcp_ip}`}))`
    if (!(yield* jobs.scheduledDiscovery(dhcp_ip, id))) return false
    yield* states
      .apply(id, { type: "REJECTED_AS_PENDING", ztp_mac, dhcp_ip })
      .pipe(Effect.catchTags({ JobNotFound: Effect.die, JobEventRefused: Effect.die }))
    return true
  })

  const executeJob = (attempt: JobAttempt) =>
    JobWorkflow.execute(attempt, { discard: true, detached: true }).pipe(
      Effect.provideService(WorkflowEngine.WorkflowEngine, engine)
    )

  const launch = Effect.fn("JobLaunch.launch")(function* <J extends AnyJob>(
    job: J,
    args: SentArgs<J>,
    { comment, delaySeconds, memo, opensInSeconds, serviceClass, ticketRef, user }: StartOptions<J>
  ) {
    const id = yield* jobs.insert({
      function_name: functionName(job.name, args),
      scheduled_by: user,
      comment: comment?.slice(0, COMMENT_LENGTH) ?? null,
      ticket_ref: ticketRef?.slice(0, TICKET_LENGTH) ?? null,
      start_arguments: args,
      delaySeconds: delaySeconds ?? config.JOB_DELAY,
      opensInSeconds,
      service_class: serviceClass ?? (user === SCHEDULER ? "upkeep" : "person"),
      trace: yield* currentTrace
    })
    if (memo !== undefined) yield* memoOf(jobs, job, id).write(memo)
    const discovery = job.discoveryIn(args)
    if (Option.isSome(discovery) && (yield* isPending(id, discovery.value))) return id
    yield* executeJob({ jobId: id, attempt: 0 })
    return id
  }, sql.withTransaction)

  const launchAgain = Effect.fn("JobLaunch.again")(function* ({ attempt, jobId }: JobAttempt) {
    if (!(yield* attempts.next({ attempt, jobId }, SILENT_JOB))) return false
    yield* executeJob({ jobId, attempt: attempt + 1 })
    return true
  }, sql.withTransaction)

  const launchAt = Effect.fn("JobLaunch.at")(function* (job: PutOffJob, time: NewTime) {
    if (!(yield* waits.reschedule(job, time))) return false
    yield* executeJob({ jobId: job.id, attempt: job.attempt + 1 })
    return true
  }, sql.withTransaction)

  return { launch, launchAgain, launchAt }
})

/** How often a request that waits for its job reads the row. */
const POLL = "50 millis"
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const { attempts } = yield* JobScheduleStore
  const states = yield* JobStates
  const launches = yield* makeJobLaunch
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

  /** An execution that does not receive this finds an ended job when it is due. */
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
    // a scheduled job would keep its timer; running ones end on their own and record their progress
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

  return JobEngine.of({
    launch: launches.launch,
    start,
    startAgain: launches.launchAgain,
    startAt,
    follow,
    abort,
    ended
  })
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
    /** As `start`, without waking the engine: a caller in a transaction must poll the storage after the commit. */
    readonly launch: <J extends AnyJob>(
      job: J,
      args: SentArgs<J>,
      options: StartOptions<J>
    ) => Effect.Effect<number, SqlError.SqlError>
    /** Starts the next attempt at a job on which no process works; false if one does, or if it is started already. */
    readonly startAgain: (left: JobAttempt) => Effect.Effect<boolean, SqlError.SqlError>
    /** Moves the start of a job that its windows put off; false if the job is due, or another process has moved it already. */
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
