/**
 * Applies events to jobs: under the row's lock, with the machine's own transition function, and with what the machine asks
 * for written in the same transaction (contract engine.md §2.2).
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { applyJobEvent } from "../../machines/JobDecision.ts"
import { type JobAction, type JobEvent, type JobState, jobStates } from "../../machines/JobLifecycle.ts"
import { finalStatuses, functionOf, type JobNotFound, JobStatus } from "../domain/Job.ts"
import { JobLockStore } from "../store/JobLockStore.ts"
import { type JobPatch, JobStore } from "../store/JobStore.ts"

/** The machine takes no such event in the job's present status. */
export class JobEventRefused extends Schema.TaggedError<JobEventRefused>()("JobEventRefused", {
  id: Schema.Int,
  status: JobStatus,
  message: Schema.String
}) {}

const isJobState = Schema.is(Schema.Literals(jobStates))

/** What an action writes to the row; those that only tell somebody write nothing. */
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

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = yield* JobStore
  const locks = yield* JobLockStore

  const apply = Effect.fn("JobStates.apply")(function* (id: number, event: JobEvent) {
    const status = yield* jobs.lockStatus(id)
    const { function_name } = yield* jobs.head(id)
    if (!isJobState(status))
      return yield* new JobEventRefused({ id, status, message: `Job ${id} has status ${status}` })
    const outcome = applyJobEvent({ id, status, functionName: functionOf(function_name) }, event)
    if (outcome._tag === "Refused") return yield* new JobEventRefused({ id, status, message: outcome.message })
    const patch = outcome.actions.reduce<JobPatch>((sum, action) => ({ ...sum, ...patchOf(action) }), {})
    yield* jobs.update(id, { ...patch, status: outcome.status })
    // a lock ends with its job, in the moment in which the job ends
    if (finalStatuses.includes(outcome.status)) yield* locks.release(id)
    return outcome.status
  }, sql.withTransaction)

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
