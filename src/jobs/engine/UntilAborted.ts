/** Work that ends at once when its job is aborted, because nothing that it leaves behind needs an orderly end. */
import { Effect, Option } from "effect"
import type { RunningJob } from "./JobHandler.ts"

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
