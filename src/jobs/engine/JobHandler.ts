/**
 * The handler of a job's function does its work. A handler may be run again from its start after a crash, so it stores its
 * decisions in the database (device rows, change rows, the job's memo) and never repeats a stored step. Arguments and memos are
 * read and written here, by the schemas of the definition.
 */
import { Context, Effect, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type DeviceResult, deviceResult, JobFailure, NOT_STARTED, taskFailed } from "../../domain/Job.ts"
import type { AnyJob, ArgsOf, MemoOf } from "../../domain/jobs/JobDefinition.ts"
import { messageOf } from "../../runtime/SystemErrors.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"
import { makeJobCommits } from "../../store/JobResults.ts"
import { WorkingCommits } from "../../domain/Repository.ts"

/** A running job, for every function. */
export interface RunningJob {
  readonly id: number
  /** The user who started it. */
  readonly user: string
  /** True once a user has asked to abort: start nothing new, bring running devices to a known end. */
  readonly aborting: Effect.Effect<boolean>
}

/** The facts that a job remembers for a run after a restart. */
export interface JobMemo<M> {
  /** The memo that was written last; none if none was. */
  readonly read: Effect.Effect<Option.Option<M>, SqlError.SqlError>
  readonly write: (memo: M) => Effect.Effect<void, SqlError.SqlError>
}

/** A running job with the arguments and the memo of its function. */
export interface JobRun<J extends AnyJob> extends RunningJob {
  readonly args: ArgsOf<J>
  readonly memo: JobMemo<MemoOf<J>>
}

/** The end of a job. With a null `result` the device rows are the result; `JobEngine.follow` links a follow-up job. */
export interface JobOutcome {
  readonly result: unknown
  readonly change_score: number | null
  /** Why the work failed, if neither an exception nor a failed device shows it. */
  readonly failure?: string
}

/** The function has written the job's final status itself. */
export interface AlreadyEnded {
  readonly hasEnded: true
}
export const alreadyEnded: AlreadyEnded = { hasEnded: true }

/** The outcome of a job whose result is its device rows. */
export const deviceRows: JobOutcome = { result: null, change_score: null }

/**
 * The end of a job's work. A JobFailure ends the whole job in EXCEPTION; failures of single devices are part of a successful
 * outcome. Retryable database errors are retried by the runner.
 */
export type JobEnd<R = never> = Effect.Effect<JobOutcome | AlreadyEnded, JobFailure | SqlError.SqlError, R>

/** A function that this server can run. */
interface JobFunction {
  readonly definition: AnyJob
  /** Does the work of a job that was started with these arguments. */
  readonly run: (job: RunningJob, start_arguments: unknown) => JobEnd
}

/** The functions that this server can run, by their names. */
export class JobFunctions extends Context.Service<JobFunctions, ReadonlyMap<string, JobFunction>>()(
  "switchyard/jobs/JobFunctions"
) {}

/** Approvals and windows (`requests/`), which may keep a job from beginning or move its start. */
export class JobGate extends Context.Service<
  JobGate,
  {
    /** Waits until the job may begin, or has ended. The definition is undefined for a function that this server does not have. */
    readonly wait: (definition: AnyJob | undefined, job: JobHead) => Effect.Effect<void, SqlError.SqlError>
    /** Checks all waiting jobs, and lets those begin that need not wait any more. */
    readonly lookAgain: Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/jobs/JobGate") {}

/**
 * The memo of any job of this function. An unreadable memo is a defect: a job that may have begun must not begin again.
 */
export const memoOf = <J extends AnyJob>(jobs: JobStore["Service"], { Memo }: J, id: number): JobMemo<MemoOf<J>> => ({
  read: Effect.flatMap(
    jobs.memo(id),
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (memo) => Effect.asSome(Effect.orDie(Schema.decodeUnknownEffect(Memo)(memo)))
    })
  ),
  write: (memo) => Effect.flatMap(Effect.orDie(Schema.encodeEffect(Memo)(memo)), (stored) => jobs.remember(id, stored))
})

/** Joins a definition with its handler; an entry of `JobList.ts`. */
export const handle = <J extends AnyJob, R>(definition: J, handler: (job: JobRun<J>) => JobEnd<R>) => {
  const decode = Schema.decodeUnknownEffect(definition.Args)
  const make = Effect.gen(function* () {
    const jobs = yield* JobStore
    const commits = yield* makeJobCommits
    const services = yield* Effect.context<R>()

    const decoded = Effect.fnUntraced(function* (job: RunningJob, start_arguments: unknown) {
      const args = yield* Effect.mapError(
        decode(start_arguments),
        (error) => new JobFailure({ type: "ValueError", message: error.message })
      )
      const run = { ...job, args, memo: memoOf(jobs, definition, job.id) }
      return yield* Effect.provideContext(handler(run), services)
    })
    const run: JobFunction["run"] = (job, start_arguments) =>
      definition.pinsCommits
        ? Effect.flatMap(commits.pin(job.id), (pinned) =>
            Effect.provideService(decoded(job, start_arguments), WorkingCommits, pinned)
          )
        : decoded(job, start_arguments)
    return { definition, run } satisfies JobFunction
  })
  return { definition, make }
}

/** The work in one transaction: the caller's, if there is one. */
export const inTransaction = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work))

/** Why nothing further is begun: a user has aborted the job, or its own rules stop it. */
interface Stopped {
  readonly aborted: boolean
  readonly message: string
}

/** The entries of a device that the stopped job had not begun. */
export const notStarted = (stop: Stopped, mainTask: string): DeviceResult =>
  deviceResult([
    taskFailed(mainTask, `${NOT_STARTED}\n${stop.aborted ? "JobAborted" : "RolloutStopped"}: ${stop.message}\n`)
  ])

interface NamedError {
  readonly _tag: string
  readonly message: string
}

const isOwn = (error: NamedError | JobFailure | SqlError.SqlError): error is JobFailure | SqlError.SqlError =>
  error._tag === "JobFailure" || error._tag === "SqlError"

/** Turns the errors of rules (a refused state, a missing device …) into the failure of the job, under their own names. */
export const refusedAsFailure = <A, E extends NamedError, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, JobFailure | SqlError.SqlError, R> =>
  Effect.mapError(effect, (error) =>
    isOwn(error) ? error : new JobFailure({ type: error._tag, message: messageOf(error) })
  )

// Work that changes nothing, so an abort of its job may interrupt it at any time.

/** How often the job is asked whether it is being aborted. */
const POLL = "500 millis"

/** The same job for many devices at once, which ask together whether it is being aborted. */
export const askedTogether = <J extends RunningJob>(job: J): Effect.Effect<J> =>
  Effect.map(Effect.cachedWithTTL(job.aborting, POLL), (aborting) => ({ ...job, aborting }))

/** The work's outcome; none when the job was aborted before it had one. The work is interrupted then. */
export const untilAborted = <A, E, R>(
  job: RunningJob,
  work: Effect.Effect<A, E, R>
): Effect.Effect<Option.Option<A>, E, R> => {
  const aborted = Effect.gen(function* () {
    while (!(yield* job.aborting)) yield* Effect.sleep(POLL)
    return Option.none<A>()
  })
  return Effect.raceFirst(Effect.map(work, Option.some), aborted)
}
