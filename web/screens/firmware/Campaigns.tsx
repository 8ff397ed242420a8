/** Upgrades: the selected one as a rollout, and all others. */
import { Stack } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { JobStatus } from "../../parts/JobStatus.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { When } from "../../parts/When.tsx"
import { Campaign } from "./Campaign.tsx"

export const Campaigns = () => {
  const [{ job = "" }] = useWords()
  const jobs = useAsk(
    "GET /jobs",
    { query: { "filter[function_name]": "device_upgrade", sort: "-id", per_page: 20 } },
    { kinds: ["job"], keep: true }
  )
  return (
    <Stack gap="sm">
      {job !== "" && <Campaign key={job} id={job} />}
      <Asked of={jobs} what="the upgrades">
        {({ data }) =>
          data.jobs.length === 0 ? (
            <Empty>No upgrades yet. Begin one under Upgrade.</Empty>
          ) : (
            <SmallTable
              label="Upgrades"
              heads={["Upgrade", "Status", "Devices", "By", "Ticket, comment", "Began", "Ended"]}
              rows={data.jobs}
              keyOf={({ id }) => id}
              cells={(one) => [
                <PlainLink to={`/firmware?tab=campaigns&job=${one.id}`} label={`Upgrade ${one.id}`}>
                  {one.id}
                </PlainLink>,
                <JobStatus job={one} />,
                one.counts === null || one.counts.devices === 0
                  ? ""
                  : `${one.counts.succeeded} of ${one.counts.devices} done`,
                one.scheduled_by ?? "",
                [one.ticket_ref, one.comment].filter(Boolean).join(": "),
                <When at={one.start_time} never="not yet" />,
                <When at={one.finish_time} never="not yet" />
              ]}
            />
          )
        }
      </Asked>
    </Stack>
  )
}
