/**
 * The jobs that this process works on. While it does, it says so in their rows every two seconds, so that a job which nobody
 * works on is found (`JobSweep.ts`). A job has attempts: only the newest may work on it, and an older one, such as that of a
 * process which was paused, is stopped as soon as it hears of it. What it may still send to a switch is refused by the
 * claims of the change (promise 1).
 */
import { Context, Deferred, Duration, Effect, Layer, Schedule } from "effect"
import type { SqlError } from "effect/sql"
import { HEARTBEAT } from "../../domain/TakeOver.ts"
import { type JobAttempt, JobAttemptStore } from "../../store/JobScheduling.ts"

interface LiveAttempt extends JobAttempt {
  readonly superseded: Deferred.Deferred<void>
  readonly ended: Deferred.Deferred<void>
}

const make = Effect.gen(function* () {
  const attempts = yield* JobAttemptStore
  const running = new Map<number, LiveAttempt>()
  let steadySince = performance.now()

  const beat = Effect.gen(function* () {
    const worked = [...running.values()]
    const alive = new Set(worked.length === 0 ? [] : yield* attempts.stayAlive(worked))
    for (const { jobId, superseded } of worked) {
      if (alive.has(jobId)) continue
      yield* Effect.logWarning("Another attempt works on the job: this one is stopped", { job: jobId })
      yield* Deferred.succeed(superseded, undefined)
    }
  })

  yield* beat.pipe(
    Effect.catchCause((cause) => {
      steadySince = performance.now()
      return Effect.logWarning("It could not be written which jobs are worked on", cause)
    }),
    Effect.repeat(Schedule.spaced(Duration.seconds(HEARTBEAT))),
    Effect.forkScoped
  )

  const work = <A, E, R>({ attempt, jobId }: JobAttempt, task: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const one: LiveAttempt = { attempt, jobId, superseded: Deferred.makeUnsafe(), ended: Deferred.makeUnsafe() }
      running.set(jobId, one)
      return Effect.raceFirst(task, Deferred.await(one.superseded)).pipe(
        Effect.ensuring(
          Effect.suspend(() => {
            running.delete(jobId)
            return Deferred.succeed(one.ended, undefined)
          })
        )
      )
    })

  const during = Effect.fnUntraced(function* <A, E, R>(attempt: JobAttempt, task: Effect.Effect<A, E, R>) {
    for (let before = running.get(attempt.jobId); before !== undefined; before = running.get(attempt.jobId)) {
      yield* Deferred.await(before.ended)
    }
    const alive = yield* attempts.stayAlive([attempt])
    if (alive.length > 0) yield* work(attempt, task)
  })

  return LiveJobs.of({
    during,
    has: (jobId) => running.has(jobId),
    steadySeconds: Effect.sync(() => (performance.now() - steadySince) / 1000)
  })
})

/** What this process works on. */
export class LiveJobs extends Context.Service<
  LiveJobs,
  {
    /**
     * Does the task and says meanwhile that the job is worked on; does nothing when a newer attempt exists. The task is
     * interrupted when one comes up.
     */
    readonly during: <A, E, R>(
      attempt: JobAttempt,
      task: Effect.Effect<A, E, R>
    ) => Effect.Effect<void, E | SqlError.SqlError, R>
    readonly has: (jobId: number) => boolean
    /** Seconds since which this process could write without a break which jobs it works on. */
    readonly steadySeconds: Effect.Effect<number>
  }
>()("switchyard/jobs/LiveJobs") {
  static readonly layer = Layer.effect(LiveJobs, make)
}
