/** Turns by key: effects of one key run one after the other, those of different keys beside each other. */
import { Effect, Semaphore } from "effect"

/** Runs effects of one key one after the other; keeps nothing for keys that nobody uses. */
export const makeTurns = () => {
  const turns = new Map<string, { readonly turn: Semaphore.Semaphore; users: number }>()
  return <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const entry = turns.get(key) ?? { turn: Semaphore.makeUnsafe(1), users: 0 }
        entry.users += 1
        turns.set(key, entry)
        return entry
      }),
      ({ turn }) => turn.withPermits(1)(effect),
      (entry) =>
        Effect.sync(() => {
          entry.users -= 1
          if (entry.users === 0) turns.delete(key)
        })
    )
}
