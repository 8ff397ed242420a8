/**
 * The token of whoever is signed on, in the memory of this tab alone: nothing that a script could read later is stored. The browser keeps a
 * cookie that no script reads, for which the server gives another token (docs/sign-on.md#the-page). Those who ask hear of every change.
 */

const listeners = new Set<() => void>()
let current: string | null = null

/** The token, or null for nobody. */
export const token = (): string | null => current

const tell = () => {
  for (const listener of listeners) listener()
}

export const keep = (value: string): void => {
  current = value
  tell()
}

/** Forgets a token that the server refuses; one that was put in its place meanwhile stays. */
export const forget = (refused: string | null = current): void => {
  if (refused === null || current !== refused) return
  current = null
  tell()
}

/** Hears of changes. Yields how to stop. */
export const onToken = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
