/** How dense tables are: comfortable, or compact by choice. The choice is kept in the browser; styles read it from the root of the page. */
import { useSyncExternalStore } from "react"

export const densities = ["comfortable", "compact"] as const
export type Density = (typeof densities)[number]

const KEY = "density"

let current: Density = localStorage.getItem(KEY) === "compact" ? "compact" : "comfortable"
const listeners = new Set<() => void>()

const show = () => {
  document.documentElement.dataset["density"] = current
}
show()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const setDensity = (wanted: Density): void => {
  current = wanted
  localStorage.setItem(KEY, wanted)
  show()
  for (const listener of listeners) listener()
}

export const useDensity = (): Density => useSyncExternalStore(subscribe, () => current)
