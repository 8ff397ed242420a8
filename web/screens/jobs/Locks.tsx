/** The locks that jobs hold, and how to release one whose job no longer exists. */
import { Alert, Group } from "@mantine/core"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { When } from "../../parts/When.tsx"

export const Locks = () => {
  const may = useMay()
  const { data } = useAsk("GET /joblocks", {}, { kinds: ["lock", "job"], enabled: may("GET", "/joblocks") })
  const locks = data?.answer.data.locks ?? []
  return locks.map(({ job_id, name, start_time }) => (
    <Alert key={name} variant="outline" mb="xs" title={`The lock “${name}” is held`} className="lock">
      <Group>
        <span>
          by job <PlainLink to={`/job/${job_id}`}>{job_id}</PlainLink> since <When at={start_time} />
        </span>
        {may("DELETE", "/joblocks") && (
          <AskFirst size="xs" label="Clear the lock" danger act={() => request("DELETE /joblocks", { body: { name } })}>
            The lock keeps two jobs from changing the same devices. Clear it only when its job has ended; while any job
            runs, the server refuses.
          </AskFirst>
        )}
      </Group>
    </Alert>
  ))
}
