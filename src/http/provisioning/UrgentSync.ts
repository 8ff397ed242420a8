/**
 * The emergency lane (docs/changes.md#emergencies): a sync of named devices that goes beside the job which has the lock. It is
 * refused with the names of devices that another job has begun and not finished.
 */
import { Effect } from "effect"
import { Conflict } from "../../api/Answers.ts"
import { LiveChangeStore } from "../../store/LiveChangeStore.ts"

/** Refuses an urgent sync of devices that other jobs are changing. */
export const makeUrgentCheck = Effect.gen(function* () {
  const changes = yield* LiveChangeStore
  return Effect.fn("UrgentSync.check")(function* (hostnames: ReadonlyArray<string>) {
    const busy = yield* changes.underWay(hostnames)
    if (busy.length === 0) return
    const named = busy.map(({ function_name, hostname, job_id }) => `${hostname} (job ${job_id}, ${function_name})`)
    return yield* new Conflict({ message: `Devices are being changed by other jobs: ${named.join(", ")}` })
  })
})
