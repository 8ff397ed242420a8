/**
 * The lock of everything that configures devices (contract engine.md §3, DESIGN §7 row 24). A job that finds it taken waits
 * for its turn before it begins, and its record says for whom. The lock ends with its job (`JobStates.ts`).
 */
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { finalStatuses, functionOf, JobFailure, type StartArguments } from "../../domain/Job.ts"
import { DEVICES_LOCK, describeHolder, type LockHolder } from "../../domain/JobLock.ts"
import type { LockWait } from "../../domain/JobWaiting.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { JobLockStore } from "../../store/JobLockStore.ts"
import { type JobHead, JobStore } from "../../store/JobStore.ts"

const POLL = "300 millis"

/** Functions that work under the lock, and with which arguments. An urgent sync is kept apart by the devices' actors alone. */
const LOCKED: Readonly<Record<string, (args: StartArguments) => boolean>> = {
  sync_devices: ({ dry_run, urgent }) => dry_run === false && urgent !== true,
  revert_job: ({ dry_run }) => dry_run !== true
}

/** Whether the job works under the lock. One that has a follow-up has handed it over already. */
const needsLock = ({ function_name, next_job_id, start_arguments }: JobHead): boolean =>
  next_job_id === null && LOCKED[functionOf(function_name)]?.(start_arguments ?? {}) === true

const waitFor = (holder: LockHolder): LockWait => ({
  reason: "lock",
  lock: DEVICES_LOCK,
  job_id: holder.job_id,
  function_name: holder.function_name,
  since: holder.since,
  message: `Waits for the lock ${DEVICES_LOCK}: ${describeHolder(holder)}`
})

/** Taking the lock in turn. */
export const make = Effect.gen(function* () {
  const locks = yield* JobLockStore
  const jobs = yield* JobStore
  const { LOCK_WAIT } = yield* ServerConfig

  /**
   * Waits until the job has the lock, if it needs it, or is to stop. Fails with JoblockError when it stays taken for
   * LOCK_WAIT seconds.
   */
  const inTurn = Effect.fn("DevicesLock.inTurn")(function* (
    id: number
  ): Effect.fn.Return<void, JobFailure | SqlError.SqlError> {
    const job = yield* Effect.catchTag(jobs.head(id), "JobNotFound", Effect.die)
    if (!needsLock(job) || finalStatuses.includes(job.status)) return
    let shown: LockHolder | null = null
    const since = yield* Clock.currentTimeMillis
    while (true) {
      const busy = yield* Effect.match(locks.acquire(DEVICES_LOCK, id), {
        onSuccess: () => null,
        onFailure: (error) => error
      })
      if (busy === null) return
      if (busy._tag === "SqlError") return yield* busy
      const { holder } = busy
      if (shown?.job_id !== holder.job_id || shown.isWaiting !== holder.isWaiting) {
        yield* jobs.waitFor(id, waitFor(holder))
        yield* Effect.logInfo("The job waits for a lock", { for: holder.job_id })
        shown = holder
      }
      if ((yield* Clock.currentTimeMillis) - since >= LOCK_WAIT * 1000) {
        return yield* new JobFailure({ type: "JoblockError", message: busy.message })
      }
      yield* Effect.sleep(POLL)
      const status = yield* Effect.catchTag(jobs.status(id), "JobNotFound", Effect.die)
      if (status === "ABORTING" || finalStatuses.includes(status)) return
    }
  })
  return { inTurn }
})
