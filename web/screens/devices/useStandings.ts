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
const useNames = (filter: string): ReadonlySet<string> => {
  const { data } = useAsk("GET /devices", { query: { [filter]: true, per_page: MOST } }, { kinds: KINDS, keep: true })
  const devices = data?.answer.data.devices
  return useMemo(() => new Set(devices?.map(({ hostname }) => hostname)), [devices])
}

export const useStandings = (): Standings => {
  const may = useMay()
  const { data } = useAsk(
    "GET /device_synchistory",
    {},
    { kinds: ["sync", "device"], enabled: may("GET", "/device_synchistory") }
  )
  const known = data?.answer.data.hostnames
  const silent = useNames("filter[unreachable]")
  const changing = useNames("filter[in_change]")
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
