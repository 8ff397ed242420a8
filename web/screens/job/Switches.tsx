/** Every switch of a job: as a grid by stage or by state, or as a list. */
import { SegmentedControl } from "@mantine/core"
import { useMemo } from "react"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { useWords } from "../../app/useAddress.ts"
import { type Column, DataTable } from "../../parts/DataTable.tsx"
import { DeviceGrid, type DeviceRow } from "../../parts/DeviceGrid.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { stageName, stagesOf } from "./ProgressCard.tsx"
import { byStage, cellOf } from "./stages.ts"
import type { ShownDevice } from "./useProgress.ts"

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

const COLUMNS: ReadonlyArray<Column<ShownDevice>> = [
  {
    key: "switch",
    head: "Switch",
    width: 180,
    sort: "switch",
    text: ({ hostname }) => hostname,
    cell: ({ hostname }) => <PlainLink to={`/device/${encodeURIComponent(hostname)}`}>{hostname}</PlainLink>
  },
  {
    key: "state",
    head: "State",
    width: 180,
    sort: "state",
    text: (device) => cellOf(device).said,
    cell: (device) => {
      const { said, tone } = cellOf(device)
      return <StatusWord tone={tone}>{said}</StatusWord>
    }
  },
  {
    key: "why",
    head: "Why",
    width: 360,
    cell: ({ not_begun, why }) => (not_begun || why === null ? "" : <span title={why}>{why}</span>)
  },
  {
    key: "timer",
    head: "Timer",
    width: 110,
    cell: ({ timer_until }) => (timer_until === null ? "" : <When at={timer_until} />)
  }
]

const List = ({ devices }: { readonly devices: ReadonlyArray<ShownDevice> }) => {
  const rows = useMemo(() => ordered(devices), [devices])
  return (
    <DataTable
      label="Every switch"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ hostname }) => hostname}
      height="60dvh"
      card={(device) => {
        const { said, tone } = cellOf(device)
        return (
          <>
            <PlainLink to={`/device/${encodeURIComponent(device.hostname)}`}>{device.hostname}</PlainLink>
            <span>
              <StatusWord tone={tone}>{said}</StatusWord> {device.not_begun ? "" : device.why}
            </span>
          </>
        )
      }}
    />
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
