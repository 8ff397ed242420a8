/**
 * Runs jobs: waits until one is due, takes one of the places, moves the row to RUNNING, runs the function and writes how it
 * ended. A job that a killed process left behind is picked up here: its status is RUNNING already and its function goes on
 * from what it has stored (promise 4, DESIGN §7 row 15). Carries contract engine.md §2.2, §2.4 and §2.7.
 */
import { Cause, Duration, Effect, Layer, Ref, Schedule, Schema } from "effect"
import { SqlError } from "effect/sql"
import { Activity, DurableClock } from "effect/workflow"
import { finalStatuses, functionOf, JobFailure, jobFunctions, toException } from "../../domain/Job.ts"
import { failWhenAway, isDatabaseAway, sqlState } from "../../store/DatabaseAway.ts"
import { waitingForDatabase } from "../../store/DatabaseClient.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import * as DevicesLock from "./DevicesLock.ts"
import { JobWorkflow } from "./JobEngine.ts"
import { JobHandlers, type JobOutcome, type RunningJob, type Settled } from "./JobHandler.ts"
import * as JobPlaces from "./JobPlaces.ts"
import { JobStates } from "./JobStates.ts"
import { LiveJobs } from "./LiveJobs.ts"

/** How often `finished_devices` is refreshed and a request to abort is looked for. */
const PROGRESS_INTERVAL = Duration.seconds(2)

/** A wait longer than this is kept by the database instead of by this process. */
const LONG_WAIT = Duration.minutes(1)

/** Statements wait for the database by themselves; this is for what met it outside of them. */
const untilDatabaseIsBack = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("5 seconds")])

const isFunction = Schema.is(Schema.Literals(jobFunctions))

const isAway = (error: unknown): boolean => SqlError.isSqlError(error) && isDatabaseAway(error)

/** An error that the database gives for what it was asked is a defect of ours. */
const refusedBy = (error: SqlError.SqlError): JobFailure =>
  new JobFailure({ type: "DatabaseError", message: `${error.message} (SQLSTATE ${sqlState(error) ?? "unknown"})` })

/** Why the job's function has ended, as its record says it; what the database has refused may also be a defect. */
const failureOf = ({ function_name }: JobHead, cause: Cause.Cause<JobFailure | SqlError.SqlError>): JobFailure => {
  const thrown = cause.reasons.map((reason): unknown =>
    Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
  )
  const [refused] = thrown.filter(SqlError.isSqlError)
  if (refused !== undefined) return refusedBy(refused)
  const [failure] = thrown.filter((error) => error instanceof JobFailure)
  return (
    failure ?? new JobFailure({ type: "InternalError", message: `Internal error in job function ${function_name}` })
  )
}

const make = Effect.gen(function* () {
  const jobs = yield* JobStore
  const states = yield* JobStates
  const handlers = yield* JobHandlers
  const live = yield* LiveJobs
  const lock = yield* DevicesLock.make
  const inPlace = yield* JobPlaces.make

  const watchProgress = Effect.fnUntraced(function* (id: number, aborting: Ref.Ref<boolean>) {
    yield* jobs.refreshFinished(id)
    yield* jobs.refreshWaiting(id)
    yield* Ref.set(aborting, (yield* jobs.status(id)) === "ABORTING")
  })

  const work = Effect.fnUntraced(function* (record: JobHead) {
    const name = functionOf(record.function_name)
    const handler = isFunction(name) ? handlers.get(name) : undefined
    if (handler === undefined) {
      return yield* new JobFailure({ type: "ValueError", message: `This server has no job function ${name}` })
    }
    const aborting = yield* Ref.make(record.status === "ABORTING")
    const watching = watchProgress(record.id, aborting).pipe(
      Effect.tapCause((cause) => Effect.logWarning("The job's progress could not be read", cause)),
      Effect.ignore,
      Effect.repeat(Schedule.spaced(PROGRESS_INTERVAL)),
      Effect.delay(PROGRESS_INTERVAL)
    )
    const running: RunningJob = {
      id: record.id,
      args: record.start_arguments ?? {},
      user: record.scheduled_by ?? "unknown",
      aborting: Effect.andThen(Ref.get(aborting), (known) =>
        known
          ? Effect.succeed(true)
          : Effect.map(
              Effect.orElseSucceed(jobs.status(record.id), () => "RUNNING"),
              (now) => now === "ABORTING"
            )
      )
    }
    const handled = handler(running).pipe(
      failWhenAway,
      Effect.tapError((error) => Effect.logWarning(`Job ${record.id}: ${error.message}`)),
      Effect.retry({ while: isAway, schedule: untilDatabaseIsBack })
    )
    return yield* Effect.raceFirst(handled, Effect.andThen(watching, Effect.never))
  })

  const ended = Effect.fnUntraced(function* (id: number, outcome: JobOutcome | Settled) {
    if ("settled" in outcome) return
    yield* jobs.refreshFinished(id)
    const { next_job_id } = yield* jobs.head(id)
    yield* states.apply(id, { type: "RETURNED", ...outcome, next_job_id })
  })

  const threw = Effect.fnUntraced(function* (record: JobHead, cause: Cause.Cause<JobFailure | SqlError.SqlError>) {
    const failure = failureOf(record, cause)
    if (failure.type === "DatabaseError" || failure.type === "InternalError") {
      yield* Effect.logError(`Job ${record.id} met an internal error: ${failure.message}`, cause)
    }
    yield* states.apply(record.id, { type: "THREW", exception: toException(failure, record.function_name) })
  })

  const runOnce = Effect.fnUntraced(function* (jobId: number, refusal: JobFailure | null) {
    const before = yield* jobs.head(jobId)
    if (finalStatuses.includes(before.status)) return
    yield* states.apply(jobId, before.status === "SCHEDULED" ? { type: "DUE" } : { type: "PROCESS_STARTED" })
    yield* Effect.logInfo(before.status === "SCHEDULED" ? "Job started" : "Job resumed", {
      function: before.function_name
    })
    yield* Effect.matchCauseEffect(refusal === null ? work(before) : refusal, {
      onSuccess: (outcome) => ended(jobId, outcome),
      // interruption is the server's stop: the row stays as it is and the next process goes on
      onFailure: (cause) => (Cause.hasInterrupts(cause) ? Effect.interrupt : threw(before, cause))
    })
    yield* Effect.logInfo("Job ended", { status: yield* jobs.status(jobId) })
  })

  /** Works on the job until its row says that it has ended; whatever else goes wrong is for the next attempt (`JobSweep.ts`). */
  const run = Effect.fn("JobRunner.run")((jobId: number, refusal: JobFailure | null) =>
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
      const refusal = yield* lock.inTurn(jobId).pipe(
        Effect.as(null),
        Effect.catchTag("JobFailure", (failure) => Effect.succeed(failure))
      )
      yield* inPlace(jobId, run(jobId, refusal))
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
