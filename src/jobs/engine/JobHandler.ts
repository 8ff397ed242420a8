/**
 * What does the work of a job's function: one file below `src/jobs` per function. A handler may be run again from its start
 * after a crash, so it keeps what it has decided in the database (device rows, change rows, the job's memo) and never repeats
 * what is there. Arguments and memos are read and written here, by the schemas of the definition.
 */
import { Context, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { JobFailure } from "../../domain/Job.ts"
import type { AnyJob, ArgsOf, MemoOf } from "../../domain/jobs/JobDefinition.ts"
import { messageOf } from "../../runtime/SystemErrors.ts"
import { WorkingCommits } from "../../domain/Repository.ts"
import { JobStore } from "../../store/JobStore.ts"
import { JobCommitStore } from "../../store/JobResults.ts"

/** A running job, as every function sees it. */
export interface RunningJob {
  readonly id: number
  /** Who started it. */
  readonly user: string
  /** True once somebody has asked to abort: start nothing new, bring what is in flight to a known end. */
  readonly aborting: Effect.Effect<boolean>
}

/** What a job remembers for a run after a restart. */
export interface JobMemo<M> {
  /** What was written last; none when nothing was. */
  readonly read: Effect.Effect<Option.Option<M>, SqlError.SqlError>
  readonly write: (memo: M) => Effect.Effect<void, SqlError.SqlError>
}

/** A running job with what its own function knows of it. */
export interface JobRun<J extends AnyJob> extends RunningJob {
  readonly args: ArgsOf<J>
  readonly memo: JobMemo<MemoOf<J>>
}

/** How a job ended. A null `result` leaves what the device rows add up to; a follow-up job is linked by `JobEngine.follow`. */
export interface JobOutcome {
  readonly result: unknown
  readonly change_score: number | null
  /** Why the work came to nothing, where neither an exception nor a failed device says it. */
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
 * The end of a job's work. Fails with JobFailure for what makes the whole job end in EXCEPTION; failures of single devices
 * are part of a successful outcome. Retryable database errors are retried by the runner.
 */
export type JobEnd = Effect.Effect<JobOutcome | AlreadyEnded, JobFailure | SqlError.SqlError>

/** Does the work of a job. */
export type JobHandler<J extends AnyJob> = (job: JobRun<J>) => JobEnd

/** A function that this server can run. */
export interface JobFunction {
  readonly definition: AnyJob
  /** Does the work of a job that was started with these arguments. */
  readonly run: (job: RunningJob, start_arguments: unknown) => JobEnd
}

/** The functions that this server can run, by their names. */
export class JobFunctions extends Context.Service<JobFunctions, ReadonlyMap<string, JobFunction>>()(
  "switchyard/jobs/JobFunctions"
) {}

/**
 * The memo of any job of this function. One that its schema does not read is a defect: a job that might have begun must not
 * begin anew.
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

/** Joins a definition with what does its work; an entry of the list in `JobFunctions.ts`. */
export const handle = <J extends AnyJob, R>(definition: J, make: Effect.Effect<JobHandler<J>, never, R>) => {
  const decode = Schema.decodeUnknownEffect(definition.Args)
  const handled = Effect.gen(function* () {
    const jobs = yield* JobStore
    const commits = yield* JobCommitStore
    const handler = yield* make

    const decoded = Effect.fnUntraced(function* (job: RunningJob, start_arguments: unknown) {
      const args = yield* Effect.mapError(
        decode(start_arguments),
        (error) => new JobFailure({ type: "ValueError", message: error.message })
      )
      return yield* handler({ ...job, args, memo: memoOf(jobs, definition, job.id) })
    })
    const run: JobFunction["run"] = (job, start_arguments) =>
      definition.pinsCommits
        ? Effect.flatMap(commits.pin(job.id), (pinned) =>
            Effect.provideService(decoded(job, start_arguments), WorkingCommits, pinned)
          )
        : decoded(job, start_arguments)
    return { definition, run } satisfies JobFunction
  })
  return { definition, make: handled }
}

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
