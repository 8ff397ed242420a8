/** All devices: searched by text, filtered, sorted by the server, and marked for actions on many. */
import { Button, Group, Text, TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { useRouter } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { useWords } from "../../app/useAddress.ts"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { useAct } from "../../parts/useAct.ts"
import { VirtualTable } from "../../parts/VirtualTable.tsx"
import { Waiting } from "../../parts/Waiting.tsx"
import { columnsWith, type DeviceRow } from "./columns.tsx"
import { csvOf } from "./csv.ts"
import { Filters } from "./Filters.tsx"
import { MarkedActions } from "./MarkedActions.tsx"
import { allDevices, useDevicePages } from "./useDevicePages.ts"
import { useCauses } from "./useCauses.ts"

const FIELDS = [
  "hostname",
  "state",
  "synchronized",
  "device_type",
  "primary_group",
  "management_ip",
  "serial",
  "ztp_mac",
  "model",
  "os_version",
  "last_seen",
  "description"
] as const

const SearchField = ({ change, text }: { readonly text: string; readonly change: (text: string) => void }) => {
  const [typed, setTyped] = useState(text)
  const tell = useDebouncedCallback(change, 250)
  return (
    <TextInput
      type="search"
      aria-label="Search devices"
      placeholder="Name, address, serial, MAC, model, description"
      value={typed}
      w={360}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        tell(value)
      }}
    />
  )
}

export default function Devices() {
  const router = useRouter()
  const [words, change] = useWords()
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const { count, error, isKnown, refetch, rowAt, see } = useDevicePages(words)
  const causes = useCauses()
  const columns = useMemo(() => columnsWith(causes), [causes])
  const { busy, error: failure, run } = useAct()
  const open = ({ hostname }: DeviceRow) => router.history.push(`/ui/device/${encodeURIComponent(hostname)}`)
  const save = () => run(async () => saveFile("devices.csv", csvOf(FIELDS, await allDevices(words)), "text/csv"))
  const marks = {
    has: ({ hostname }: DeviceRow) => marked.has(hostname),
    toggle: ({ hostname }: DeviceRow) => setMarked(marked.symmetricDifference(new Set([hostname]))),
    nameOf: ({ hostname }: DeviceRow) => hostname
  }
  return (
    <>
      <ScreenTitle>Devices</ScreenTitle>
      <Group mb="xs" justify="space-between">
        <SearchField text={words["search"] ?? ""} change={(search) => change({ search })} />
        <Group gap="sm">
          <Text size="sm" role="status">
            {isKnown ? `${count} ${count === 1 ? "device" : "devices"}` : ""}
          </Text>
          <Button size="compact-sm" variant="default" loading={busy} onClick={() => void save()}>
            Save as CSV
          </Button>
        </Group>
      </Group>
      <Filters words={words} change={change} />
      {marked.size > 0 && <MarkedActions names={[...marked]} clear={() => setMarked(new Set())} />}
      {error !== null && <Problem error={error} title="The devices could not be read" again={refetch} />}
      {failure !== null && <Problem error={failure} title="The list could not be saved" />}
      {!isKnown && error === null && <Waiting what="the devices" />}
      {isKnown && count === 0 && (
        <Empty>No device matches. Take words or filters out, or wait for a new switch to ask for an address.</Empty>
      )}
      {count > 0 && (
        <VirtualTable
          label="Devices"
          columns={columns}
          count={count}
          rowAt={rowAt}
          keyOf={({ id }) => id}
          open={open}
          inSight={see}
          sort={words["sort"] ?? "hostname"}
          onSort={(sort) => change({ sort })}
          marks={marks}
          height="calc(100dvh - 240px)"
        />
      )}
    </>
  )
}
