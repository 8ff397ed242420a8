/**
 * Executes the workflow of jobs: waits until a job is due and may begin (`JobGate`), has its lock and one of the places of its
 * kind, and then works on it to its end. Resumes the jobs of killed processes. See docs/jobs.md#when-a-job-runs.
 */
import { Cause, Duration, Effect, Layer, Ref, Schedule, Schema } from "effect"
import { Activity, DurableClock } from "effect/workflow"
import { finalStatuses, functionOf, JobFailure, toException } from "../../domain/Job.ts"
import { LogModule } from "../../runtime/Logging.ts"
import { spanned } from "../../runtime/Spans.ts"
import { waitingForDatabase } from "../../store/DatabaseClient.ts"
import { hostOf, type JobHead, JobStore } from "../../store/JobStore.ts"
import { type AlreadyEnded, JobFunctions, JobGate, type JobOutcome, type RunningJob } from "./JobHandler.ts"
import { acquireDevicesLock, makeJobPlaces } from "./JobPlaces.ts"
import { makeLiveJobs, sweep } from "./LiveJobs.ts"
import { Acting, Person, SERVER_PERSON } from "../../domain/access/Identity.ts"
import type { AnyJob } from "../../domain/jobs/JobDefinition.ts"
import { JobWorkflow } from "./JobEngine.ts"
import { SqlError } from "effect/sql"
import { cleanedValue } from "../../domain/Text.ts"
import { failWhenOurs, untilMended } from "../../runtime/OwnFaults.ts"
import { failWhenAway, isDatabaseAway, refusedValue, refusedValueIn, sqlState } from "../../store/DatabaseErrors.ts"
import { JobStates } from "./JobStates.ts"
import { JobScheduleStore } from "../../store/JobScheduling.ts"

// Works on one job from its beginning, or from the stored state of a killed process, to its end: moves the row to RUNNING, runs the
// function and writes the outcome (promise 4, docs/jobs.md#what-a-restart-does). See docs/jobs.md#the-life-of-a-job and
// docs/jobs.md#the-record.

/** How often the job is checked for an abort, and for devices that only their timers still hold. */
const PROGRESS_INTERVAL = Duration.seconds(2)

/** For errors of the database outside of statements, which wait for it on their own. */
const untilDatabaseIsBack = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("5 seconds")])

const isAway = (error: unknown): boolean => SqlError.isSqlError(error) && isDatabaseAway(error)

/** A refused statement is a defect of this server; the log has the database's message. */
const refusedBy = (job: JobHead, error: SqlError.SqlError): JobFailure => {
  const value = refusedValue(error)
  const hostname = hostOf(job.start_arguments)
  const found = hostname === undefined ? "What the job found" : `What the job found on ${hostname}`
  return value === undefined
    ? new JobFailure({ type: "DatabaseError", message: `${error.message} (SQLSTATE ${sqlState(error) ?? "unknown"})` })
    : new JobFailure({ type: "ValueError", message: `${found} cannot be stored: ${value}` })
}

/** The failure of the job's function for its record; a statement that the database refused may also be a defect. */
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

const watchProgress = Effect.fnUntraced(function* (id: number, aborting: Ref.Ref<boolean>) {
  const { waits } = yield* JobScheduleStore
  return yield* Effect.gen(function* () {
    yield* Ref.set(aborting, (yield* waits.refreshWaiting(id)) === "ABORTING")
  }).pipe(
    Effect.tapCause((cause) => Effect.logWarning("The job's progress could not be read", cause)),
    Effect.ignore,
    Effect.repeat(Schedule.spaced(PROGRESS_INTERVAL)),
    Effect.delay(PROGRESS_INTERVAL)
  )
})

/** Whether the job is being aborted, by the last check or its present row. */
const isAborting = (jobs: JobStore["Service"], id: number, seen: Ref.Ref<boolean>) =>
  Effect.flatMap(Ref.get(seen), (known) =>
    known
      ? Effect.succeed(true)
      : Effect.map(
          Effect.orElseSucceed(jobs.status(id), () => "RUNNING"),
          (now) => now === "ABORTING"
        )
  )

const work = Effect.fnUntraced(function* (record: JobHead) {
  const functions = yield* JobFunctions

  const name = functionOf(record.function_name)
  const found = functions.get(name)
  if (found === undefined) {
    return yield* new JobFailure({ type: "ValueError", message: `This server has no job function ${name}` })
  }
  const { id } = record
  const seen = yield* Ref.make(record.status === "ABORTING")
  const job: RunningJob = {
    id,
    user: record.scheduled_by ?? "unknown",
    aborting: isAborting(yield* JobStore, id, seen)
  }
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
  const jobs = yield* JobStore
  const states = yield* JobStates

  if ("hasEnded" in outcome) return
  const { next_job_id } = yield* jobs.head(id)
  yield* states.apply(id, { type: "RETURNED", ...cleanedValue(outcome, "lines").value, next_job_id })
})

