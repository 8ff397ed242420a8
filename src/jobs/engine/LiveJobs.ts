/**
 * The jobs that this process works on. It writes a heartbeat into their rows every two seconds, so that a job without a process is
 * found. A job has attempts: only the newest may work on it, and an older one, such as that of a suspended process, is stopped as
 * soon as it notices. The claims of the change refuse anything that it would still send to a switch (promise 1).
 */
import { Deferred, Duration, Effect, Schedule } from "effect"
import { Sharding } from "effect/cluster"
import { type JobAttempt, JobScheduleStore } from "../../store/JobScheduling.ts"
import { JobEngine } from "./JobEngine.ts"
import { JobGate } from "./JobHandler.ts"
import { HEARTBEAT, LOOK_FOR_JOBS, SILENT_JOB } from "../../domain/TakeOver.ts"

interface LiveAttempt extends JobAttempt {
  readonly superseded: Deferred.Deferred<void>
  readonly ended: Deferred.Deferred<void>
}

/** The live jobs of this process; writes their heartbeats until the scope closes. */
export const makeLiveJobs = Effect.gen(function* () {
  const { attempts } = yield* JobScheduleStore
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

  /**
   * Does the task and writes heartbeats for the job meanwhile; does nothing if a newer attempt exists. A new attempt interrupts the
   * task.
   */
  const during = Effect.fnUntraced(function* <A, E, R>(attempt: JobAttempt, task: Effect.Effect<A, E, R>) {
    for (let before = running.get(attempt.jobId); before !== undefined; before = running.get(attempt.jobId)) {
      yield* Deferred.await(before.ended)
    }
    const alive = yield* attempts.stayAlive([attempt])
    if (alive.length > 0) yield* work(attempt, task)
  })

  return {
    during,
    has: (jobId: number) => running.has(jobId),
    /** For how many seconds this process has written its heartbeats without a failure. */
    steadySeconds: Effect.sync(() => (performance.now() - steadySince) / 1000)
  }
})

type LiveJobs = Effect.Success<typeof makeLiveJobs>

// Repairs after faults, at the start and every few seconds: a job that has not ended and on which no process works is started
// again, and the lock of a job that has ended is removed (promises 3 and 4). An accepted job continues after any failure of the
// database, the engine or a process. A job that waits for its windows is due when they open; if they or the groups of its devices
// change, it gets another time (docs/windows.md#jobs).

/** Sweeps until the scope closes. */
export const sweep = Effect.fnUntraced(function* (live: LiveJobs) {
  const { attempts, locks } = yield* JobScheduleStore
  const engine = yield* JobEngine
  const sharding = yield* Sharding.Sharding
  const gate = yield* JobGate

  const startAgain = Effect.fnUntraced(function* (left: JobAttempt) {
    if (live.has(left.jobId) || !(yield* engine.startAgain(left))) return
    yield* Effect.logWarning("No process worked on the job: it is started again", {
      job: left.jobId,
      attempt: left.attempt + 1
    })
  })

  const sweepJobs = Effect.gen(function* () {
    // a process that could not write for a while must not conclude from the silence of others that they have ended
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

  yield* Effect.all([sweepLocks, sweepJobs, gate.lookAgain], { discard: true }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("What was left behind could not be looked for", cause)),
    Effect.repeat(Schedule.spaced(Duration.seconds(LOOK_FOR_JOBS))),
    Effect.forkScoped
  )
})
