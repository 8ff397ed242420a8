/** Says that the page is not live, since when, and when it tries again. It goes by itself. */
import { Button, Group, Text } from "@mantine/core"
import { IconCloudOff } from "@tabler/icons-react"
import { useEffect, useState } from "react"
import { clock } from "../../src/domain/words/Units.ts"
import { useZone } from "../parts/zone.ts"
import { useAway } from "./Live.tsx"

const Seconds = ({ until }: { readonly until: number }) => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [until])
  const left = Math.ceil((until - now) / 1000)
  return <>{left > 0 ? `Trying again in ${left} s.` : "Trying again now."}</>
}

export const OfflineBar = () => {
  const away = useAway()
  const zone = useZone()
  if (away === null) return null
  return (
    <Group className="offline" role="region" aria-label="Not live" justify="space-between" gap="xs">
      <Text size="sm">
        <IconCloudOff size={16} stroke={1.75} aria-hidden />{" "}
        <b role="status">Not live since {clock(new Date(away.since), zone)}.</b> What you see may be old.{" "}
        <Seconds until={away.retryAt} />
      </Text>
      <Button size="compact-sm" variant="default" onClick={away.tryNow}>
        Try now
      </Button>
    </Group>
  )
}
