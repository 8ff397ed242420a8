/**
 * Writes a job's row and the execution of its workflow, both in one transaction, so that a job id that was handed out always
 * runs (promise 4). See docs/jobs.md#when-a-job-runs and docs/provisioning.md#discovery.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { WorkflowEngine } from "effect/workflow"
import { functionName, SCHEDULER } from "../../domain/Job.ts"
import type { AnyJob, Discovery, MemoOf, SentArgs } from "../../domain/jobs/JobDefinition.ts"
import type { ServiceClass } from "../../domain/jobs/ServiceClasses.ts"
import { SILENT_JOB } from "../../domain/TakeOver.ts"
import { currentTrace } from "../../runtime/Spans.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import {
  type JobAttempt,
  JobAttemptStore,
  JobWaitStore,
  type NewTime,
  type PutOffJob
} from "../../store/JobScheduling.ts"
import { JobStore } from "../../store/JobStore.ts"
import { memoOf } from "./JobHandler.ts"
import { JobStates } from "./JobStates.ts"
import { JobWorkflow } from "./JobWorkflow.ts"

/** For whom a job is started and how. `delaySeconds` defaults to the server's JOB_DELAY. */
export interface StartOptions<J extends AnyJob = AnyJob> {
  readonly user: string
  readonly comment?: string | null
  readonly ticketRef?: string | null
  readonly delaySeconds?: number
  /** Seconds until its windows open, where it has to wait for them. */
  readonly opensInSeconds?: number
  /** Default: upkeep for what the server starts by itself, else person. */
  readonly serviceClass?: ServiceClass
  /** What the function needs to know and the record does not show. */
  readonly memo?: MemoOf<J>
}

const COMMENT_LENGTH = 255
const TICKET_LENGTH = 32

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const attempts = yield* JobAttemptStore
  const waits = yield* JobWaitStore
  const states = yield* JobStates
  const config = yield* ServerConfig
  const engine = yield* WorkflowEngine.WorkflowEngine

  /** Only one discovery of an address may wait; a second one is not queued (docs/provisioning.md#discovery). */
  const isPending = Effect.fnUntraced(function* (id: number, { dhcp_ip, ztp_mac }: Discovery) {
    // two at the same instant must not both believe that they are the only one
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

  return JobLaunch.of({ launch, launchAgain, launchAt })
})

/** Launches jobs; whoever calls it in a transaction polls for the execution when that is committed. */
export class JobLaunch extends Context.Service<
  JobLaunch,
  {
    /** Inserts the job with these arguments and its execution, in the caller's transaction when there is one. Yields its id. */
    readonly launch: <J extends AnyJob>(
      job: J,
      args: SentArgs<J>,
      options: StartOptions<J>
    ) => Effect.Effect<number, SqlError.SqlError>
    /** The next attempt at a job that nobody works on; false when somebody does or has done so already. */
    readonly launchAgain: (left: JobAttempt) => Effect.Effect<boolean, SqlError.SqlError>
    /** Has a job that its windows put off begin at another time; false when it is due or somebody else has done so already. */
    readonly launchAt: (job: PutOffJob, time: NewTime) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("switchyard/jobs/JobLaunch") {
  static readonly layer = Layer.effect(JobLaunch, make)
}
