/** Approvals of jobs and of requests as one list. Pure. */
import type { Data } from "../../../src/api/Calls.ts"

export type JobApproval = Data<"GET /approvals/jobs">["approvals"][number]
export type RequestApproval = Data<"GET /approvals">["approvals"][number]

export const inboxViews = ["for_you", "yours", "decided"] as const
export type InboxView = (typeof inboxViews)[number]

interface Common {
  /** Its name in the address. */
  readonly key: string
  readonly view: InboxView
  readonly asked_by: string
  readonly asked_at: string
  readonly expires_at: string
  readonly decision: string | null
  readonly is_yours: boolean
}

export type InboxEntry = Common &
  (
    | { readonly kind: "job"; readonly approval: JobApproval }
    | { readonly kind: "request"; readonly approval: RequestApproval }
  )

const viewOf = (decision: string | null, isYours: boolean): InboxView =>
  decision === null ? (isYours ? "yours" : "for_you") : "decided"

/** Requests of others that wait and that the caller cannot decide are in no view. */
export const isOfView = ({ view }: InboxEntry, wanted: InboxView): boolean => view === wanted

/** All entries, the newest first; `me` is the name of the caller. */
export const entriesOf = (
  jobs: ReadonlyArray<JobApproval>,
  requests: ReadonlyArray<RequestApproval>,
  me: string
): ReadonlyArray<InboxEntry> => {
  const ofJobs = jobs
    .filter(({ decision, is_yours, may_decide }) => decision !== null || is_yours || may_decide)
    .map((approval): InboxEntry => {
      const { asked_at, asked_by, decision, expires_at, is_yours, job_id } = approval
      const view = viewOf(decision, is_yours)
      return { kind: "job", approval, key: `job-${job_id}`, view, asked_at, asked_by, expires_at, decision, is_yours }
    })
  const ofRequests = requests.map((approval): InboxEntry => {
    const { asked_at, asked_by, decision, expires_at, id } = approval
    const is_yours = asked_by === me
    const view = viewOf(decision, is_yours)
    return { kind: "request", approval, key: `request-${id}`, view, asked_at, asked_by, expires_at, decision, is_yours }
  })
  return [...ofJobs, ...ofRequests].toSorted((one, other) => other.asked_at.localeCompare(one.asked_at))
}

/** How many wait for the caller. */
export const waitingFor = (entries: ReadonlyArray<InboxEntry>): number =>
  entries.filter(({ view }) => view === "for_you").length
