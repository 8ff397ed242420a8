/** Every switch of a job: as a grid by stage or by state, or as a list. */
import { Button, SegmentedControl } from "@mantine/core"
import { useMemo, useState } from "react"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { useWords } from "../../app/useAddress.ts"
import { DeviceGrid, type DeviceRow } from "../../parts/DeviceGrid.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { stageName, stagesOf } from "./ProgressCard.tsx"
import { byStage, cellOf } from "./stages.ts"
import type { ShownDevice } from "./useProgress.ts"

/** The list shows so many at first. */
const FIRST = 100

const ordered = (devices: ReadonlyArray<ShownDevice>) =>
  devices.toSorted((one, other) => inNaturalOrder(one.hostname, other.hostname))

const rowsByState = (devices: ReadonlyArray<ShownDevice>): ReadonlyArray<DeviceRow> =>
  byStage(devices).map(({ devices: here, key, text }) => ({ key, label: text, devices: ordered(here).map(cellOf) }))

const rowsByStage = (devices: ReadonlyArray<ShownDevice>): ReadonlyArray<DeviceRow> =>
  stagesOf(devices).map(({ devices: here, number }) => ({
    key: String(number),
    label: stageName(number, here.length),
    devices: ordered(here).map(cellOf)
  }))

const List = ({ devices }: { readonly devices: ReadonlyArray<ShownDevice> }) => {
  const [isWhole, setWhole] = useState(false)
  const rows = useMemo(() => ordered(devices), [devices])
  const shown = isWhole ? rows : rows.slice(0, FIRST)
  return (
    <>
      <SmallTable
        label="Every switch"
        heads={["Switch", "State", "Why", "Timer"]}
        rows={shown}
        keyOf={({ hostname }) => hostname}
        cells={(device) => {
          const { said, tone } = cellOf(device)
          return [
            <PlainLink to={`/device/${encodeURIComponent(device.hostname)}`}>{device.hostname}</PlainLink>,
            <StatusWord tone={tone}>{said}</StatusWord>,
            device.not_begun ? "" : (device.why ?? ""),
            device.timer_until === null ? "" : <When at={device.timer_until} />
          ]
        }}
      />
      {rows.length > shown.length && (
        <Button size="xs" variant="default" onClick={() => setWhole(true)}>
          Show {rows.length - shown.length} more
        </Button>
      )}
    </>
  )
}

export const Switches = ({ devices }: { readonly devices: ReadonlyArray<ShownDevice> }) => {
  const [{ view }, change] = useWords()
  const hasStages = devices.some(({ stage }) => stage !== null)
  const shown = view ?? (hasStages ? "stage" : "state")
  const rows = useMemo(
    () => (shown === "stage" && hasStages ? rowsByStage(devices) : rowsByState(devices)),
    [devices, hasStages, shown]
  )
  const views = [
    ...(hasStages ? [{ value: "stage", label: "By stage" }] : []),
    { value: "state", label: "By state" },
    { value: "list", label: "List" }
  ]
  return (
    <section className="card" aria-labelledby="every-head">
      <header className="card-head">
        <h2 id="every-head">Every switch</h2>
        <SegmentedControl
          size="xs"
          aria-label="How the switches are shown"
          data={views}
          value={shown}
          onChange={(value) => change({ view: value })}
        />
      </header>
      <div className="card-body">
        {shown === "list" ? <List devices={devices} /> : <DeviceGrid label={switches(devices.length)} rows={rows} />}
      </div>
    </section>
  )
}
