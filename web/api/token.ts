/** The token of whoever is signed on, shared by the tabs of a browser; those who ask hear of every change. */

const KEY = "switchyard.token"
/** There while the token came from the site's provider, whose session may give another. */
const RENEWABLE = "switchyard.renewable"
const listeners = new Set<() => void>()

/** The token, or null for nobody. */
export const token = (): string | null => localStorage.getItem(KEY)

const tell = () => {
  for (const listener of listeners) listener()
}

export const keep = (value: string): void => {
  localStorage.removeItem(RENEWABLE)
  localStorage.setItem(KEY, value)
  tell()
}

/** Keeps a token of the site's provider. */
export const keepRenewable = (value: string): void => {
  localStorage.setItem(RENEWABLE, "yes")
  localStorage.setItem(KEY, value)
  tell()
}

/** Whether the token came from the site's provider. */
export const isRenewable = (): boolean => localStorage.getItem(RENEWABLE) !== null

/** Forgets a token that the server refuses; one that was put in its place meanwhile stays. */
export const forget = (refused: string | null = token()): void => {
  if (refused === null || token() !== refused) return
  localStorage.removeItem(KEY)
  localStorage.removeItem(RENEWABLE)
  tell()
}

/** Hears of changes, also of those in other tabs. Yields how to stop. */
export const onToken = (listener: () => void): (() => void) => {
  const heard = (event: StorageEvent) => {
    if (event.key === KEY || event.key === null) listener()
  }
  listeners.add(listener)
  window.addEventListener("storage", heard)
  return () => {
    listeners.delete(listener)
    window.removeEventListener("storage", heard)
  }
}
