/**
 * Executes the workflow of jobs: waits until a job is due, is approved and within its windows where it has to be, has the lock that it
 * needs and one of the places of its kind, and then has it worked on (`JobExecution.ts`). A job that a killed process left behind is resumed here. See
 * docs/jobs.md#when-a-job-runs.
 */
import { Duration, Effect, Layer, Schema } from "effect"
import { Activity, DurableClock } from "effect/workflow"
import { Acting, Person, SERVER_PERSON } from "../../domain/access/Identity.ts"
import { finalStatuses, functionOf } from "../../domain/Job.ts"
import { LogModule } from "../../runtime/ToldLog.ts"
import { spanned } from "../../runtime/Spans.ts"
import { waitingForDatabase } from "../../store/DatabaseClient.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import { DevicesLock } from "./DevicesLock.ts"
import { JobApproval } from "./JobApproval.ts"
import { JobExecution } from "./JobExecution.ts"
import { JobFunctions } from "./JobHandler.ts"
import { JobPlaces } from "./JobPlaces.ts"
import { JobWindows } from "./JobWindows.ts"
import { JobWorkflow } from "./JobWorkflow.ts"
import { LiveJobs } from "./LiveJobs.ts"

/** A wait longer than this is kept by the database instead of by this process. */
const LONG_WAIT = Duration.minutes(1)

const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const functions = yield* JobFunctions
  const live = yield* LiveJobs
  const lock = yield* DevicesLock
  const approvals = yield* JobApproval
  const windows = yield* JobWindows
  const places = yield* JobPlaces
  const execution = yield* JobExecution

  const definitionOf = ({ function_name }: JobHead) => functions.get(functionOf(function_name))?.definition

  /** One that has a follow-up has handed its lock over already. */
  const needsLock = (job: JobHead): boolean =>
    job.next_job_id === null &&
    !finalStatuses.includes(job.status) &&
    definitionOf(job)?.needsDevicesLock(job.start_arguments) === true

  const millisUntilDue = (jobId: number) =>
    Activity.make({
      name: "millisUntilDue",
      success: Schema.Finite,
      execute: waitingForDatabase(
        Effect.catchTag(jobs.millisUntilDue(jobId), ["JobNotFound", "SqlError"], () => Effect.succeed(0))
      )
    })

  const runWhenDue = Effect.fnUntraced(
    function* (jobId: number) {
      const rest = yield* Effect.orElseSucceed(jobs.millisUntilDue(jobId), () => 0)
      yield* Effect.sleep(Duration.millis(rest))
      const job = yield* Effect.catchTag(jobs.head(jobId), "JobNotFound", Effect.die)
      if (job.awaits_approval) yield* approvals.wait(jobId)
      const definition = definitionOf(job)
      if (definition !== undefined) yield* windows.wait(definition, job)
      const refusal = needsLock(job)
        ? yield* lock.acquire(jobId).pipe(
            spanned("wait for lock", { trace: job.trace, attributes: { "job.id": jobId } }),
            Effect.as(null),
            Effect.catchTag("JobFailure", (failure) => Effect.succeed(failure))
          )
        : null
      const kind = definition === undefined ? "devices" : definition.kind
      const { scheduled_by, scheduled_person, scheduled_way, service_class, status } = job
      const acting: Acting = {
        name: scheduled_by ?? "server",
        way: scheduled_way ?? "server",
        address: null,
        job: jobId,
        ...(scheduled_person !== null && { person: scheduled_person })
      }
      const name = functionOf(job.function_name)
      const work = execution
        .run(jobId, refusal)
        .pipe(
          Effect.provideService(Acting, acting),
          Effect.provideService(Person, scheduled_person ?? SERVER_PERSON),
          Effect.provideService(LogModule, name),
          spanned(`job ${name}`, { trace: job.trace, attributes: { "job.id": jobId, "job.function": name } })
        )
      const person = scheduled_person ?? scheduled_by ?? "server"
      const waiter = { id: jobId, serviceClass: service_class, person, hasBegun: status !== "SCHEDULED" }
      yield* places.within(kind, waiter, work)
    },
    (work, jobId) => Effect.annotateLogs(work, { job: jobId })
  )

  return Effect.fnUntraced(function* ({ attempt = 0, jobId }: { readonly jobId: number; readonly attempt?: number }) {
    const wait = Duration.millis(yield* millisUntilDue(jobId))
    if (Duration.isGreaterThan(wait, LONG_WAIT)) {
      yield* DurableClock.sleep({ name: "due", duration: wait, inMemoryThreshold: 0 })
    }
    yield* Activity.make({
      name: "run",
      execute: live.during({ jobId, attempt }, runWhenDue(jobId)).pipe(waitingForDatabase, Effect.orDie)
    })
  })
})

/** Executes the workflow of jobs in this process. */
export const layer = Layer.unwrap(Effect.map(make, (execute) => JobWorkflow.toLayer(execute)))
