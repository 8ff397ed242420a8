/**
 * The emergency lane (DESIGN §7 row 24): a sync of named devices that goes beside the job which has the lock. It is refused
 * with the names of devices that another job has begun and not finished, and with options that would make the two jobs wait
 * for each other.
 */
import { Effect } from "effect"
import { BadRequest, Conflict } from "../../api/Failures.ts"
import type { StartArguments } from "../../domain/Job.ts"
import { LiveChangeStore } from "../../store/LiveChangeStore.ts"

/** The rule that the options break, as a sentence; null when they may be urgent. */
const problemOf = (args: StartArguments): string | null => {
  if (args["confirm_mode_override"] === 2) return "urgent cannot be combined with confirm_mode 2"
  if (args["revert_on_failure"] === true) return "urgent cannot be combined with revert_on_failure"
  return null
}

/** Refuses an urgent sync that cannot go beside the jobs which run. */
export const makeUrgentCheck = Effect.gen(function* () {
  const changes = yield* LiveChangeStore
  return Effect.fn("UrgentSync.check")(function* (args: StartArguments, hostnames: ReadonlyArray<string> | null) {
    if (hostnames === null) {
      return yield* new BadRequest({ message: "urgent needs named devices: hostname or hostnames" })
    }
    const problem = problemOf(args)
    if (problem !== null) return yield* new BadRequest({ message: problem })
    const busy = yield* changes.underWay(hostnames)
    if (busy.length === 0) return
    const named = busy.map(({ function_name, hostname, job_id }) => `${hostname} (job ${job_id}, ${function_name})`)
    return yield* new Conflict({ message: `Devices are being changed by other jobs: ${named.join(", ")}` })
  })
})
