/** New switches: what they are, where they are connected, whether they can be initialised, and the progress. */
import { StatusWord } from "../../parts/StatusWord.tsx"
import { stateWords } from "../../../src/domain/words/DeviceWords.ts"
import { Accordion, Alert, Card, Stack, Tabs, Text } from "@mantine/core"
import { IconPlugConnected } from "@tabler/icons-react"
import { useAsk } from "../../api/useAsk.ts"
import type { Data } from "../../../src/api/Calls.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { When } from "../../parts/When.tsx"
import { useState } from "react"
import { HostKeys } from "./HostKeys.tsx"
import { JobSteps } from "./JobSteps.tsx"
import { Initialise } from "./Initialise.tsx"
import { Leases } from "./Leases.tsx"
import { Several } from "./Several.tsx"
import { Where } from "./Where.tsx"

export type NewSwitch = Data<"GET /new_devices">["devices"][number]

const WORDS: Readonly<Record<string, string>> = {
  DISCOVERED: "is found and waits to be set up",
  DHCP_BOOT: "has asked for an address; it is being looked at",
  INIT: "is being set up"
}

const nameOf = ({ model, serial, ztp_mac }: NewSwitch): string => [serial, model, ztp_mac].filter(Boolean).join(", ")

interface OneProps {
  readonly device: NewSwitch
  readonly started: (job: number, hostname: string) => void
}

const One = ({ device, started }: OneProps) => (
  <Stack gap="xs">
    <Text size="sm">
      It {WORDS[device.state] ?? ""} since <When at={device.since} never="an unknown time" />. Address{" "}
      {device.dhcp_ip ?? "unknown"}.
    </Text>
    {device.replaces !== null && (
      <Text size="sm">
        Looks like the replacement of{" "}
        <PlainLink to={`/device/${encodeURIComponent(device.replaces)}`}>{device.replaces}</PlainLink>: it hangs where
        that one was.
      </Text>
    )}
    {device.problems.length > 0 && <Problem error={device.problems.join(" ")} title="It cannot be initialised yet" />}
    <Where device={device} />
    {device.job_id !== null && <JobSteps id={device.job_id} />}
    {device.state === "DISCOVERED" && device.job_id === null && <Initialise device={device} started={started} />}
  </Stack>
)

const List = ({ started }: Pick<OneProps, "started">) => {
  const asked = useAsk("GET /new_devices", {}, { kinds: ["device", "job", "linknet"] })
  return (
    <Asked of={asked} what="the new switches">
      {({ data: { devices } }) =>
        devices.length === 0 ? (
          <Card withBorder>
            <Empty icon={IconPlugConnected} title="There are no new switches.">
              Plug a blank one in: it asks for an address by DHCP, is found, and appears here by itself. If it does not,
              look at the leases: the DHCP server tells of each switch that asks.
            </Empty>
          </Card>
        ) : (
          <Accordion variant="separated" chevronPosition="left" my="xs" keepMounted={false}>
            {devices.map((device) => (
              <Accordion.Item key={device.id} value={String(device.id)}>
                <Accordion.Control>
                  <StatusWord of={stateWords} value={device.state} /> {device.hostname}:{" "}
                  {nameOf(device) || "nothing is known of it yet"}
                </Accordion.Control>
                <Accordion.Panel>
                  <One device={device} started={started} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )
      }
    </Asked>
  )
}

/** Leases that were refused: such a switch never appears in the list, so its reason stands above it. */
const RefusedLeases = () => {
  const may = useMay()
  const asked = useAsk(
    "GET /dhcp_leases",
    {},
    { kinds: ["device"], every: 30_000, enabled: may("GET", "/dhcp_leases") }
  )
  const refused = (asked.data?.answer.data.leases ?? []).filter(({ outcome }) => outcome === "refused")
  const [first] = refused
  if (first === undefined) return null
  return (
    <Alert
      variant="outline"
      color="red"
      my="xs"
      role="status"
      className="problem"
      title={
        refused.length === 1
          ? "The lease of a switch was refused"
          : `The leases of ${refused.length} switches were refused`
      }
    >
      {first.ztp_mac}, {first.dhcp_ip}: {first.message} <PlainLink to="/new?tab=leases">All leases</PlainLink>
    </Alert>
  )
}

export default function New() {
  const may = useMay()
  const [{ tab = "one" }, change] = useWords()
  const [all, setStarted] = useState<ReadonlyArray<{ readonly job: number; readonly hostname: string }>>([])
  return (
    <>
      <PageHead title="New switches" />
      <Tabs value={tab} onChange={(to) => change({ tab: to ?? undefined })} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="one">One by one</Tabs.Tab>
          <Tabs.Tab value="several">Several at once</Tabs.Tab>
          {may("GET", "/device_hostkeys") && <Tabs.Tab value="keys">Host keys</Tabs.Tab>}
          {may("GET", "/dhcp_leases") && <Tabs.Tab value="leases">Leases</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="one">
          {all.map(({ hostname, job }) => (
            <section key={job} aria-label={`Initialisation of ${hostname}`} className="group">
              <b>{hostname}</b>
              <JobSteps id={job} />
            </section>
          ))}
          <RefusedLeases />
          <List started={(job, hostname) => setStarted([...all, { job, hostname }])} />
        </Tabs.Panel>
        <Tabs.Panel value="several" pt="sm">
          <Several />
        </Tabs.Panel>
        <Tabs.Panel value="keys" pt="sm">
          <HostKeys />
        </Tabs.Panel>
        <Tabs.Panel value="leases" pt="sm">
          <Leases />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
