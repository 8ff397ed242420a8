/** All jobs, the newest first, and the locks that they hold. */
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { Group, Pagination, SegmentedControl } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { When } from "../../parts/When.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { Locks } from "./Locks.tsx"

const PAGE = 50
const HEADS = ["Job", "What", "Status", "Devices", "By", "Ticket, comment", "Began", "Ended"]

/** The jobs to show, and the filter of the API for them. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  all: {},
  running: { "filter[status]": "RUNNING" },
  waiting: { "filter[status]": "SCHEDULED" },
  failed: { "filter[outcome]": "failed" },
  failed_today: { "filter[failed_today]": "true" },
  partial: { "filter[outcome]": "partial" }
}
const LABELS = [
  { value: "all", label: "All" },
  { value: "running", label: "Running" },
  { value: "waiting", label: "Waiting" },
  { value: "failed", label: "Failed" },
  { value: "failed_today", label: "Failed today" },
  { value: "partial", label: "Partly failed" }
]

export default function Jobs() {
  const [{ page = "1", show = "all" }, change] = useWords()
  const query = { sort: "-id", per_page: PAGE, page, filter_jobresult: "config,diff", ...CHOICES[show] }
  const jobs = useAsk("GET /jobs", { query }, { kinds: ["job"], keep: true })
  return (
    <>
      <ScreenTitle>Jobs</ScreenTitle>
      <Locks />
      <Group mb="xs">
        <SegmentedControl
          aria-label="Which jobs"
          data={LABELS}
          value={show}
          onChange={(value) => change({ show: value, page: undefined })}
        />
      </Group>
      <Asked of={jobs} what="the jobs">
        {({ data }, matching) => (
          <>
            {data.jobs.length === 0 ? (
              <Empty>
                No jobs match. Jobs begin when a user synchronizes devices on the screen{" "}
                <PlainLink to="/change">Changes</PlainLink>, or by a schedule.
              </Empty>
            ) : (
              <SmallTable
                label="Jobs"
                heads={HEADS}
                rows={data.jobs}
                keyOf={({ id }) => id}
                cells={(job) => [
                  <PlainLink to={`/job/${job.id}`}>{job.id}</PlainLink>,
                  <span title={job.function_name}>{jobTitle(job.function_name)}</span>,
                  <JobStatus job={job} />,
                  job.counts === null || job.counts.devices === 0
                    ? ""
                    : `${job.counts.succeeded} of ${job.counts.devices} done`,
                  job.scheduled_by ?? "",
                  [job.ticket_ref, job.comment].filter(Boolean).join(": "),
                  <When at={job.start_time} never="not yet" />,
                  <When at={job.finish_time} never="not yet" />
                ]}
              />
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
          </>
        )}
      </Asked>
    </>
  )
}
