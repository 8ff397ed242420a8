/** One device: its status with the reason, the work of its actor, and tabs for everything that is known of it. */
import { Worded, WordShown } from "../../parts/Worded.tsx"
import { textOf } from "../../../src/domain/words/Word.ts"
import { stateWords, syncWord, typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { Group, Stack, Tabs, Text } from "@mantine/core"
import { type ComponentType, lazy, Suspense } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { useAsk } from "../../api/useAsk.ts"
import { usePart, useWords } from "../../app/useAddress.ts"
import { Asked } from "../../parts/Asked.tsx"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { Waiting } from "../../parts/Waiting.tsx"
import { When } from "../../parts/When.tsx"
import { Actor } from "./Actor.tsx"
import { Why } from "./Why.tsx"

export type DeviceRecord = Data<"GET /device/:id">["devices"][number]
export interface TabProps {
  readonly device: DeviceRecord
}

const tabs: ReadonlyArray<readonly [key: string, label: string, Tab: ComponentType<TabProps>]> = [
  ["ports", "Ports", lazy(() => import("./ports/Ports.tsx"))],
  ["settings", "Settings", lazy(() => import("./Settings.tsx"))],
  ["configuration", "Configuration", lazy(() => import("./Configuration.tsx"))],
  ["history", "History", lazy(() => import("./History.tsx"))],
  ["neighbours", "Neighbours", lazy(() => import("./Neighbours.tsx"))],
  ["drift", "Drift", lazy(() => import("./Drift.tsx"))],
  ["trust", "Host key, certificate", lazy(() => import("./Trust.tsx"))]
]

const Facts = ({ device }: TabProps) => (
  <Group gap="md">
    <Worded of={stateWords} value={device.state} />
    {device.state === "MANAGED" && <WordShown word={syncWord(device)} raw={String(device.synchronized)} />}
    {[
      textOf(typeWords, device.device_type),
      device.primary_group,
      device.management_ip ?? device.dhcp_ip,
      device.model,
      device.os_version,
      device.serial
    ]
      .filter((fact) => fact !== null && fact !== "")
      .map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    <Text size="sm">
      seen <When at={device.last_seen} />
    </Text>
  </Group>
)

const Inside = ({ device }: TabProps) => {
  const [{ tab = "ports" }, change] = useWords()
  return (
    <>
      <Stack gap="xs" mb="sm">
        <Facts device={device} />
        <Why device={device} />
        <Actor hostname={device.hostname} />
      </Stack>
      <Tabs value={tab} onChange={(to) => change({ tab: to ?? undefined })} keepMounted={false}>
        <Tabs.List>
          {tabs.map(([key, label]) => (
            <Tabs.Tab key={key} value={key}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([key, label, Tab]) => (
          <Tabs.Panel key={key} value={key} pt="sm">
            <Suspense fallback={<Waiting what={label} />}>
              <Tab device={device} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

export default function Device() {
  const name = usePart("name")
  const asked = useAsk("GET /device/:id", { params: { id: name } }, { kinds: ["device", "sync", "drift"] })
  return (
    <>
      <ScreenTitle>{name}</ScreenTitle>
      <Asked of={asked} what={name}>
        {({ data: { devices } }) => devices.map((device) => <Inside key={device.id} device={device} />)}
      </Asked>
    </>
  )
}
