/** The time zone of all times on the page: that of the browser, or UTC by choice. The choice is kept in the browser. */
import { useSyncExternalStore } from "react"
import type { Zone } from "../../src/domain/words/Units.ts"

const KEY = "zone"
const LOCAL: Zone = {}
const UTC: Zone = { timeZone: "UTC" }

let isUtc = localStorage.getItem(KEY) === "utc"
const listeners = new Set<() => void>()

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows all times in UTC, or in the browser's zone. */
export const showUtc = (wanted: boolean): void => {
  isUtc = wanted
  if (wanted) localStorage.setItem(KEY, "utc")
  else localStorage.removeItem(KEY)
  for (const listener of listeners) listener()
}

export const useZone = (): Zone => useSyncExternalStore(subscribe, () => (isUtc ? UTC : LOCAL))

/** `CET`, as a short name of the zone in which times are shown. */
export const zoneName = ({ timeZone }: Zone): string => {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZoneName: "short",
    ...(timeZone === undefined ? {} : { timeZone })
  }).formatToParts(new Date())
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "local time"
}
