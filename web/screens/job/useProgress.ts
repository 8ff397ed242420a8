/** The progress of the devices of a job: read once, updated by events at once, and read again when the events pause. */
import { useQueryClient } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useEvents } from "../../app/Live.tsx"

export type DeviceProgress = Data<"GET /job/:id/progress">["devices"][number]

/** Milliseconds without an event of the job after which its devices are read again. */
const PAUSE = 700

const NAME = "GET /job/:id/progress"

export const useProgress = (id: string) => {
  const client = useQueryClient()
  const [moved, setMoved] = useState<ReadonlyMap<string, string>>(new Map())
  const [reading] = useState<{ timer: ReturnType<typeof setTimeout> | undefined }>({ timer: undefined })
  const { data } = useAsk(NAME, { params: { id } })
  useEvents(({ action, hostname, job_id, kind }) => {
    if (String(job_id) !== id || (kind !== "change" && kind !== "job")) return
    if (kind === "change" && hostname !== null) setMoved((before) => new Map(before).set(hostname, action))
    clearTimeout(reading.timer)
    reading.timer = setTimeout(() => {
      void client.invalidateQueries({ queryKey: [NAME] }).then(() => setMoved(new Map()))
    }, PAUSE)
  })
  const known = data?.answer.data.devices
  const unpausable = data?.answer.data.unpausable ?? null
  return useMemo(() => {
    const devices = (known ?? []).map((device) => ({ ...device, phase: moved.get(device.hostname) ?? device.phase }))
    const timer = devices
      .flatMap(({ timer_until }) => timer_until ?? [])
      .toSorted()
      .at(-1)
    return { devices, timer, unpausable }
  }, [known, moved, unpausable])
}

/** A device as shown. */
export type ShownDevice = ReturnType<typeof useProgress>["devices"][number]
