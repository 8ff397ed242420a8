/** Jobs that run or wait, with their progress and what they wait for. */
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { Group, Stack } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Countdown } from "../../parts/Countdown.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { When } from "../../parts/When.tsx"

const NEWEST = 20

export const RunningJobs = () => {
  const query = { sort: "-id", per_page: NEWEST, filter_jobresult: "config,diff" }
  const asked = useAsk("GET /jobs", { query }, { kinds: ["job"] })
  return (
    <Asked of={asked} what="the jobs">
      {({ data: { jobs } }) => {
        const open = jobs.filter(({ finish_time }) => finish_time === null)
        if (open.length === 0)
          return (
            <Empty>
              No job is under way. <PlainLink to="/change">Changes</PlainLink> shows what could be rolled out;{" "}
              <PlainLink to="/jobs">jobs</PlainLink> has those of before.
            </Empty>
          )
        return (
          <Stack gap={4} my="xs">
            {open.map((job) => (
              <Group key={job.id} gap="md">
                <PlainLink to={`/job/${job.id}`}>job {job.id}</PlainLink>
                <span title={job.function_name}>{jobTitle(job.function_name)}</span>
                <JobStatus job={job} />
                {job.counts !== null && job.counts.devices > 0 && (
                  <span>
                    {job.counts.succeeded + job.counts.failed} of {job.counts.devices} done, {job.counts.failed} failed
                  </span>
                )}
                {job.waiting_for !== null && "until" in job.waiting_for && job.waiting_for.until !== null && (
                  <Countdown until={job.waiting_for.until} />
                )}
                <span>
                  by {job.scheduled_by ?? "the server"}, <When at={job.start_time} never="not begun" />
                </span>
              </Group>
            ))}
          </Stack>
        )
      }}
    </Asked>
  )
}
