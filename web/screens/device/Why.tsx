/** Why a device is not synchronized: each cause with who and which job, and what to do about it. */
import { Group, List } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { When } from "../../parts/When.tsx"
import type { TabProps } from "./Device.tsx"

const CAUSES: Readonly<Record<string, string>> = {
  refresh_settings: "the settings have changed",
  refresh_templates: "the templates have changed",
  interface_updated: "its ports were changed",
  drift: "it runs something else than it was given",
  revert: "a change was undone"
}

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
        {causes.slice(-5).map(({ by, cause, job_id, timestamp }) => (
          <List.Item key={`${cause} ${timestamp}`}>
            {CAUSES[cause] ?? cause}, by {by}, <When at={timestamp} />
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
