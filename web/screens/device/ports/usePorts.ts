/** The ports of a device: as stored, as read last, and what they can be given. */
import { useAsk } from "../../../api/useAsk.ts"
import type { Readings } from "./plate.ts"

/** Seconds after which a reading is replaced when the ports are opened. */
const FRESH = 60

/** Readings with the age that they have; shown at once from the last reading, and again as soon as the switch has answered. */
export const useReadings = (hostname: string) => {
  const last = useAsk("GET /device/:hostname/port_readings", { params: { hostname } }, { kinds: ["interface"] })
  const now = useAsk(
    "GET /device/:hostname/port_readings",
    { params: { hostname }, query: { max_age: FRESH } },
    { once: true }
  )
  const again = useAsk(
    "GET /device/:hostname/port_readings",
    { params: { hostname }, query: { max_age: 0 } },
    { once: true, enabled: false }
  )
  const answers = [again, now, last].flatMap(({ data, dataUpdatedAt }) =>
    data === undefined ? [] : [{ readings: data.answer.data, dataUpdatedAt }]
  )
  const newest = answers.toSorted((one, other) => other.dataUpdatedAt - one.dataUpdatedAt)[0]
  const readings: Readings | undefined = newest?.readings
  return {
    readings,
    error: again.error ?? now.error ?? last.error,
    isReading: now.isFetching || again.isFetching,
    /** Reads the switch now. */
    read: () => again.refetch()
  }
}

/** The VLANs of the device, in the order of the settings. */
export const useVlans = (hostname: string): ReadonlyArray<{ readonly id: number; readonly name: string }> =>
  useAsk("GET /device/:hostname/port_options", { params: { hostname } }, { kinds: ["repository"] }).data?.answer.data
    .vlans ?? []
