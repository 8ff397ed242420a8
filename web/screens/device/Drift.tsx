/** Shows whether the device still runs its configuration, and undoes changes made outside Switchyard. */
import { Group, Stack, Text } from "@mantine/core"
import { useRouter } from "@tanstack/react-router"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Adopt } from "./Adopt.tsx"
import type { TabProps } from "./Device.tsx"

/** The running configuration of the switch against that of the newest job. */
const ShownDrift = ({ hostname }: { readonly hostname: string }) => {
  const { data } = useAsk("GET /device/:hostname/configs", { params: { hostname } }, { kinds: ["job"] })
  const newest = data?.answer.data.configs.find(({ failed, has_config }) => has_config && !failed)
  if (newest === undefined) return null
  return (
    <PlainLink to={`/device/${encodeURIComponent(hostname)}?tab=configuration&from=${newest.job_id}&to=running`}>
      Compare what job {newest.job_id} gave it with what it runs now
    </PlainLink>
  )
}

export default function Drift({ device: { hostname } }: TabProps) {
  const may = useMay()
  const router = useRouter()
  const look = async () => {
    const { answer } = await ask("POST /device_drift", { body: { hostname } })
    router.history.push(`/ui/job/${answer.job_id}`)
  }
  const undo = async () => {
    const { answer } = await ask("POST /device_syncto", {
      body: { hostname, dry_run: true, force: true, resync: true }
    })
    router.history.push(`/ui/change?hostnames=${encodeURIComponent(hostname)}&job=${answer.job_id}`)
  }
  return (
    <Stack gap="sm">
      <Text>
        Drift is a change that was made on the switch itself. The check compares the running configuration with the last
        proved one; nothing is pushed. To undo drift, push the settings. To adopt it, write it into git: the next push
        undoes everything else.
      </Text>
      <ShownDrift hostname={hostname} />
      <Group>
        {may("POST", "/device_drift") && (
          <AskFirst label="Look for drift" act={look}>
            The switch is read; nothing is changed.
          </AskFirst>
        )}
        {may("POST", "/device_syncto") && (
          <AskFirst label="Undo it" act={undo}>
            First a dry run shows what would be undone; then it can be pushed.
          </AskFirst>
        )}
      </Group>
      <Adopt hostname={hostname} />
    </Stack>
  )
}
