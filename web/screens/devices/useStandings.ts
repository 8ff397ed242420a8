/** What the list of devices does not say of itself: why a device is out of sync, and whether it answers, changes, or was changed by hand. */
import { useMemo } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"

export interface Standings {
  /** The newest cause why it is out of sync. */
  readonly cause: (hostname: string) => string | undefined
  readonly hasDrifted: (hostname: string) => boolean
  readonly isSilent: (hostname: string) => boolean
  readonly isChanging: (hostname: string) => boolean
}

const MOST = 1000
const KINDS = ["device", "reachability", "change", "job"]

/** The names of the devices that match a filter of the list. */
const useNames = (filter: string, enabled: boolean): ReadonlySet<string> => {
  const query = { [filter]: true, per_page: MOST }
  const { data } = useAsk("GET /devices", { query }, { kinds: KINDS, keep: true, enabled })
  const devices = data?.answer.data.devices
  return useMemo(() => new Set(devices?.map(({ hostname }) => hostname)), [devices])
}

/** They are asked for when the first rows are here, which must not wait for them. */
export const useStandings = (isReady: boolean): Standings => {
  const may = useMay()
  const { data } = useAsk(
    "GET /device_synchistory",
    {},
    { kinds: ["sync", "device"], enabled: isReady && may("GET", "/device_synchistory") }
  )
  const known = data?.answer.data.hostnames
  const silent = useNames("filter[unreachable]", isReady)
  const changing = useNames("filter[in_change]", isReady)
  return useMemo(
    () => ({
      cause: (hostname) => known?.[hostname]?.at(-1)?.cause,
      hasDrifted: (hostname) => known?.[hostname]?.some(({ cause }) => cause === "drift") ?? false,
      isSilent: (hostname) => silent.has(hostname),
      isChanging: (hostname) => changing.has(hostname)
    }),
    [changing, known, silent]
  )
}
