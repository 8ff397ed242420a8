/** The reasons why a device is not synchronized: each cause with user and job, and what to do about it. */
import { Group, List } from "@mantine/core"
import { causeText } from "../../../src/domain/words/DeviceWords.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { When } from "../../parts/When.tsx"
import type { TabProps } from "./Device.tsx"

export const Why = ({ device: { hostname, state, synchronized } }: TabProps) => {
  const may = useMay()
  const isOff = state === "MANAGED" && !synchronized
  const { data } = useAsk(
    "GET /device_synchistory",
    { query: { hostname } },
    { kinds: ["sync", "device"], enabled: isOff && may("GET", "/device_synchistory") }
  )
  if (!isOff) return null
  const causes = data?.answer.data.hostnames[hostname] ?? []
  return (
    <section aria-label="Why it is not synchronized">
      <List size="sm">
        {causes.slice(-5).map(({ job_id, timestamp, ...cause }) => (
          <List.Item key={`${cause.cause} ${timestamp}`}>
            {causeText(cause)}, <When at={timestamp} />
            {job_id !== null && job_id !== undefined && (
              <>
                , in <PlainLink to={`/job/${job_id}`}>job {job_id}</PlainLink>
              </>
            )}
          </List.Item>
        ))}
      </List>
      <Group>
        {may("POST", "/device_syncto") && (
          <PlainLink to={`/change?hostnames=${encodeURIComponent(hostname)}`}>See what would change</PlainLink>
        )}
      </Group>
    </section>
  )
}
