/** The record of a device that its tabs show, and whether the switch answers. */
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"

export type DeviceRecord = Data<"GET /device/:id">["devices"][number]
export interface TabProps {
  readonly device: DeviceRecord
}

/** Whether the switch answers; undefined while this is not known. */
export const useAnswers = (hostname: string): boolean | undefined => {
  const query = { "filter[hostname]": hostname, "filter[unreachable]": true, per_page: 1 }
  const { data } = useAsk("GET /devices", { query }, { kinds: ["reachability", "device"] })
  return data === undefined ? undefined : data.answer.data.devices.length === 0
}
