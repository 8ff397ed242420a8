/** The numbers beside the entries of the navigation. Each comes from a call that the user may make, else there is none. */
import { useAsk } from "../api/useAsk.ts"
import { entriesOf, waitingFor } from "../screens/approvals/inbox.ts"
import { useIdentity, useMay } from "./useSession.ts"

/** A number, or "!" where something must be looked at. */
export interface Count {
  readonly shown: number | "!"
  readonly tone: "quiet" | "wait" | "bad" | "warn"
  /** For screen readers and the tooltip: `3 waiting`. */
  readonly says: string
}

/** A hook that yields what stands beside an entry; null for nothing. */
export type ReadCount = () => Count | null

/** Milliseconds between two looks at what no event announces. */
const EVERY = 60_000

const quiet = (number: number | undefined, says: string): Count | null =>
  number === undefined || number === 0 ? null : { shown: number, tone: "quiet", says: `${number} ${says}` }

/** The same question as the overview's, so that it is asked once. */
const useOverview = () => {
  const may = useMay()
  const { data } = useAsk(
    "GET /overview",
    {},
    { kinds: ["device", "sync", "drift", "reachability", "job", "change"], enabled: may("GET", "/overview") }
  )
  return data?.answer.data
}

export const useDevicesCount: ReadCount = () => quiet(useOverview()?.devices.total, "in all")

export const useNewCount: ReadCount = () => quiet(useOverview()?.new_devices.waiting, "waiting to be set up")

export const useJobsCount: ReadCount = () => quiet(useOverview()?.jobs.running, "running")

/** The same questions as the inbox's, so that they are asked once. */
export const useApprovalsCount: ReadCount = () => {
  const may = useMay()
  const me = useIdentity().data ?? ""
  const asking = { kinds: ["approval", "job"], every: EVERY }
  const jobs = useAsk("GET /approvals/jobs", {}, { ...asking, enabled: may("GET", "/approvals/jobs") })
  const requests = useAsk("GET /approvals", {}, { ...asking, enabled: may("GET", "/approvals") })
  const entries = entriesOf(jobs.data?.answer.data.approvals ?? [], requests.data?.answer.data.approvals ?? [], me)
  const waiting = waitingFor(entries)
  return waiting === 0 ? null : { shown: waiting, tone: "wait", says: `${waiting} for you` }
}

export const useAlertsCount: ReadCount = () => {
  const may = useMay()
  const { data } = useAsk("GET /alerts", {}, { kinds: ["alert"], enabled: may("GET", "/alerts"), every: EVERY })
  const open = data?.answer.data.alerts.filter(({ acknowledged_at, is_open }) => is_open && acknowledged_at === null)
  return open === undefined || open.length === 0
    ? null
    : { shown: open.length, tone: "bad", says: `${open.length} open` }
}

const useStatus = () => {
  const may = useMay()
  const { data } = useAsk(
    "GET /system/status",
    {},
    { kinds: ["repository"], enabled: may("GET", "/system/status"), every: EVERY }
  )
  return data?.answer.data
}

const REPOSITORIES = ["settings", "templates"] as const

const useRefused = (name: (typeof REPOSITORIES)[number]): boolean => {
  const may = useMay()
  const { data } = useAsk(
    "GET /repository/:name/commits",
    { params: { name }, query: { limit: 1 } },
    { kinds: ["repository"], enabled: may("GET", `/repository/${name}/commits`) }
  )
  return data?.answer.data.commits[0]?.state === "refused"
}

export const useRepositoryCount: ReadCount = () => {
  const settings = useRefused("settings")
  const templates = useRefused("templates")
  return settings || templates ? { shown: "!", tone: "warn", says: "the newest commit was refused" } : null
}

export const useServerCount: ReadCount = () => {
  const bad = useStatus()?.checks.some(
    ({ name, status }) => !REPOSITORIES.some((one) => one === name) && status === "DOWN"
  )
  return bad === true ? { shown: "!", tone: "bad", says: "not well" } : null
}
