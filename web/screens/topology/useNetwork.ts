/** All devices and the links between them. */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { ask } from "../../api/call.ts"
import type { Data } from "../../../src/api/CallTypes.ts"
import { useAsk } from "../../api/useAsk.ts"

export type NetworkDevice = Data<"GET /devices">["devices"][number]

const PAGE = 1000

const everyDevice = async (): Promise<ReadonlyArray<NetworkDevice>> => {
  const found: Array<NetworkDevice> = []
  for (let page = 1; ; page++) {
    const { answer } = await ask("GET /devices", { query: { page, per_page: PAGE, sort: "id" } })
    for (const device of answer.data.devices) found.push(device)
    if (answer.data.devices.length < PAGE) return found
  }
}

const NONE: ReadonlyArray<never> = []

export const useNetwork = () => {
  const all = useQuery({ queryKey: ["every device"], queryFn: everyDevice, meta: { kinds: ["device"] } })
  const links = useAsk("GET /linknets", {}, { kinds: ["linknet"] })
  const devices = all.data ?? NONE
  const linknets = links.data?.answer.data.linknets ?? NONE
  const cables = useMemo(
    () => linknets.map(({ device_a_id, device_b_id }) => ({ a: device_a_id, b: device_b_id })),
    [linknets]
  )
  const names = useMemo(() => {
    const nameOf = new Map(devices.map(({ hostname, id }) => [id, hostname]))
    const ends = linknets.flatMap((link) => [
      { at: link.device_a_id, text: `${nameOf.get(link.device_b_id) ?? "?"} (${link.device_a_port})` },
      { at: link.device_b_id, text: `${nameOf.get(link.device_a_id) ?? "?"} (${link.device_b_port})` }
    ])
    return new Map([...Map.groupBy(ends, ({ at }) => at)].map(([id, found]) => [id, found.map(({ text }) => text)]))
  }, [devices, linknets])
  return {
    devices,
    cables,
    names,
    isKnown: all.data !== undefined && links.data !== undefined,
    error: all.error ?? links.error
  }
}
