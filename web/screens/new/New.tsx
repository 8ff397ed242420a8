/** Switches that are new: what they are, where they hang, whether they can be initialised, and how far that is. */
import { Accordion, Stack, Tabs, Text } from "@mantine/core"
import { useAsk } from "../../api/useAsk.ts"
import type { Data } from "../../../src/api/CallTypes.ts"
import { useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { Tone } from "../../parts/Tone.tsx"
import { toneOfState } from "../../parts/tones.ts"
import { When } from "../../parts/When.tsx"
import { useState } from "react"
import { JobSteps } from "./JobSteps.tsx"
import { Initialise } from "./Initialise.tsx"
import { Several } from "./Several.tsx"
import { Where } from "./Where.tsx"

export type NewSwitch = Data<"GET /devices">["devices"][number]

const STATES = ["DISCOVERED", "DHCP_BOOT", "INIT"] as const
const WORDS = {
  DISCOVERED: "waits to be initialised",
  DHCP_BOOT: "has asked for an address; it is being discovered",
  INIT: "is being initialised"
} as const

const nameOf = ({ model, serial, ztp_mac }: NewSwitch): string => [serial, model, ztp_mac].filter(Boolean).join(", ")

interface InStateProps {
  readonly state: (typeof STATES)[number]
  readonly started: (job: number, hostname: string) => void
}

const InState = ({ started, state }: InStateProps) => {
  const asked = useAsk(
    "GET /devices",
    { query: { "filter[state]": state, sort: "id", per_page: 200 } },
    { kinds: ["device"] }
  )
  return (
    <Asked of={asked} what={`the switches in ${state}`}>
      {({ data: { devices } }) =>
        devices.length === 0 ? null : (
          <Accordion variant="separated" chevronPosition="left" my="xs" keepMounted={false}>
            {devices.map((device) => (
              <Accordion.Item key={device.id} value={String(device.id)}>
                <Accordion.Control>
                  <Tone tone={toneOfState(device.state)}>{device.state}</Tone> {device.hostname}:{" "}
                  {nameOf(device) || "nothing is known of it yet"}
                </Accordion.Control>
                <Accordion.Panel>
                  <Stack gap="xs">
                    <Text size="sm">
                      It {WORDS[state]}. Address {device.dhcp_ip ?? device.management_ip ?? "unknown"}, seen{" "}
                      <When at={device.last_seen} />.
                    </Text>
                    {state !== "DHCP_BOOT" && <Where device={device} />}
                    {state === "DISCOVERED" && <Initialise device={device} started={started} />}
                  </Stack>
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )
      }
    </Asked>
  )
}

const None = () => {
  const { data } = useAsk("GET /overview", {}, { kinds: ["device"] })
  const by = data?.answer.data.devices.by_state
  if (by === undefined || STATES.some((state) => (by[state] ?? 0) > 0)) return null
  return (
    <Empty>
      No switch is new. Plug a blank one in: it asks for an address by DHCP, is discovered, and appears here by itself.
    </Empty>
  )
}

export default function New() {
  const [{ tab = "one" }, change] = useWords()
  const [all, setStarted] = useState<ReadonlyArray<{ readonly job: number; readonly hostname: string }>>([])
  return (
    <>
      <ScreenTitle>New switches</ScreenTitle>
      <Tabs value={tab} onChange={(to) => change({ tab: to ?? undefined })} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="one">One by one</Tabs.Tab>
          <Tabs.Tab value="several">Several at once</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="one">
          <None />
          {all.map(({ hostname, job }) => (
            <section key={job} aria-label={`Initialisation of ${hostname}`} className="group">
              <b>{hostname}</b>
              <JobSteps id={job} />
            </section>
          ))}
          {STATES.map((state) => (
            <InState key={state} state={state} started={(job, hostname) => setStarted([...all, { job, hostname }])} />
          ))}
        </Tabs.Panel>
        <Tabs.Panel value="several" pt="sm">
          <Several />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
