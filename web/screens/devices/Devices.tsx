/** All devices: found by what somebody types, sorted by the server, opened by name. */
import { Group, Text, TextInput } from "@mantine/core"
import { useDebouncedCallback } from "@mantine/hooks"
import { useRouter } from "@tanstack/react-router"
import { useState } from "react"
import { useWords } from "../../app/useAddress.ts"
import { ScreenTitle } from "../../parts/ScreenTitle.tsx"
import { VirtualTable } from "../../parts/VirtualTable.tsx"
import { columns, type DeviceRow } from "./columns.tsx"
import { useDevicePages } from "./useDevicePages.ts"
import { Problem } from "../../parts/Problem.tsx"
import { Waiting } from "../../parts/Waiting.tsx"
import { Empty } from "../../parts/Empty.tsx"

const SearchField = ({ change, text }: { readonly text: string; readonly change: (text: string) => void }) => {
  const [typed, setTyped] = useState(text)
  const tell = useDebouncedCallback(change, 250)
  return (
    <TextInput
      type="search"
      aria-label="Search devices"
      placeholder="Name"
      value={typed}
      w={280}
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
  const { count, error, isKnown, refetch, rowAt, see } = useDevicePages(words)
  const open = ({ hostname }: DeviceRow) => router.history.push(`/ui/device/${encodeURIComponent(hostname)}`)
  return (
    <>
      <ScreenTitle>Devices</ScreenTitle>
      <Group mb="sm" justify="space-between">
        <SearchField text={words["search"] ?? ""} change={(search) => change({ search })} />
        <Text size="sm" role="status">
          {isKnown ? `${count} ${count === 1 ? "device" : "devices"}` : ""}
        </Text>
      </Group>
      {error !== null && <Problem error={error} title="The devices could not be read" again={refetch} />}
      {!isKnown && error === null && <Waiting what="the devices" />}
      {isKnown && count === 0 && (
        <Empty>No device matches. Take words out of the search, or wait for a new switch to ask for an address.</Empty>
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
        />
      )}
    </>
  )
}
