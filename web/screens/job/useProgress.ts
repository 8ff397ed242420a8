/** The progress of a job: read once, moved by events at once, and read again while events arrive and after they pause. */
import { useQueryClient } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { momentOf } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useEvents } from "../../app/Live.tsx"

type Progress = Data<"GET /job/:id/progress">

/** Milliseconds without an event of the job after which it is read again, and the longest time while they do not pause. */
const PAUSE = 700
const LONGEST = 3000
/** Milliseconds between two readings while the job runs: a switch that does not answer causes no event. */
const EVERY = 10_000
/** Above so many devices an answer is large, so it is read less often. */
const MANY = 1000

const NAME = "GET /job/:id/progress"

const none: Omit<Progress, "devices"> = {
  unpausable: null,
  failures: [],
  totals: { devices: 0, done: 0, failed: 0, working: 0, waiting: 0, not_begun: 0 },
  seconds_left: null,
  undoable: 0,
  undone_by: []
}

interface Reading {
  timer: ReturnType<typeof setTimeout> | undefined
  latest: number
}

export const useProgress = (id: string, isRunning: boolean) => {
  const client = useQueryClient()
  const [moved, setMoved] = useState<ReadonlyMap<string, string>>(new Map())
  const [reading] = useState<Reading>({ timer: undefined, latest: 0 })
  const [every, setEvery] = useState(EVERY)
  const { data, dataUpdatedAt } = useAsk(NAME, { params: { id } }, isRunning ? { every } : {})
  const readAgain = () => {
    reading.timer = undefined
    void client.invalidateQueries({ queryKey: [NAME] }).then(() => setMoved(new Map()))
  }
  useEvents(({ action, hostname, job_id, kind }) => {
    if (String(job_id) !== id || (kind !== "change" && kind !== "job")) return
    if (kind === "change" && hostname !== null) setMoved((before) => new Map(before).set(hostname, action))
    const now = performance.now()
    if (reading.timer === undefined) reading.latest = now + LONGEST
    clearTimeout(reading.timer)
    reading.timer = setTimeout(readAgain, Math.max(0, Math.min(PAUSE, reading.latest - now)))
  })
  const known = data?.answer.data
  const wanted = (known?.devices.length ?? 0) > MANY ? 3 * EVERY : EVERY
  if (every !== wanted) setEvery(wanted)
  return useMemo(() => {
    const devices = (known?.devices ?? []).map((device) => ({
      ...device,
      phase: moved.get(device.hostname) ?? device.phase
    }))
    const silent = devices.filter(({ silent_since }) => silent_since !== null)
    const armed = devices.filter(
      ({ silent_since, timer_until }) =>
        silent_since === null && (momentOf(timer_until)?.getTime() ?? 0) > dataUpdatedAt
    )
    const timer = armed
      .flatMap(({ timer_until }) => timer_until ?? [])
      .toSorted()
      .at(-1)
    return { ...none, ...known, isKnown: known !== undefined, devices, silent, armed, timer }
  }, [dataUpdatedAt, known, moved])
}

export type ShownProgress = ReturnType<typeof useProgress>
/** A device as shown. */
export type ShownDevice = ShownProgress["devices"][number]
