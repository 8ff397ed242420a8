/** The lock of everything that configures devices, as jobs take it (contract engine.md §3). */
import { Cause, Effect, Exit, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import { JobFailure } from "../domain/Job.ts"
import { DEVICES_LOCK } from "../domain/JobLock.ts"
import { JobLockStore } from "../store/JobLockStore.ts"

/** Five attempts to get the lock, two seconds apart. */
const LOCK_ATTEMPTS = Schedule.spaced("2 seconds").pipe(Schedule.upTo({ times: 4 }))

const interrupted = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)

/** Ways to hold the lock. */
export const make = Effect.map(Effect.service(JobLockStore), (locks) => {
  const take = (jobId: number) =>
    locks.acquire(DEVICES_LOCK, jobId).pipe(
      Effect.retry({ while: (error) => error._tag === "JobLockBusy", schedule: LOCK_ATTEMPTS }),
      Effect.mapError((error) =>
        error._tag === "JobLockBusy" ? new JobFailure({ type: "JoblockError", message: error.message }) : error
      )
    )
  /**
   * Releases what the job holds when the work ends. An interrupted job keeps its lock: it goes on after the restart, and
   * nobody may come between.
   */
  const releasing =
    (jobId: number) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.onExit(work, (exit) =>
        interrupted(exit)
          ? Effect.void
          : locks.release(jobId).pipe(
              Effect.tapError((error) => Effect.logWarning("The lock could not be released", { error: error.message })),
              Effect.ignore
            )
      )
  /** Takes the lock, does the work and releases it. Fails with JoblockError when it stays taken. */
  const withLock =
    (jobId: number) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | JobFailure | SqlError.SqlError, R> =>
      Effect.andThen(take(jobId), releasing(jobId)(work))
  return { withLock, releasing }
})
