/**
 * The lock of everything that configures devices (docs/changes.md#locks-and-waiting and docs/changes.md#emergencies). A job
 * that finds it taken waits for its turn before it begins, and its record says for whom. The lock ends with its job
 * (`JobStates.ts`).
 */
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import {
  describeHolder,
  DEVICES_LOCK,
  finalStatuses,
  JobFailure,
  type LockHolder,
  type LockWait
} from "../../domain/Job.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobStore } from "../../store/JobStore.ts"
import { JobLockStore, JobWaitStore } from "../../store/JobScheduling.ts"

/** How often the job whose turn is next looks, and how often those behind it. */
const POLL_NEXT = "300 millis"
const POLL_BEHIND = "2 seconds"

const waitFor = (holder: LockHolder, since: number): LockWait => ({
  reason: "lock",
  lock: DEVICES_LOCK,
  job_id: holder.job_id,
  function_name: holder.function_name,
  since: holder.since,
  waits_since: DateTime.formatIso(DateTime.makeUnsafe(since)).slice(0, 19),
  message: `Waits for the lock ${DEVICES_LOCK}: ${describeHolder(holder)}`
})

const make = Effect.gen(function* () {
  const locks = yield* JobLockStore
  const jobs = yield* JobStore
  const waits = yield* JobWaitStore
  const { LOCK_WAIT } = yield* ServerConfig

  /** Null when the job has the lock, else why not yet. */
  const attempt = (id: number) =>
    locks.acquire(DEVICES_LOCK, id).pipe(
      Effect.as(null),
      Effect.catchTag("JobLockBusy", (busy) => Effect.succeed(busy))
    )

  const acquire = Effect.fn("DevicesLock.acquire")(function* (id: number) {
    let shown: LockHolder | null = null
    const since = yield* Clock.currentTimeMillis
    for (let busy = yield* attempt(id); busy !== null; busy = yield* attempt(id)) {
      const { holder } = busy
      if (shown?.job_id !== holder.job_id || shown.isWaiting !== holder.isWaiting) {
        yield* waits.waitFor(id, waitFor(holder, since))
        yield* Effect.logInfo("The job waits for a lock", { for: holder.job_id })
        shown = holder
      }
      if ((yield* Clock.currentTimeMillis) - since >= LOCK_WAIT * 1000) {
        return yield* new JobFailure({ type: "JoblockError", message: busy.message })
      }
      yield* Effect.sleep(busy.isNext ? POLL_NEXT : POLL_BEHIND)
      const status = yield* Effect.catchTag(jobs.status(id), "JobNotFound", Effect.die)
      if (status === "ABORTING" || finalStatuses.includes(status)) return
    }
  })

  return DevicesLock.of({ acquire })
})

/** Taking the lock in turn. */
export class DevicesLock extends Context.Service<
  DevicesLock,
  {
    /**
     * Waits until the job has the lock, or is to stop. Fails with JoblockError when it stays taken for LOCK_WAIT seconds.
     */
    readonly acquire: (id: number) => Effect.Effect<void, JobFailure | SqlError.SqlError>
  }
>()("switchyard/jobs/DevicesLock") {
  static readonly layer = Layer.effect(DevicesLock, make)
}
