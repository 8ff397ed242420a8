/**
 * The token of the signed-on user, in the memory of this tab only: nothing is stored that a script could read later. The browser keeps a
 * cookie that no script reads, in exchange for which the server gives a new token (docs/sign-on.md#the-page). Listeners are notified of
 * every change.
 */

const listeners = new Set<() => void>()
let current: string | null = null

/** The token, or null if no user is signed on. */
export const token = (): string | null => current

const tell = () => {
  for (const listener of listeners) listener()
}

export const keep = (value: string): void => {
  current = value
  tell()
}

/** Forgets a token that the server refuses; a newer token stays. */
export const forget = (refused: string | null = current): void => {
  if (refused === null || current !== refused) return
  current = null
  tell()
}

/** Subscribes to changes. Returns a function that unsubscribes. */
export const onToken = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
