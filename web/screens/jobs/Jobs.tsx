/** Jobs: those that run, wait, have failed today, are mine, or all. What the server reads by itself is folded. */
import "./jobs.css"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { counted, duration, momentOf } from "../../../src/domain/words/Units.ts"
import { reallyFailed } from "../../../src/domain/Job.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { Pagination, SegmentedControl } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useIdentity } from "../../app/useSession.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Countdown } from "../../parts/Countdown.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StackedBar } from "../../parts/StackedBar.tsx"
import { When } from "../../parts/When.tsx"
import { FreshRows } from "../../parts/FreshRows.tsx"
import { useCalm } from "../../parts/useCalm.ts"
import { Locks } from "./Locks.tsx"
import { Routine } from "./Routine.tsx"

type Job = Data<"GET /jobs">["jobs"][number]

const PAGE = 50
const HEADS = ["Job", "What", "State", "Switches", "By", "Took", "When"]

/** The filters of the API for a view; null while it is not known who "me" is. */
const filtersOf = (show: string, me: string | null | undefined): Readonly<Record<string, string>> | null => {
  switch (show) {
    case "running":
      return { "filter[status]": "RUNNING" }
    case "waiting":
      return { "filter[status]": "SCHEDULED" }
    case "failed_today":
      return { "filter[failed_today]": "true" }
    case "failed":
      return { "filter[outcome]": "failed" }
    case "partial":
      return { "filter[outcome]": "partial" }
    case "mine":
      return me === null || me === undefined ? null : { "filter[scheduled_by]": me }
    case "routine":
      return { "filter[routine]": "true" }
    default:
      return { "filter[routine]": "false" }
  }
}

const VIEWS = [
  { value: "running", label: "Running" },
  { value: "waiting", label: "Waiting" },
  { value: "failed_today", label: "Failed today" },
  { value: "partial", label: "Partly failed" },
  { value: "mine", label: "Mine" },
  { value: "all", label: "All" }
]

const EMPTY: Readonly<Record<string, string>> = {
  running: "Nothing is running.",
  waiting: "Nothing waits.",
  failed_today: "Nothing failed today.",
  mine: "You have started no job yet."
}

const nameOf = (job: Job) => (
  <span title={job.function_name}>
    <PlainLink to={`/job/${job.id}`}>{jobTitle(job.function_name)}</PlainLink>
    {[job.ticket_ref, job.comment].some(Boolean) && (
      <span className="job-comment"> {[job.ticket_ref, job.comment].filter(Boolean).join(": ")}</span>
    )}
  </span>
)

/** How many switches, and what became of them. */
const Share = ({ counts }: Pick<Job, "counts">) => {
  if (counts === null || counts.devices === 0) return null
  const failed = reallyFailed(counts)
  const { not_begun = 0, succeeded } = counts
  const words = [failed > 0 ? `${failed} failed` : "", not_begun > 0 ? `${not_begun} not begun` : ""].filter(
    (word) => word !== ""
  )
  return (
    <div className="job-share">
      <span>
        {succeeded} of {counts.devices} done{words.length > 0 && `, ${words.join(", ")}`}
      </span>
      <StackedBar
        bare
        thin
        label="Switches"
        parts={[
          { key: "done", count: succeeded, label: "done", tone: "good" },
          { key: "failed", count: failed, label: "failed", tone: "bad" },
          { key: "rest", count: not_begun, label: "not begun", tone: "quiet" }
        ]}
      />
    </div>
  )
}

const tookOf = ({ finish_time, start_time }: Job): string => {
  const from = momentOf(start_time)
  const to = momentOf(finish_time)
  return from === undefined || to === undefined ? "" : duration((to.getTime() - from.getTime()) / 1000)
}

const State = ({ job }: { readonly job: Job }) => (
  <>
    <JobStatus job={job} />
    {job.waiting_for !== null && "until" in job.waiting_for && job.waiting_for.until !== null && (
      <span className="job-comment">
        {" "}
        <Countdown until={job.waiting_for.until} over="a moment" />
      </span>
    )}
  </>
)

/** The rows stay in their places while somebody points at them. */
const Rows = ({ jobs }: { readonly jobs: ReadonlyArray<Job> }) => {
  const { fresh, handlers, showAll, shown } = useCalm(jobs, ({ id }) => id)
  return (
    <div {...handlers}>
      {fresh > 0 && <FreshRows count={fresh} show={showAll} />}
      <SmallTable
        label="Jobs"
        heads={HEADS}
        rows={shown}
        keyOf={({ id }) => id}
        cells={(job) => [
          <PlainLink to={`/job/${job.id}`}>{job.id}</PlainLink>,
          nameOf(job),
          <State job={job} />,
          <Share counts={job.counts} />,
          job.scheduled_by ?? "",
          tookOf(job),
          <When at={job.start_time ?? job.scheduled_time} never="not started" />
        ]}
      />
    </div>
  )
}

export default function Jobs() {
  const [{ page = "1", show = "all" }, change] = useWords()
  const me = useIdentity().data
  const filters = filtersOf(show, me)
  const query = { sort: "-id", per_page: PAGE, page, filter_jobresult: "config,diff", ...filters }
  const jobs = useAsk("GET /jobs", { query }, { kinds: ["job"], keep: true, enabled: filters !== null })
  return (
    <>
      <PageHead title="Jobs" />
      <Locks />
      <div className="job-views">
        <SegmentedControl
          aria-label="Which jobs"
          data={VIEWS}
          value={VIEWS.some(({ value }) => value === show) ? show : ""}
          onChange={(value) => change({ show: value, page: undefined })}
        />
      </div>
      {show === "all" && <Routine />}
      <Asked of={jobs} what="the jobs">
        {({ data }, matching) => (
          <>
            {data.jobs.length === 0 ? (
              <Empty>
                {EMPTY[show] ?? "No jobs match."} <PlainLink to="/change">A change</PlainLink> is previewed first, then
                rolled out.
              </Empty>
            ) : (
              <Rows jobs={data.jobs} />
            )}
            {matching !== null && matching > PAGE && (
              <Pagination
                mt="sm"
                total={Math.ceil(matching / PAGE)}
                value={Number(page)}
                onChange={(to) => change({ page: String(to) })}
                getControlProps={(control) => ({ "aria-label": `${control} page` })}
              />
            )}
            {matching !== null && <p className="job-total">{counted(matching, "job")}</p>}
          </>
        )}
      </Asked>
    </>
  )
}
