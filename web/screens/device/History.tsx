/** What has happened to a device: who did what, by which job. */
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
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

export default function History({ device: { hostname } }: TabProps) {
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
              <When at={at} />,
              `${kind} ${action}`,
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