const threw = Effect.fnUntraced(function* (record: JobHead, cause: Cause.Cause<JobFailure | SqlError.SqlError>) {
  const states = yield* JobStates

  const failure = failureOf(record, cause)
  if (failure.type === "DatabaseError" || failure.type === "InternalError" || refusedValueIn(cause) !== undefined) {
    const door = functionOf(record.function_name)
    yield* Effect.logError(`Job ${record.id} (${door}) met an internal error: ${failure.message}`, cause)
  }
  const exception = cleanedValue(toException(failure, record.function_name), "lines").value
  yield* states.apply(record.id, { type: "THREW", exception })
})

const runOnce = Effect.fnUntraced(function* (jobId: number, refusal: JobFailure | null) {
  const jobs = yield* JobStore
  const states = yield* JobStates

  const before = yield* jobs.head(jobId)
  if (finalStatuses.includes(before.status)) return
  const isNew = before.status === "SCHEDULED"
  yield* states.apply(jobId, isNew ? { type: "DUE" } : { type: "PROCESS_STARTED" })
  yield* Effect.logInfo(isNew ? "Job started" : "Job resumed", { function: before.function_name })
  yield* Effect.matchCauseEffect(refusal === null ? work(before) : refusal, {
    onSuccess: (outcome) => ended(jobId, outcome),
    // the server stops: the row stays unchanged, and the next process continues
    onFailure: (cause) => (Cause.hasInterrupts(cause) ? Effect.interrupt : threw(before, cause))
  })
  yield* Effect.logInfo("Job ended", { status: yield* jobs.status(jobId) })
})

/**
 * Works on the job until its row says that it has ended; after any other error the next attempt continues (`LiveJobs.ts`). With a
 * refusal the job begins and ends with it.
 */
const executeJob = Effect.fn("JobExecution.run")((jobId: number, refusal: JobFailure | null) =>
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

/** The jobs and the places of this process. */
interface Process {
  readonly live: Effect.Success<typeof makeLiveJobs>
  readonly places: Effect.Success<typeof makeJobPlaces>
}

/** A longer wait is a timer in the database instead of this process. */
const LONG_WAIT = Duration.minutes(1)

/** Whether the job needs the lock; a job with a follow-up has handed it over already. */
const needsLock = (definition: AnyJob | undefined, job: JobHead): boolean =>
  job.next_job_id === null &&
  !finalStatuses.includes(job.status) &&
  definition?.needsDevicesLock(job.start_arguments) === true

const millisUntilDue = Effect.fnUntraced(function* (jobId: number) {
  const jobs = yield* JobStore
  return yield* Activity.make({
    name: "millisUntilDue",
    success: Schema.Finite,
    execute: waitingForDatabase(
      Effect.catchTag(jobs.millisUntilDue(jobId), ["JobNotFound", "SqlError"], () => Effect.succeed(0))
    )
  })
})

const runWhenDue = Effect.fnUntraced(
  function* (jobId: number, { places }: Process) {
    const jobs = yield* JobStore
    const gate = yield* JobGate

    const rest = yield* Effect.orElseSucceed(jobs.millisUntilDue(jobId), () => 0)
    yield* Effect.sleep(Duration.millis(rest))
    const job = yield* Effect.catchTag(jobs.head(jobId), "JobNotFound", Effect.die)
    const definition = (yield* JobFunctions).get(functionOf(job.function_name))?.definition
    yield* gate.wait(definition, job)
    const refusal = needsLock(definition, job)
      ? yield* acquireDevicesLock(jobId).pipe(
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
    const work = executeJob(jobId, refusal).pipe(
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

/** One attempt at a job: waits until it is due, and works on it unless a newer attempt exists. */
const runAttempt = (process: Process) =>
  Effect.fnUntraced(function* ({ attempt = 0, jobId }: { readonly jobId: number; readonly attempt?: number }) {
    const wait = Duration.millis(yield* millisUntilDue(jobId))
    if (Duration.isGreaterThan(wait, LONG_WAIT)) {
      yield* DurableClock.sleep({ name: "due", duration: wait, inMemoryThreshold: 0 })
    }
    yield* Activity.make({
      name: "run",
      execute: process.live
        .during({ jobId, attempt }, runWhenDue(jobId, process))
        .pipe(waitingForDatabase, Effect.orDie)
    })
  })

/** Executes the workflow of jobs in this process, and repairs jobs and locks after faults. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const process = { live: yield* makeLiveJobs, places: yield* makeJobPlaces }
    return Layer.merge(JobWorkflow.toLayer(runAttempt(process)), Layer.effectDiscard(sweep(process.live)))
  })
)
