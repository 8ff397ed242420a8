/** One new switch: what it is, where it hangs, and what to do with it. */
import { Button, Card, Group, List, Stack, Text, Title } from "@mantine/core"
import { ask } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Tone, toneOfState } from "../../parts/Tone.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import { Initialise, type NewDevice } from "./Initialise.tsx"

const Places = ({ device: { neighbours_read, places } }: { readonly device: NewDevice }) =>
  places.length === 0 ? (
    <Text size="sm">
      {neighbours_read === null
        ? "Nobody has read its neighbours yet."
        : "It hears no known device, and none hears it: look at its cables, or read the neighbours again."}
    </Text>
  ) : (
    <List size="sm" aria-label="Where it hangs" spacing={2}>
      {places.map(({ heard_by, hostname, own_port, port, was, was_state }) => (
        <List.Item key={`${hostname} ${port}`}>
          on <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink> {port}
          {own_port === "" ? "" : `, by its own ${own_port}`}
          {was === null ? "" : `, where ${was} was (${was_state})`}
          {heard_by === "neighbour" ? ", as that device hears it" : ""}
        </List.Item>
      ))}
    </List>
  )

interface Props {
  readonly device: NewDevice
  readonly begun: (job: number) => void
  readonly again: () => unknown
}

export const NewSwitch = ({ again, begun, device }: Props) => {
  const may = useMay()
  const { busy, error, run } = useAct()
  const { dhcp_ip, hostname, id, job_id, model, os_version, problems, serial, since, state, ztp_mac } = device
  const read = () =>
    run(async () => {
      await ask("GET /device/:hostname/lldp_neighbors", { params: { hostname } })
      await again()
    })
  const facts = [
    ztp_mac === null ? "" : `MAC ${ztp_mac}`,
    serial === null ? "" : `serial ${serial}`,
    model ?? "",
    os_version ?? "",
    dhcp_ip === null ? "" : `address ${dhcp_ip}`
  ].filter(Boolean)
  return (
    <Card withBorder component="section" aria-label={hostname}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2}>{hostname}</Title>
          <Group gap="sm">
            <Tone tone={toneOfState(state)}>{state}</Tone>
            {since !== null && (
              <Text size="sm">
                since <When at={since} />
              </Text>
            )}
          </Group>
        </Group>
        <Text size="sm">{facts.join(" · ")}</Text>
        <Places device={device} />
        {problems.map((problem) => (
          <Text key={problem} size="sm">
            <Tone tone="warn">{problem}</Tone>
          </Text>
        ))}
        {job_id !== null && (
          <Text size="sm">
            <PlainLink to={`/job/${job_id}`}>Job {job_id}</PlainLink> works on it.
          </Text>
        )}
        {state !== "DHCP_BOOT" && may("GET", `/device/${hostname}/lldp_neighbors`) && (
          <Group>
            <Button size="xs" variant="default" loading={busy} onClick={() => void read()}>
              Read its neighbours again
            </Button>
          </Group>
        )}
        {error !== null && <Problem error={error} title="Its neighbours could not be read" />}
        {state === "DISCOVERED" && job_id === null && <Initialise key={id} device={device} begun={begun} />}
      </Stack>
    </Card>
  )
}
