/**
 * Works on one job from its beginning, or from where a killed process left it, to its end: moves the row to RUNNING, runs the
 * function and writes how it ended (promise 4, docs/jobs.md#what-a-restart-does). See docs/jobs.md#the-life-of-a-job and
 * docs/jobs.md#the-record.
 */
import { Cause, Context, Duration, Effect, Layer, Ref, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { finalStatuses, functionOf, JobFailure, toException } from "../../domain/Job.ts"
import { cleanedValue } from "../../domain/Text.ts"
import { failWhenOurs, untilMended } from "../../runtime/OwnFaults.ts"
import { failWhenAway, isDatabaseAway, refusedValue, refusedValueIn, sqlState } from "../../store/DatabaseErrors.ts"
import { hostOf, type JobHead, JobStore } from "../../store/JobStore.ts"
import { JobWaitStore } from "../../store/JobScheduling.ts"
import { type AlreadyEnded, JobFunctions, type JobOutcome, type RunningJob } from "./JobHandler.ts"
import { JobStates } from "./JobStates.ts"

/** How often `finished_devices` is refreshed and a request to abort is looked for. */
const PROGRESS_INTERVAL = Duration.seconds(2)

/** Statements wait for the database by themselves; this is for what met it outside of them. */
const untilDatabaseIsBack = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("5 seconds")])

const isAway = (error: unknown): boolean => SqlError.isSqlError(error) && isDatabaseAway(error)

/** An error that the database gives for what it was asked is a defect of ours; the log has its words. */
const refusedBy = (job: JobHead, error: SqlError.SqlError): JobFailure => {
  const value = refusedValue(error)
  const hostname = hostOf(job.start_arguments)
  const found = hostname === undefined ? "What the job found" : `What the job found on ${hostname}`
  return value === undefined
    ? new JobFailure({ type: "DatabaseError", message: `${error.message} (SQLSTATE ${sqlState(error) ?? "unknown"})` })
    : new JobFailure({ type: "ValueError", message: `${found} cannot be stored: ${value}` })
}

/** Why the job's function has ended, as its record says it; what the database has refused may also be a defect. */
const failureOf = (job: JobHead, cause: Cause.Cause<JobFailure | SqlError.SqlError>): JobFailure => {
  const thrown = cause.reasons.map((reason): unknown =>
    Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
  )
  const [refused] = thrown.filter(SqlError.isSqlError)
  if (refused !== undefined) return refusedBy(job, refused)
  const [failure] = thrown.filter((error) => error instanceof JobFailure)
  return (
    failure ?? new JobFailure({ type: "InternalError", message: `Internal error in job function ${job.function_name}` })
  )
}

const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const waits = yield* JobWaitStore
  const states = yield* JobStates
  const functions = yield* JobFunctions

  const watchProgress = (id: number, aborting: Ref.Ref<boolean>) =>
    Effect.gen(function* () {
      yield* jobs.refreshFinished(id)
      yield* waits.refreshWaiting(id)
      yield* Ref.set(aborting, (yield* jobs.status(id)) === "ABORTING")
    }).pipe(
      Effect.tapCause((cause) => Effect.logWarning("The job's progress could not be read", cause)),
      Effect.ignore,
      Effect.repeat(Schedule.spaced(PROGRESS_INTERVAL)),
      Effect.delay(PROGRESS_INTERVAL)
    )

  /** Whether the job is being aborted: as was seen last, or as its row says now. */
  const isAborting = (id: number, seen: Ref.Ref<boolean>) =>
    Effect.flatMap(Ref.get(seen), (known) =>
      known
        ? Effect.succeed(true)
        : Effect.map(
            Effect.orElseSucceed(jobs.status(id), () => "RUNNING"),
            (now) => now === "ABORTING"
          )
    )

  const work = Effect.fnUntraced(function* (record: JobHead) {
    const name = functionOf(record.function_name)
    const found = functions.get(name)
    if (found === undefined) {
      return yield* new JobFailure({ type: "ValueError", message: `This server has no job function ${name}` })
    }
    const { id } = record
    const seen = yield* Ref.make(record.status === "ABORTING")
    const job: RunningJob = { id, user: record.scheduled_by ?? "unknown", aborting: isAborting(id, seen) }
    const handled = found.run(job, record.start_arguments).pipe(
      failWhenAway,
      failWhenOurs,
      Effect.tapError((error) => Effect.logWarning(`Job ${id}: ${error.message}`)),
      Effect.retry({ while: isAway, schedule: untilDatabaseIsBack }),
      untilMended
    )
    return yield* Effect.raceFirst(handled, Effect.andThen(watchProgress(id, seen), Effect.never))
  })

  const ended = Effect.fnUntraced(function* (id: number, outcome: JobOutcome | AlreadyEnded) {
    if ("hasEnded" in outcome) return
    yield* jobs.refreshFinished(id)
    const { next_job_id } = yield* jobs.head(id)
    yield* states.apply(id, { type: "RETURNED", ...cleanedValue(outcome, "lines").value, next_job_id })
  })

  const threw = Effect.fnUntraced(function* (record: JobHead, cause: Cause.Cause<JobFailure | SqlError.SqlError>) {
    const failure = failureOf(record, cause)
    if (failure.type === "DatabaseError" || failure.type === "InternalError" || refusedValueIn(cause) !== undefined) {
      const door = functionOf(record.function_name)
      yield* Effect.logError(`Job ${record.id} (${door}) met an internal error: ${failure.message}`, cause)
    }
    const exception = cleanedValue(toException(failure, record.function_name), "lines").value
    yield* states.apply(record.id, { type: "THREW", exception })
  })

  const runOnce = Effect.fnUntraced(function* (jobId: number, refusal: JobFailure | null) {
    const before = yield* jobs.head(jobId)
    if (finalStatuses.includes(before.status)) return
    const isNew = before.status === "SCHEDULED"
    yield* states.apply(jobId, isNew ? { type: "DUE" } : { type: "PROCESS_STARTED" })
    yield* Effect.logInfo(isNew ? "Job started" : "Job resumed", { function: before.function_name })
    yield* Effect.matchCauseEffect(refusal === null ? work(before) : refusal, {
      onSuccess: (outcome) => ended(jobId, outcome),
      // interruption is the server's stop: the row stays as it is and the next process goes on
      onFailure: (cause) => (Cause.hasInterrupts(cause) ? Effect.interrupt : threw(before, cause))
    })
    yield* Effect.logInfo("Job ended", { status: yield* jobs.status(jobId) })
  })

  const run = Effect.fn("JobExecution.run")((jobId: number, refusal: JobFailure | null) =>
    runOnce(jobId, refusal).pipe(
      failWhenAway,
      Effect.retry({ while: isAway, schedule: untilDatabaseIsBack }),
      Effect.catchCause((cause) =>
        Cause.hasInterrupts(cause)
          ? Effect.interrupt
          : Effect.logError("The job could not be worked on; it will be tried again", cause)
      )
    )
  )

  return JobExecution.of({ run })
})

/** The work of jobs that are due and have their place. */
export class JobExecution extends Context.Service<
  JobExecution,
  {
    /**
     * Works on the job until its row says that it has ended; whatever else goes wrong is for the next attempt
     * (`JobSweep.ts`). With a refusal the job begins and ends with it.
     */
    readonly run: (jobId: number, refusal: JobFailure | null) => Effect.Effect<void>
  }
>()("switchyard/jobs/JobExecution") {
  static readonly layer = Layer.effect(JobExecution, make)
}
