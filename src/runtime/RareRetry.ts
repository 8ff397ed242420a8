/**
 * Trying again for work that is done for each of hundreds of devices at once and hardly ever fails. A schedule is made of some
 * twenty closures, which every one of them would carry along for its whole life; here it is made when the first try has
 * failed.
 */
import { Effect } from "effect"

/** The work as `retry` repeats it; `retry` is only asked when the first try has failed, and sees that failure first. */
export const rareRetry = <A, E, E2, R>(
  work: Effect.Effect<A, E, R>,
  retry: (work: Effect.Effect<A, E, R>) => Effect.Effect<A, E2, R>
): Effect.Effect<A, E2, R> =>
  Effect.catch(work, (error) => {
    let isFirst = true
    return retry(
      Effect.suspend(() => {
        if (!isFirst) return work
        isFirst = false
        return Effect.fail(error)
      })
    )
  })
