/** The place of a new switch, as it or its neighbours report over LLDP, and the device that was there before. */
import { Button, Group, List, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { request } from "../../api/call.ts"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import type { NewSwitch } from "./New.tsx"

const Places = ({ device: { neighbours_read, places } }: { readonly device: NewSwitch }) => {
  if (places.length > 0) {
    return (
      <List size="sm">
        {places.map(({ hostname, own_port, port, was }) => (
          <List.Item key={`${hostname} ${port}`}>
            on <b>{hostname}</b> {port}
            {own_port === "" ? "" : ` (by its ${own_port})`}
            {was === null ? "" : `, where ${was} was`}
          </List.Item>
        ))}
      </List>
    )
  }
  return (
    <Empty>
      {neighbours_read === null
        ? "Its neighbours have not been read yet."
        : "It sees no known device over LLDP. Look at its uplinks, and whether the other end sends LLDP."}
    </Empty>
  )
}

export const Where = ({ device }: { readonly device: NewSwitch }) => {
  const client = useQueryClient()
  const { busy, error, run } = useAct()
  const { hostname, neighbours_read, state } = device
  const read = () =>
    run(async () => {
      await request("GET /device/:hostname/lldp_neighbors", { params: { hostname } })
      await client.invalidateQueries({ queryKey: ["GET /new_devices"] })
    })
  return (
    <section aria-label="Where it is connected">
      <Places device={device} />
      {error !== null && <Problem error={error} title="Its neighbours could not be read" />}
      {state !== "DHCP_BOOT" && (
        <Group gap="sm">
          <Button size="compact-xs" variant="default" loading={busy} onClick={() => void read()}>
            Read its neighbours now
          </Button>
          <Text size="sm">
            read <When at={neighbours_read} />
          </Text>
        </Group>
      )}
    </section>
  )
}
