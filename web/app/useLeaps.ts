/** Single letters: `g` and a letter open a screen, `?` opens the sheet of keys. Not while the user types, and not if they turned them off. */
import { useRouter } from "@tanstack/react-router"
import { useEffect, useEffectEvent, useSyncExternalStore } from "react"
import { entries } from "./screens.ts"
import { useMay } from "./useSession.ts"

/** Milliseconds between the two keys. */
const PATIENCE = 1500
const KEY = "letters"

const listeners = new Set<() => void>()
let areOn = localStorage.getItem(KEY) !== "off"

/** Turns single letters on or off, for this browser. */
export const turnLetters = (wanted: boolean): void => {
  areOn = wanted
  if (wanted) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, "off")
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useLetters = (): boolean => useSyncExternalStore(subscribe, () => areOn)

/** Whether a single letter is meant for a field, or letters are turned off. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  !areOn ||
  (target instanceof HTMLElement &&
    (target.isContentEditable ||
      ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) ||
      target.closest("[role=dialog], [role=menu]") !== null))

export const useLeaps = (askKeys: () => void): void => {
  const router = useRouter()
  const may = useMay()
  const open = useEffectEvent((letter: string): boolean => {
    const found = entries.find(
      ({ entry, reads }) => entry.leaps.includes(letter) && (reads === undefined || may("GET", reads))
    )
    if (found !== undefined) router.history.push(`/ui${found.path}`)
    return found !== undefined
  })
  const sheet = useEffectEvent(askKeys)
  useEffect(() => {
    // not 0: the page begins at that moment, so that a `j` right after it would open a screen
    let asked = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      if (event.key === "?") return sheet()
      if (event.key === "g") {
        asked = performance.now()
        return
      }
      if (performance.now() - asked > PATIENCE) return
      asked = Number.NEGATIVE_INFINITY
      if (open(event.key)) event.preventDefault()
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [])
}
