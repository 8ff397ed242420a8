/** How a device differs from what it should run, by what the server has stored: nothing is read from the switch. */
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"

interface Found {
  /** The job that the difference is told of; undefined while this is not known, null if there is none. */
  readonly job: number | null | undefined
  readonly diff: string | undefined
}

/** Whether its last comparison found changes by hand. */
export const useDrifted = (hostname: string): boolean => {
  const { data } = useAsk(
    "GET /devices",
    { query: { "filter[hostname]": hostname, "filter[drifted]": true, per_page: 1 } },
    { kinds: ["drift", "sync", "device"] }
  )
  return (data?.answer.data.devices.length ?? 0) > 0
}

/** Why it is out of sync, the newest reason last; none for callers who may not read the history. */
export const useCauses = (hostname: string) => {
  const may = useMay()
  const { data } = useAsk(
    "GET /device_synchistory",
    { query: { hostname } },
    { kinds: ["sync", "device"], enabled: may("GET", "/device_synchistory") }
  )
  return data?.answer.data.hostnames[hostname] ?? []
}

/** What the settings want otherwise now than its newest job gave it. */
export const useWanted = (hostname: string, isWanted = true): Found => {
  const may = useMay()
  const isRead = isWanted && may("GET", `/device/${hostname}/config_diff`)
  const configs = useAsk("GET /device/:hostname/configs", { params: { hostname } }, { kinds: ["job"], enabled: isRead })
  const entries = configs.data?.answer.data.configs
  const job = entries?.find(({ failed, has_config }) => has_config && !failed)?.job_id
  const { data } = useAsk(
    "GET /device/:hostname/config_diff",
    { params: { hostname }, query: { from: job ?? 0, to: "generated" } },
    { kinds: ["sync", "repository", "interface"], enabled: isRead && job !== undefined }
  )
  return { job: entries === undefined ? undefined : (job ?? null), diff: data?.answer.data.diff }
}

/** What was changed by hand, as the job that found it has stored it: lines with + are on the switch. */
export const useHandMade = (hostname: string, isWanted = true): Found => {
  const may = useMay()
  const job = useCauses(hostname).findLast(({ cause }) => cause === "drift")?.job_id
  const known = typeof job === "number" ? job : undefined
  const { data } = useAsk(
    "GET /job/:id/diffs",
    { params: { id: known ?? 0 } },
    { enabled: isWanted && known !== undefined && may("GET", `/job/${known}/diffs`) }
  )
  const group = data?.answer.data.groups.find(({ hostnames }) => hostnames.includes(hostname))
  return { job: known ?? null, diff: data === undefined ? undefined : (group?.diff ?? "") }
}
