/** A moment as people say it: `14 min ago`. Its title has the exact time; lists to the second show that at once. */
import { useSyncExternalStore } from "react"
import { exactTime, momentOf, relativeTime, stampTime } from "../../src/domain/words/Units.ts"
import { useZone } from "./zone.ts"

interface Props {
  /** As the API gives it: text in UTC with or without a zone, or epoch seconds; null for never. */
  readonly at: string | number | null | undefined
  readonly never?: string
  /** Shows date and time with seconds, as in an audit. */
  readonly exact?: boolean
}

const TICK = 5000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One clock for all times on the page. */
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of listeners) each()
  }, TICK)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export const When = ({ at, exact = false, never = "never" }: Props) => {
  const moment = momentOf(at)
  const zone = useZone()
  // drawn again only when the text changes
  const said = useSyncExternalStore(subscribe, () => {
    if (moment === undefined) return never
    return exact ? stampTime(moment, zone) : relativeTime(moment, new Date(), zone)
  })
  if (moment === undefined) return <span>{never}</span>
  return (
    <time dateTime={moment.toISOString()} title={exactTime(moment, zone)}>
      {said}
    </time>
  )
}
