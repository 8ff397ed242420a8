/**
 * Finds what a fault has left behind, at the start and every few seconds: a job that has not ended and that nobody works on
 * is started again, and the lock of a job that has ended is removed (promises 3 and 4). Whatever the database, the engine or
 * a process did: what was accepted goes on. A job that waits for its windows is due when they open as they were; when they or the
 * groups of its devices have changed, it gets another time (docs/windows.md#jobs).
 */
import { Duration, Effect, Layer, Schedule } from "effect"
import { Sharding } from "effect/cluster"
import { functionOf } from "../../domain/Job.ts"
import { LOOK_FOR_JOBS, SILENT_JOB } from "../../domain/TakeOver.ts"
import {
  type JobAttempt,
  JobAttemptStore,
  JobLockStore,
  JobWaitStore,
  type PutOffJob
} from "../../store/JobScheduling.ts"
import { JobApproval } from "./JobApproval.ts"
import { JobEngine } from "./JobEngine.ts"
import { JobFunctions } from "./JobHandler.ts"
import { JobWindows } from "./JobWindows.ts"
import { LiveJobs } from "./LiveJobs.ts"

const make = Effect.gen(function* () {
  const attempts = yield* JobAttemptStore
  const locks = yield* JobLockStore
  const live = yield* LiveJobs
  const engine = yield* JobEngine
  const sharding = yield* Sharding.Sharding
  const functions = yield* JobFunctions
  const waits = yield* JobWaitStore
  const windows = yield* JobWindows
  const approvals = yield* JobApproval

  const startAgain = Effect.fnUntraced(function* (left: JobAttempt) {
    if (live.has(left.jobId) || !(yield* engine.startAgain(left))) return
    yield* Effect.logWarning("Nobody worked on the job: it is started again", {
      job: left.jobId,
      attempt: left.attempt + 1
    })
  })

  const sweepJobs = Effect.gen(function* () {
    // who could not write for a while must not take the others' silence for their end
    if ((yield* live.steadySeconds) < SILENT_JOB) return
    const left = yield* attempts.silent(SILENT_JOB)
    yield* Effect.forEach(left, startAgain, { discard: true })
    if (left.length > 0) yield* sharding.pollStorage
  })

  const sweepLocks = Effect.flatMap(locks.releaseEnded, (released) =>
    released.length === 0
      ? Effect.void
      : Effect.logWarning("Locks of jobs that have ended were removed", { jobs: released.join(", ") })
  )

  /** Null for a function that this server does not have: a newer one may. */
  const timeOf = (job: PutOffJob) => {
    const definition = functions.get(functionOf(job.function_name))?.definition
    return definition === undefined ? Effect.succeed(null) : windows.lookAgain(definition, job)
  }

  const sweepWindows = Effect.gen(function* () {
    const putOff = yield* waits.putOff
    if (putOff.length === 0) return
    // one that was approved has to say from now on that it waits for its windows
    const saysNothing = putOff.some(({ awaits_approval, message }) => message === null && !awaits_approval)
    if (!(yield* windows.hasChanged) && !saysNothing) return
    for (const job of putOff) {
      const time = yield* timeOf(job)
      if (time === null || !(yield* engine.startAt(job, time))) continue
      yield* Effect.logInfo("The windows of a job that waits for them have changed", {
        job: job.id,
        now: time.waiting?.message ?? "It may begin"
      })
    }
    yield* sharding.pollStorage
  })

  yield* Effect.all([sweepLocks, sweepJobs, approvals.lookAgain, sweepWindows], { discard: true }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("What was left behind could not be looked for", cause)),
    Effect.repeat(Schedule.spaced(Duration.seconds(LOOK_FOR_JOBS))),
    Effect.forkScoped
  )
})

/** Looks for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
