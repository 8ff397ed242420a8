/**
 * Waiting by the wall clock. The lab's switches live in real time (their clients are on the other end of a socket), so a
 * test clock must not stop them.
 */
import { Effect } from "effect"

/** Waits so many milliseconds of real time. */
export const pause = (milliseconds: number): Effect.Effect<void> =>
  milliseconds <= 0
    ? Effect.void
    : Effect.callback<void>((resume) => {
        const timer = setTimeout(() => resume(Effect.void), milliseconds)
        return Effect.sync(() => clearTimeout(timer))
      })
