/** One device: how it stands and why, in a sentence, and tabs for everything that is known of it. */
import { Button, Tabs } from "@mantine/core"
import { IconGitCompare } from "@tabler/icons-react"
import { useRouter } from "@tanstack/react-router"
import { type ComponentType, lazy, Suspense } from "react"
import { releaseOf, stateWords, syncWord, typeWords } from "../../../src/domain/words/DeviceWords.ts"
import { textOf } from "../../../src/domain/words/Word.ts"
import { useAsk } from "../../api/useAsk.ts"
import { usePart, useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { When } from "../../parts/When.tsx"
import "./device.css"
import { LifeDialogs, LifeMenu } from "./LifeMenu.tsx"
import { type TabProps, useAnswers } from "./record.ts"
import { Standing } from "./Standing.tsx"

export type { DeviceRecord, TabProps } from "./record.ts"

const tabs: ReadonlyArray<readonly [key: string, label: string, Tab: ComponentType<TabProps>]> = [
  ["summary", "Summary", lazy(() => import("./Summary.tsx"))],
  ["ports", "Ports", lazy(() => import("./ports/Ports.tsx"))],
  ["configuration", "Configuration", lazy(() => import("./Configuration.tsx"))],
  ["settings", "Settings", lazy(() => import("./Settings.tsx"))],
  ["history", "History", lazy(() => import("./History.tsx"))],
  ["neighbours", "Neighbours", lazy(() => import("./Neighbours.tsx"))],
  ["trust", "Trust", lazy(() => import("./Trust.tsx"))]
]

const Badges = ({ device }: TabProps) => {
  const answers = useAnswers(device.hostname)
  const isManaged = device.state === "MANAGED"
  return (
    <>
      {answers === false && <StatusBadge tone="bad">Not answering</StatusBadge>}
      {answers === true && isManaged && <StatusBadge tone="good">Answering</StatusBadge>}
      {isManaged ? (
        <StatusBadge word={syncWord(device)} raw={device.synchronized ? "in sync" : "out of sync"} />
      ) : (
        <StatusBadge of={stateWords} value={device.state} />
      )}
    </>
  )
}

const Facts = ({ device }: TabProps) => {
  const answers = useAnswers(device.hostname)
  const facts = [
    device.device_type === "UNKNOWN" ? textOf(typeWords, "UNKNOWN") : `${textOf(typeWords, device.device_type)} switch`,
    device.primary_group,
    device.management_ip ?? device.dhcp_ip,
    device.model,
    device.os_version === null ? null : releaseOf(device.os_version)
  ].filter((fact) => fact !== null && fact !== "")
  return (
    <span className="facts-line">
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      <span>
        {answers === false ? "last seen" : "seen"} <When at={device.last_seen} />
      </span>
    </span>
  )
}

const Preview = ({ hostname }: { readonly hostname: string }) => {
  const router = useRouter()
  return (
    <Button
      leftSection={<IconGitCompare size={16} stroke={1.75} />}
      onClick={() => router.history.push(`/ui/change?hostnames=${encodeURIComponent(hostname)}`)}
    >
      Preview changes
    </Button>
  )
}

const Inside = ({ device }: TabProps) => {
  const may = useMay()
  const [{ tab = "summary" }, change] = useWords()
  const { device_type, hostname, primary_group, state, synchronized } = device
  const shown = tabs.some(([key]) => key === tab) ? tab : "summary"
  const mayPreview = may("POST", "/device_syncto") && state === "MANAGED" && !synchronized
  return (
    <>
      <PageHead
        title={hostname}
        crumbs={[
          { label: "Devices", to: "/devices" },
          ...(primary_group === "DEFAULT" || device_type === "UNKNOWN"
            ? []
            : [{ label: primary_group, to: `/devices?group=${encodeURIComponent(primary_group)}` }])
        ]}
        badges={<Badges device={device} />}
        facts={<Facts device={device} />}
        {...(mayPreview ? { main: <Preview hostname={hostname} /> } : {})}
        more={<LifeMenu device={device} />}
      />
      <LifeDialogs device={device} />
      <Standing device={device} />
      <Tabs value={shown} onChange={(to) => change({ tab: to ?? undefined })} keepMounted={false}>
        <Tabs.List className="device-tabs" aria-label={`About ${hostname}`}>
          {tabs.map(([key, label]) => (
            <Tabs.Tab key={key} value={key}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([key, label, Tab]) => (
          <Tabs.Panel key={key} value={key} pt="md">
            <Suspense fallback={<Skeleton what={label} lines={6} />}>
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
      {asked.data === undefined && <PageHead title={name} crumbs={[{ label: "Devices", to: "/devices" }]} />}
      <Asked of={asked} what={name}>
        {({ data: { devices } }) => devices.map((device) => <Inside key={device.id} device={device} />)}
      </Asked>
    </>
  )
}
