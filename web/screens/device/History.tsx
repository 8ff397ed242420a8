/** The history of a device: its jobs, the actions of users, and the reasons why it had to be synchronized. */
import { plainly, textOf } from "../../../src/domain/words/Word.ts"
import { eventWords } from "../../../src/domain/words/ServerWords.ts"
import { jobTitle } from "../../../src/domain/words/JobWords.ts"
import { Stack } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { When } from "../../parts/When.tsx"
import type { TabProps } from "./Device.tsx"

const SHOWN = 100

const changesIn = (data: Readonly<Record<string, unknown>>): string => {
  const { after, before, key: _, ...rest } = data
  const told = {
    ...(typeof before === "object" && before !== null ? { before } : {}),
    ...(typeof after === "object" && after !== null ? { after } : {}),
    ...rest
  }
  return Object.keys(told).length === 0 ? "" : JSON.stringify(told)
}

const JOBS = 10

const Jobs = ({ hostname }: { readonly hostname: string }) => {
  const query = {
    "filter[finished_devices][contains]": `"${hostname}"`,
    sort: "-id",
    per_page: JOBS,
    filter_jobresult: "config,diff"
  }
  const asked = useAsk("GET /jobs", { query }, { kinds: ["job"] })
  return (
    <Asked of={asked} what={`the jobs of ${hostname}`}>
      {({ data: { jobs } }) =>
        jobs.length === 0 ? (
          <Empty>
            No job has worked on it yet.{" "}
            <PlainLink to={`/change?hostnames=${encodeURIComponent(hostname)}`}>A dry run</PlainLink> shows what a sync
            would change.
          </Empty>
        ) : (
          <SmallTable
            label="Its newest jobs"
            heads={["Job", "What", "Status", "Here", "By", "Ended"]}
            rows={jobs}
            keyOf={({ id }) => id}
            cells={(job) => [
              <PlainLink to={`/job/${job.id}`}>{job.id}</PlainLink>,
              <span title={job.function_name}>{jobTitle(job.function_name)}</span>,
              <JobStatus job={job} />,
              job.failed_devices?.includes(hostname) === true ? (
                <Tone tone="bad">Failed</Tone>
              ) : (
                <Tone tone="good">Done</Tone>
              ),
              job.scheduled_by ?? "the server",
              <When at={job.finish_time} never="not yet" />
            ]}
          />
        )
      }
    </Asked>
  )
}

export default function History({ device }: TabProps) {
  return (
    <Stack gap="md">
      <Jobs hostname={device.hostname} />
      <Events device={device} />
    </Stack>
  )
}

const Events = ({ device: { hostname } }: TabProps) => {
  const asked = useAsk(
    "GET /device/:hostname/audit",
    { params: { hostname }, query: { per_page: SHOWN, sort: "-id" } },
    { kinds: ["device", "change", "sync", "interface", "drift", "host_key"] }
  )
  return (
    <Asked of={asked} what={`the history of ${hostname}`}>
      {({ data: { events } }) =>
        events.length === 0 ? (
          <Empty>
            Nothing is noted yet. Changes of the device, its ports and its configuration will be listed here.
          </Empty>
        ) : (
          <SmallTable
            label="History"
            heads={["When", "What", "By", "Job", "Details"]}
            rows={events}
            keyOf={({ id }) => id}
            cells={({ action, actor, at, data, job_id, kind }) => [
              <When at={at} exact />,
              <span title={`${kind} ${action}`}>{`${textOf(eventWords, kind)} ${plainly(action)}`}</span>,
              actor,
              job_id === null ? "" : <PlainLink to={`/job/${job_id}`}>{job_id}</PlainLink>,
              <code className="value">{changesIn(data)}</code>
            ]}
          />
        )
      }
    </Asked>
  )
}
