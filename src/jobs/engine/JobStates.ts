/**
 * Applies events to jobs: under the row's lock, with the machine's own transition function, and with what the machine asks for
 * written in the same transaction (docs/jobs.md#the-life-of-a-job).
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { abortReason, applyJobEvent, type JobAction, type JobEvent } from "../../../machines/job/JobLifecycle.ts"
import { type JobState, jobStates } from "../../../machines/job/JobStatuses.ts"
import { finalStatuses, functionOf, type JobNotFound, JobStatus, noDevices, outcomeOf } from "../../domain/Job.ts"
import { jobDevices, jobsEnded } from "../../runtime/metrics/JobMetrics.ts"
import { type JobPatch, JobStore } from "../../store/JobStore.ts"
import * as JobReport from "./JobReport.ts"
import type { ReportedJob } from "./JobReport.ts"
import { JobLockStore } from "../../store/JobScheduling.ts"

/** The machine takes no such event in the job's present status. */
export class JobEventRefused extends Schema.TaggedError<JobEventRefused>()("JobEventRefused", {
  id: Schema.Int,
  status: JobStatus,
  message: Schema.String
}) {}

const isJobState = Schema.is(Schema.Literals(jobStates))

/** What an action writes to the row; those about the work itself write nothing. */
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

/** Why a job ended, as far as the event that ends it says so. */
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
  const locks = yield* JobLockStore
  const report = yield* JobReport.make

  const change = Effect.fnUntraced(function* (id: number, event: JobEvent) {
    const status = yield* jobs.lockStatus(id)
    const { function_name } = yield* jobs.head(id)
    if (!isJobState(status))
      return yield* new JobEventRefused({ id, status, message: `Job ${id} has status ${status}` })
    const outcome = applyJobEvent({ id, status, functionName: functionOf(function_name) }, event)
    if (outcome._tag === "Refused") return yield* new JobEventRefused({ id, status, message: outcome.message })
    const patch = outcome.actions.reduce<JobPatch>((sum, action) => ({ ...sum, ...patchOf(action) }), {})
    const counts =
      finalStatuses.includes(outcome.status) && status !== "SCHEDULED" ? yield* jobs.refreshFinished(id) : noDevices
    const failure = failureOf(event)
    const aborted =
      event.type === "ABORT_REQUESTED" && status !== "ABORTING"
        ? { aborted_by: event.by, ...(event.reason === null ? {} : { abort_reason: event.reason }) }
        : {}
    const verdict = outcomeOf({ status: outcome.status, counts, failure })
    const ending = verdict === null ? {} : { outcome: verdict }
    yield* jobs.update(id, { ...patch, ...aborted, status: outcome.status, ...ending })
    // a lock ends with its job, in the moment in which the job ends
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
