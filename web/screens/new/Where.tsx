/** Where a new switch hangs, in words, as it or its neighbours report over LLDP, and the switch that was there before. */
import { Button, Group, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { joined } from "../../../src/domain/words/Word.ts"
import { request } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import type { NewSwitch } from "./New.tsx"

/** `Hangs at lhv-dist1 Ethernet1 (by its Ethernet27) and lhv-dist2 Ethernet1 (by its Ethernet28).` */
const sentenceOf = ({ neighbours_read, places }: NewSwitch): string => {
  if (places.length === 0)
    return neighbours_read === null
      ? "Its neighbours have not been read yet."
      : "It sees no known switch over LLDP. Look at its uplinks, and whether the other end sends LLDP."
  const ends = places
    .toSorted((one, other) => inNaturalOrder(`${one.hostname} ${one.port}`, `${other.hostname} ${other.port}`))
    .map(
      ({ hostname, own_port, port, was }) =>
        `${hostname} ${port}${own_port === "" ? "" : ` (by its ${own_port})`}${was === null ? "" : `, where ${was} was`}`
    )
  return `Hangs at ${joined(ends)}.`
}

export const Where = ({ device }: { readonly device: NewSwitch }) => {
  const client = useQueryClient()
  const may = useMay()
  const { busy, error, run } = useAct()
  const { hostname, neighbours_read, state } = device
  const read = () =>
    run(async () => {
      await request("GET /device/:hostname/lldp_neighbors", { params: { hostname } })
      await client.invalidateQueries({ queryKey: ["GET /new_devices"] })
    })
  return (
    <div>
      <Text>{sentenceOf(device)}</Text>
      {error !== null && <Problem error={error} title="Its neighbours could not be read" />}
      {state === "DISCOVERED" && may("GET", `/device/${hostname}/lldp_neighbors`) && (
        <Group gap="sm">
          {neighbours_read !== null && (
            <Text size="sm" c="dimmed">
              Neighbours read <When at={neighbours_read} />
            </Text>
          )}
          <Button size="compact-xs" variant="subtle" loading={busy} onClick={() => void read()}>
            Read neighbours now
          </Button>
        </Group>
      )}
    </div>
  )
}
