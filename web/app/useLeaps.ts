/** Single letters: `g` and a letter open a screen, `?` opens the sheet of keys, others act on what a screen shows. Not while the user types, and not if they turned them off. */
import { useRouter } from "@tanstack/react-router"
import { useEffect, useEffectEvent, useSyncExternalStore } from "react"
import { entries } from "./screens.ts"
import { useMay } from "./useSession.ts"

/** Milliseconds between the two keys, by when they were pressed: a busy page hears of them later. */
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

/** Nothing can be typed into a box that is ticked. */
const isBox = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && ["checkbox", "radio"].includes(target.type)

/** What letters do on the present screen. */
const acts = new Map<string, () => void>()

/** Lets a letter act while the part that calls this is shown, and `isOn`. */
export const useLetter = (letter: string, act: () => void, isOn = true): void => {
  const run = useEffectEvent(act)
  useEffect(() => {
    if (!isOn) return
    const own = () => run()
    acts.set(letter, own)
    return () => {
      if (acts.get(letter) === own) acts.delete(letter)
    }
  }, [isOn, letter])
}

/** Whether a single letter is meant for a field, or letters are turned off. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  !areOn ||
  (target instanceof HTMLElement &&
    (target.isContentEditable ||
      (["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) && !isBox(target)) ||
      target.closest("[role=dialog], [role=menu]") !== null))

/** Goes to the search of the screen, if it has one. */
const search = (event: KeyboardEvent): void => {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]")
  if (field === null) return
  event.preventDefault()
  field.focus()
  field.select()
}

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
        asked = event.timeStamp
        return
      }
      if (event.timeStamp - asked > PATIENCE) {
        if (event.key === "/" && !event.defaultPrevented) return search(event)
        const act = event.defaultPrevented ? undefined : acts.get(event.key)
        if (act === undefined) return
        event.preventDefault()
        return act()
      }
      asked = Number.NEGATIVE_INFINITY
      if (open(event.key)) event.preventDefault()
    }
    window.addEventListener("keydown", onKey)
    return () => window.removeEventListener("keydown", onKey)
  }, [])
}
