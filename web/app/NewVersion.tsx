/** Says that another version of the server runs than the one that this page came from. It is asked after each restart. */
import { Button, Group, Text } from "@mantine/core"
import { IconRefresh } from "@tabler/icons-react"
import { version } from "../../package.json"
import { useAsk } from "../api/useAsk.ts"

/** Milliseconds; after a lost connection it is asked at once. */
const EVERY = 600_000

export const NewVersion = () => {
  const running = useAsk("GET /system/version", {}, { every: EVERY }).data?.answer.data.version
  if (running === undefined || running === version) return null
  return (
    <Group className="offline" role="region" aria-label="New version" justify="space-between" gap="xs">
      <Text size="sm">
        <IconRefresh size={16} stroke={1.75} aria-hidden /> <b role="status">Switchyard {running} runs now.</b> This
        page is of {version}. What you have typed is kept.
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
        Load the new page
      </Button>
    </Group>
  )
}
