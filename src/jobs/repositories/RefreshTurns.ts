/**
 * Refreshes of one repository go one after another. Those that wait share the next one: it begins after each of them has
 * asked, so it sees all that was pushed before, and a remote that hangs is waited for twice at most, however many ask.
 */
import { Cause, Effect, Exit, Semaphore } from "effect"

interface Run<A, E> {
  readonly number: number
  readonly what: string
  readonly exit: Exit.Exit<A, E>
}

/** Takes turns: does the work, or yields what a run of the same work (`what`) came to that began after the call. */
export const make = <A, E>() => {
  const one = Semaphore.makeUnsafe(1)
  let begun = 0
  let last: Run<A, E> | undefined
  return (work: Effect.Effect<A, E>, what = ""): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const asked = begun
      const turn = Effect.suspend((): Effect.Effect<A, E> => {
        if (last !== undefined && last.number > asked && last.what === what) return last.exit
        begun += 1
        const number = begun
        return Effect.onExit(work, (exit) =>
          Effect.sync(() => {
            // who was interrupted was alone meant: the next in the row does the work
            if (Exit.isSuccess(exit) || !Cause.hasInterrupts(exit.cause)) last = { number, what, exit }
          })
        )
      })
      return one.withPermits(1)(turn)
    })
}
