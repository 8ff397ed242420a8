/**
 * Applies events to jobs: under the row's lock, with the machine's own transition function and with its actions in the same
 * transaction (docs/jobs.md#the-life-of-a-job).
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { abortReason, applyJobEvent, type JobAction, type JobEvent } from "../../../machines/job/JobLifecycle.ts"
import { type JobState, jobStates } from "../../../machines/job/JobStatuses.ts"
import {
  type EndedJob,
  failedStep,
  finalStatuses,
  functionOf,
  type JobNotFound,
  JobStatus,
  type JobTask,
  noDevices,
  type Outcome,
  outcomeOf,
  outcomeText
} from "../../domain/Job.ts"
import { jobDevices, jobsEnded } from "../../runtime/metrics/Metrics.ts"
import { type JobPatch, JobStore } from "../../store/JobStore.ts"
import { JobScheduleStore } from "../../store/JobScheduling.ts"

// The report in the log about a job that has not succeeded: a line for each failed device and one for the job. Each begins with
// `job #<id>`, so clients find the lines of their job (docs/jobs.md#outcome).

/** The fields of an ended job for the report. */
interface ReportedJob extends EndedJob {
  readonly id: number
  readonly outcome: Outcome
  readonly functionName: string
  /** The reason in the event that ended it. */
  readonly reason: string | null
}

interface FailedDevice {
  readonly hostname: string
  readonly tasks: ReadonlyArray<Pick<JobTask, "task_name" | "result">>
}

/** So many characters at the end of each text are read: the rest is output of the switch. */
const TEXT_END = 4_000
/** Longest sentence in a line of the log, in characters. */
const MAX_SENTENCE = 1_000

/** Makes the function that reports the end of a job. It never fails, because the job has already ended. */
const makeReport = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const failedDevices = (id: number) => sql<FailedDevice>`select hostname,
    (select jsonb_agg(jsonb_build_object('task_name', task ->> 'task_name', 'result', right(task ->> 'result', ${TEXT_END}))
        order by place)
      from jsonb_array_elements(job_tasks) with ordinality listed (task, place) where (task ->> 'failed')::boolean) as tasks
    from job_device where job_id = ${id} and failed order by hostname`

  return Effect.fn("JobReport")(
    function* (job: ReportedJob) {
      if (job.outcome === "success") return
      const devices = job.counts.failed === 0 ? [] : yield* failedDevices(job.id)
      for (const { hostname, tasks } of devices) {
        const { reason, step } = failedStep(tasks ?? [])
        const sentence = `job #${job.id}: ${hostname} failed at ${step}: ${reason}`.slice(0, MAX_SENTENCE)
        yield* Effect.logWarning(sentence, { hostname, step, reason: reason.slice(0, MAX_SENTENCE) })
      }
      const text = outcomeText(job.functionName, job, job.reason).slice(0, MAX_SENTENCE)
      const { functionName, outcome, status } = job
      const { failed } = job.counts
      yield* Effect.logWarning(`job #${job.id}: ${text}`, { function: functionName, status, outcome, failed })
    },
    (report, { id }) =>
      report.pipe(
        Effect.catch((error) =>
          Effect.logWarning(`job #${id}: its failed devices could not be read: ${error.message}`)
        ),
        Effect.annotateLogs({ job: id })
      )
  )
})

/** The machine takes no such event in the job's present status. */
class JobEventRefused extends Schema.TaggedError<JobEventRefused>()("JobEventRefused", {
  id: Schema.Int,
  status: JobStatus,
  message: Schema.String
}) {}

const isJobState = Schema.is(Schema.Literals(jobStates))

/** The columns that an action writes; actions about the work itself write none. */
const patchOf = (action: JobAction): JobPatch => {
  switch (action.type) {
    case "stampStart":
      return { started: true }
    case "stampFinish":
      return { finished: true }
    case "storeResult":
      return action.params
    case "storeException":
      return { exception: { ...action.params.exception } }
    default:
      return {}
  }
}

const failureOf = (event: JobEvent): string | null => (event.type === "RETURNED" ? (event.failure ?? null) : null)

/** The reason in the event that ends a job, if it has one. */
const reasonOf = (event: JobEvent): string | null => {
  switch (event.type) {
    case "THREW":
      return event.exception.message
    case "REFRESH_FAILED":
      return event.error
    case "ABORT_REQUESTED":
      return abortReason(event.reason, event.by)
    case "LOCK_BUSY":
      return "another job has locked the devices"
    case "REJECTED_AS_PENDING":
      return "the same discovery is scheduled already"
    default:
      return null
  }
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const { locks } = yield* JobScheduleStore
  const report = yield* makeReport

  const change = Effect.fnUntraced(function* (id: number, event: JobEvent) {
    const status = yield* jobs.lockStatus(id)
    const { function_name } = yield* jobs.head(id)
    if (!isJobState(status))
      return yield* new JobEventRefused({ id, status, message: `Job ${id} has status ${status}` })
    const outcome = applyJobEvent({ id, status, functionName: functionOf(function_name) }, event)
    if (outcome._tag === "Refused") return yield* new JobEventRefused({ id, status, message: outcome.message })
    const patch = outcome.actions.reduce<JobPatch>((sum, action) => ({ ...sum, ...patchOf(action) }), {})
    const counts =
      finalStatuses.includes(outcome.status) && status !== "SCHEDULED" ? yield* jobs.writeFinished(id) : noDevices
    const failure = failureOf(event)
    const aborted =
      event.type === "ABORT_REQUESTED" && status !== "ABORTING"
        ? { aborted_by: event.by, ...(event.reason === null ? {} : { abort_reason: event.reason }) }
        : {}
    const verdict = outcomeOf({ status: outcome.status, counts, failure })
    const ending = verdict === null ? {} : { outcome: verdict }
    yield* jobs.update(id, { ...patch, ...aborted, status: outcome.status, ...ending })
    // a lock ends in the same transaction as its job
    if (finalStatuses.includes(outcome.status)) yield* locks.release(id)
    const known = { id, status: outcome.status, counts, failure, functionName: function_name }
    const ended: ReportedJob | null = verdict === null ? null : { ...known, outcome: verdict, reason: reasonOf(event) }
    return { status: outcome.status, ended }
  }, sql.withTransaction)

  const apply = Effect.fn("JobStates.apply")(function* (id: number, event: JobEvent) {
    const { ended, status } = yield* change(id, event)
    if (ended !== null) {
      const name = functionOf(ended.functionName)
      jobsEnded.add(1, name, ended.outcome)
      if (ended.counts.succeeded > 0) jobDevices.add(ended.counts.succeeded, name, "succeeded")
      if (ended.counts.failed > 0) jobDevices.add(ended.counts.failed, name, "failed")
      yield* report(ended)
    }
    return status
  })

  return JobStates.of({ apply })
})

/** The only way to change a job's status. */
export class JobStates extends Context.Service<
  JobStates,
  {
    /** Applies the event in one transaction and yields the new status. */
    readonly apply: (
      id: number,
      event: JobEvent
    ) => Effect.Effect<JobState, SqlError.SqlError | JobNotFound | JobEventRefused>
  }
>()("switchyard/jobs/JobStates") {
  static readonly layer = Layer.effect(JobStates, make)
}
