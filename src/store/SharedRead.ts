/**
 * Lets requests that ask the same question at the same time share one answer. A request never gets an answer that was begun
 * before it came: while one read runs, those who come wait for the next one, which begins when the first has ended. So every
 * reader sees all that was committed before it asked, and a thousand readers cost the database one query at a time.
 */
import { Deferred, Effect } from "effect"

interface Lane<A, E> {
  /** Those who came during the read that runs now. */
  next: Deferred.Deferred<A, E> | undefined
}

/** Shares reads between callers with the same key, whose `read` has to be the same question. Lanes exist only while somebody reads. */
export const makeSharedRead = <A, E>() => {
  const lanes = new Map<string, Lane<A, E>>()

  const run = (key: string, lane: Lane<A, E>, read: Effect.Effect<A, E>, waiting: Deferred.Deferred<A, E>) =>
    Effect.exit(read).pipe(
      Effect.flatMap((exit) => Deferred.done(waiting, exit)),
      Effect.andThen(Effect.suspend(() => proceed(key, lane, read)))
    )

  const proceed = (key: string, lane: Lane<A, E>, read: Effect.Effect<A, E>): Effect.Effect<void> => {
    const waiting = lane.next
    lane.next = undefined
    if (waiting !== undefined) return run(key, lane, read, waiting)
    lanes.delete(key)
    return Effect.void
  }

  return (key: string, read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const lane = lanes.get(key)
      if (lane !== undefined) {
        lane.next ??= Deferred.makeUnsafe<A, E>()
        return Deferred.await(lane.next)
      }
      const waiting = Deferred.makeUnsafe<A, E>()
      const fresh: Lane<A, E> = { next: undefined }
      lanes.set(key, fresh)
      // on its own fiber: the caller may hang up, those who wait must not lose their answer
      return Effect.andThen(Effect.forkDetach(run(key, fresh, read, waiting)), Deferred.await(waiting))
    })
}
