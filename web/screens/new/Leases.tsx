/** Leases of DHCP servers that the server refused, or has no room for yet. */
import { StatusWord } from "../../parts/StatusWord.tsx"
import { leaseWords } from "../../../src/domain/words/ServerWords.ts"
import { Stack, Text } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { When } from "../../parts/When.tsx"

const OFTEN = 30_000

export const Leases = () => {
  const asked = useAsk("GET /dhcp_leases", {}, { kinds: ["device"], every: OFTEN })
  return (
    <Asked of={asked} what="the leases">
      {({ data: { leases, queues } }) => (
        <Stack gap="sm">
          {queues.map(({ host, reported_at, waiting }) => (
            <Text key={host} size="sm">
              {host || "A DHCP server"} had {waiting} more to report <When at={reported_at} />.
            </Text>
          ))}
          {leases.length === 0 ? (
            <Empty>No lease was refused or waits. Those that were taken are under Switches.</Empty>
          ) : (
            <SmallTable
              label="Leases that were refused or wait"
              heads={["Switch", "Address", "Platform", "Outcome", "Since", "DHCP server"]}
              rows={leases}
              keyOf={({ ztp_mac }) => ztp_mac}
              cells={({ dhcp_ip, host, message, outcome, platform, since, ztp_mac }) => [
                ztp_mac,
                dhcp_ip,
                platform,
                <>
                  <StatusWord of={leaseWords} value={outcome} /> {message}
                </>,
                <When at={since} />,
                host
              ]}
            />
          )}
        </Stack>
      )}
    </Asked>
  )
}
