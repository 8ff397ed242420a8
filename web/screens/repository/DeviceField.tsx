/** A field to choose a device by a part of its name; the choice is in the address. */
import { Autocomplete } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useState } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"

const SHOWN = 20

export const DeviceField = () => {
  const [{ device = "" }, change] = useWords()
  const [typed, setTyped] = useState(device)
  const [wanted] = useDebouncedValue(typed, 200)
  const found = useAsk(
    "GET /devices",
    { query: { "filter[hostname][contains]": wanted, sort: "hostname", per_page: SHOWN } },
    { keep: true, enabled: wanted !== "" }
  )
  const names = found.data?.answer.data.devices.map(({ hostname }) => hostname) ?? []
  return (
    <Autocomplete
      label="Device"
      description="A part of its name; Enter takes it"
      data={names}
      value={typed}
      maw={360}
      limit={SHOWN}
      onChange={setTyped}
      onOptionSubmit={(name) => change({ device: name })}
      onKeyDown={({ key }) => {
        if (key === "Enter" && names.includes(typed)) change({ device: typed })
      }}
      onBlur={() => {
        if (names.includes(typed)) change({ device: typed })
      }}
    />
  )
}
